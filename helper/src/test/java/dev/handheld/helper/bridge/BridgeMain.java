package dev.handheld.helper.bridge;

import dev.handheld.helper.Helper;
import dev.handheld.helper.device.Streams;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;

/**
 * The helper on a JVM, for the contract suite. Arguments: the files that lead to the test's world
 * and back, the folder of the lock, the build, then what a helper gets.
 */
public final class BridgeMain {
    private BridgeMain() {}

    public static void main(String[] arguments) throws IOException {
        Helper.haltOnFault();
        final Bridge bridge =
                new Bridge(
                        new FileInputStream(arguments[0]), new FileOutputStream(arguments[1]));
        final BridgeDevice device = new BridgeDevice(bridge);
        bridge.open(device);
        InputStream input = new WatchedInput(bridge, new FileInputStream(FileDescriptor.in));
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        device.begin();
        String build = arguments[3];
        File folder = new File(arguments[2]);
        int code = Helper.serve(device, streams(input, output), build, arguments, folder);
        Runtime.getRuntime().halt(code);
    }

    private static Streams streams(final InputStream input, final OutputStream output) {
        return new Streams() {
            @Override
            public InputStream input() {
                return input;
            }

            @Override
            public OutputStream output() {
                return output;
            }
        };
    }

    /** Standard input: who waits for it is not at work. */
    private static final class WatchedInput extends FilterInputStream {
        private final Bridge bridge;

        WatchedInput(Bridge bridge, InputStream input) {
            super(input);
            this.bridge = bridge;
        }

        @Override
        public int read(byte[] bytes, int start, int size) throws IOException {
            bridge.leave();
            try {
                return in.read(bytes, start, size);
            } finally {
                bridge.enter();
            }
        }
    }

    static long number(Map<String, Object> message, String name) {
        return ((Number) message.get(name)).longValue();
    }
}
