package dev.handheld.helper.device;

/**
 * Time, and every wait in the helper. Threads wait only here, which lets the driver of the time
 * know the active ones.
 */
public interface Clock {
    /** Milliseconds since the phone was switched on, as SystemClock.uptimeMillis counts them. */
    double now();

    /**
     * As Object.wait: the caller holds the monitor, which is free while it waits. Ends when {@link
     * #wake} is called or at `until`, which may be infinite; sometimes earlier.
     */
    void await(Object monitor, double until);

    /** As Object.notifyAll: the caller holds the monitor. */
    void wake(Object monitor);
}
