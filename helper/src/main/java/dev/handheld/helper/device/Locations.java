package dev.handheld.helper.device;

/** Where the phone is, and where apps are made to believe that it is. */
public interface Locations {
    /** Told once a fix is found. */
    interface Listener {
        void found(Fix fix);
    }

    /** Whether the owner has the location switched on. */
    boolean enabled();

    /** The newest fix of any provider; null where none is known. `failed` where Android refuses. */
    Fix last();

    /**
     * Ask every provider for a new fix; returns what ends that. `failed` where Android refuses.
     */
    Runnable find(Listener listener);

    /** Put test providers in the place of the real ones. `failed` where Android refuses. */
    void pretend(double latitude, double longitude, double accuracy);

    /** Tell apps once more of the place that is pretended. `failed` where Android refuses. */
    void repeat(double latitude, double longitude, double accuracy);

    /** Remove them. */
    void stopPretending();
}
