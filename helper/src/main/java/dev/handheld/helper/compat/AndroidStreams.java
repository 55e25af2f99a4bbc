package dev.handheld.helper.compat;

import android.system.ErrnoException;
import android.system.Os;
import dev.handheld.helper.device.Streams;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A copy of standard output for the frames; file descriptor 1 itself then leads to standard error,
 * where the framework and vendors' libraries may print.
 */
public final class AndroidStreams implements Streams {
    private static final int STANDARD_OUTPUT = 1;

    private final InputStream input = new FileInputStream(FileDescriptor.in);
    private final OutputStream output;

    public AndroidStreams() throws IOException {
        try {
            output = new FileOutputStream(Os.dup(FileDescriptor.out));
            Os.dup2(FileDescriptor.err, STANDARD_OUTPUT);
        } catch (ErrnoException problem) {
            throw new IOException(problem.getMessage(), problem);
        }
    }

    @Override
    public InputStream input() {
        return input;
    }

    @Override
    public OutputStream output() {
        return output;
    }
}
