package dev.handheld.helper.protocol;

/** Thrown out of a job's wait when the call was cancelled or has run out of time. */
public final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
        super("stopped", null, false, false);
    }
}
