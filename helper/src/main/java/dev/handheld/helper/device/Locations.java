package dev.handheld.helper.device;

/** The phone's location, and the location that apps are made to believe. */
public interface Locations {
    /** Called once a fix is found. */
    interface Listener {
        void found(Fix fix);
    }

    /** Whether the owner has the location switched on. */
    boolean enabled();

    /** The newest fix of any provider; null where none is known. `failed` where Android refuses. */
    Fix last();

    /**
     * Ask every provider for a new fix; return the function that ends that. `failed` where Android
     * refuses.
     */
    Runnable find(Listener listener);

    /** Replace the real providers with test providers. `failed` where Android refuses. */
    void pretend(double latitude, double longitude, double accuracy);

    /** Report the pretended location to apps again. `failed` where Android refuses. */
    void repeat(double latitude, double longitude, double accuracy);

    /** Remove the test providers. */
    void stopPretending();
}
