package dev.handheld.helper.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Encodes frames, and writes the frames of one answer together. */
public final class FrameWriter {
    private static final int HEADER = 9;

    private final OutputStream output;

    public FrameWriter(OutputStream output) {
        this.output = output;
    }

    /** Write the greeting and the first frame. */
    public synchronized void greet(int kind, byte[] payload) throws IOException {
        output.write(Limits.GREETING.getBytes(StandardCharsets.US_ASCII));
        output.write(frame(kind, 0, payload, 0, payload.length));
        output.flush();
    }

    public synchronized void write(int kind, long call, byte[] payload) throws IOException {
        output.write(frame(kind, call, payload, 0, payload.length));
        output.flush();
    }

    /** Write DATA in chunks, then the REPLY. */
    public synchronized void answer(long call, byte[] data, byte[] reply) throws IOException {
        for (int start = 0; start < data.length; start += Limits.DATA) {
            int size = Math.min(Limits.DATA, data.length - start);
            output.write(frame(Kind.DATA, call, data, start, size));
        }
        output.write(frame(Kind.REPLY, call, reply, 0, reply.length));
        output.flush();
    }

    private static byte[] frame(int kind, long call, byte[] payload, int start, int size) {
        if (size + 5 > Limits.FRAME) {
            throw new IllegalArgumentException("A frame of " + size + " bytes is over the limit.");
        }
        byte[] frame = new byte[HEADER + size];
        put(frame, 0, size + 5);
        frame[4] = (byte) kind;
        put(frame, 5, call);
        System.arraycopy(payload, start, frame, HEADER, size);
        return frame;
    }

    private static void put(byte[] bytes, int at, long value) {
        for (int place = 0; place < 4; place++) {
            bytes[at + place] = (byte) (value >> 24 - 8 * place);
        }
    }
}
