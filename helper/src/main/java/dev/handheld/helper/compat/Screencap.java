package dev.handheld.helper.compat;

import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/**
 * Screenshots by the phone's own program, which needs no UiAutomation
 * (frameworks/base/cmds/screencap/screencap.cpp).
 */
final class Screencap {
    private static final String PROGRAM = "/system/bin/screencap";
    private static final int LARGEST = 64 * 1024 * 1024;
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G'};

    private Screencap() {}

    /**
     * Capture one panel; null when it gives none.
     *
     * @param panel its number, or null: then the program takes the first
     */
    static Bitmap capture(String panel) {
        Process program = null;
        try {
            // Its other output must not fill a pipe that nobody reads.
            ProcessBuilder builder = new ProcessBuilder(command(panel));
            program = builder.redirectError(new File("/dev/null")).start();
            program.getOutputStream().close();
            byte[] data = readAll(program.getInputStream());
            // A phone with several screens prints a warning first.
            int start = find(data);
            return start < 0
                    ? null
                    : BitmapFactory.decodeByteArray(data, start, data.length - start);
        } catch (IOException refused) {
            AndroidPhone.note("screencap cannot be run: " + refused.getMessage());
            return null;
        } finally {
            if (program != null) {
                program.destroy();
            }
        }
    }

    static List<String> command(String panel) {
        return panel == null
                ? Arrays.asList(PROGRAM, "-p")
                : Arrays.asList(PROGRAM, "-p", "-d", panel);
    }

    private static byte[] readAll(InputStream stream) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(1024 * 1024);
        byte[] piece = new byte[64 * 1024];
        for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
            all.write(piece, 0, count);
            if (all.size() > LARGEST) {
                throw new IOException("the picture is too large");
            }
        }
        return all.toByteArray();
    }

    private static int find(byte[] data) {
        for (int start = 0; start + SIGNATURE.length <= data.length; start++) {
            int same = 0;
            while (same < SIGNATURE.length && data[start + same] == SIGNATURE[same]) {
                same++;
            }
            if (same == SIGNATURE.length) {
                return start;
            }
        }
        return -1;
    }
}
