package dev.handheld.helper.protocol;

import java.io.IOException;
import java.io.InputStream;

/** Decodes frames from a byte stream. */
public final class FrameReader {
    private static final int HEADER = 9;
    private static final byte[] NOTHING = new byte[0];

    private final InputStream input;
    private final Runnable received;
    private final byte[] header = new byte[HEADER];

    /**
     * @param received called for every chunk: a host that sends is alive, even in the middle of a
     *     frame
     */
    public FrameReader(InputStream input, Runnable received) {
        this.input = input;
        this.received = received;
    }

    /** Return the next frame; null at the end of the input, even within a frame. */
    public Frame read() throws IOException, ProtocolError {
        if (!fill(header)) {
            return null;
        }
        long length = number(0);
        if (length < 5 || length > Limits.FRAME) {
            throw new ProtocolError("A frame says it is " + length + " bytes long.");
        }
        int size = (int) length - 5;
        byte[] payload = size == 0 ? NOTHING : new byte[size];
        return fill(payload) ? new Frame(header[4] & 0xff, number(5), payload) : null;
    }

    private long number(int at) {
        long value = 0;
        for (int place = at; place < at + 4; place++) {
            value = value << 8 | header[place] & 0xff;
        }
        return value;
    }

    private boolean fill(byte[] bytes) throws IOException {
        int had = 0;
        while (had < bytes.length) {
            int count = input.read(bytes, had, bytes.length - had);
            if (count < 0) {
                return false;
            }
            received.run();
            had += count;
        }
        return true;
    }
}
