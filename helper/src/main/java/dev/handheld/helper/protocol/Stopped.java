package dev.handheld.helper.protocol;

/** Thrown by a job's wait when the call was cancelled or ran out of time. */
public final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
        super("stopped", null, false, false);
    }
}
