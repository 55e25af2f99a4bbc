package dev.handheld.helper.protocol;

/** The host violates the protocol: the stream ends. */
public final class ProtocolError extends Exception {
    private static final long serialVersionUID = 1;

    public ProtocolError(String message) {
        super(message);
    }
}
