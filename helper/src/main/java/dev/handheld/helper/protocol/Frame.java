package dev.handheld.helper.protocol;

/** One frame of the stream. */
public final class Frame {
    public final int kind;
    /** Unsigned, 32 bits. */
    public final long call;
    public final byte[] payload;

    public Frame(int kind, long call, byte[] payload) {
        this.kind = kind;
        this.call = call;
        this.payload = payload;
    }
}
