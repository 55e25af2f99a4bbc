package dev.handheld.helper;

import dev.handheld.helper.commands.Commands;
import dev.handheld.helper.compat.AndroidDevice;
import dev.handheld.helper.compat.AndroidStreams;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Streams;
import dev.handheld.helper.protocol.Claim;
import dev.handheld.helper.protocol.Session;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Handheld's program on the phone: app_process runs it as the shell user. */
public final class Helper {
    private static final File FOLDER = new File("/data/local/tmp");
    private static final String CLAIM = "claim=";
    private static final int BUILD_BYTES = 8;
    private static final int FAULT = 2;

    private Helper() {}

    public static void main(String[] arguments) {
        haltOnFault();
        int code;
        try {
            AndroidDevice.dropRoot(Helper.class.getName(), arguments);
            // Before anything can print: from here on only frames go to standard output.
            Streams streams = new AndroidStreams();
            String build = build(System.getenv("CLASSPATH"));
            code = serve(AndroidDevice.open(), streams, build, arguments, FOLDER);
        } catch (IOException problem) {
            System.err.println(problem);
            code = 1;
        } catch (Throwable problem) {
            problem.printStackTrace();
            code = FAULT;
        }
        // The framework's threads would keep the program alive.
        Runtime.getRuntime().halt(code);
    }

    /** Halt on a bug in the helper: stopping is better than running half broken. */
    public static void haltOnFault() {
        Thread.setDefaultUncaughtExceptionHandler(
                new Thread.UncaughtExceptionHandler() {
                    @Override
                    public void uncaughtException(Thread thread, Throwable problem) {
                        problem.printStackTrace();
                        Runtime.getRuntime().halt(FAULT);
                    }
                });
    }

    /**
     * Serve one host; return the exit code.
     *
     * @param folder where the phone keeps who uses it
     */
    public static int serve(
            Device device, Streams streams, String build, String[] arguments, File folder)
            throws IOException {
        Session session = new Session(device, streams, Commands.all());
        File lock = new File(folder, "handheld.lock");
        File claim = new File(folder, "handheld.claim");
        File left = new File(folder, "handheld.left");
        return session.run(build, holder(arguments), claim(arguments), lock, claim, left);
    }

    /** Parse the claim: `claim=EPOCH:HOST:NAME`; null when there is none. */
    public static Claim claim(String[] arguments) throws IOException {
        for (String argument : arguments) {
            if (argument.startsWith(CLAIM)) {
                Claim claim = Claim.read(argument.substring(CLAIM.length()));
                if (claim == null) {
                    // Without it we would use the phone as a host that has none.
                    throw new IOException("The claim cannot be read.");
                }
                return claim;
            }
        }
        return null;
    }

    /** Parse the holder: `host=H pid=P client=C`. */
    public static Map<String, Object> holder(String[] arguments) {
        Map<String, Object> holder = new LinkedHashMap<String, Object>();
        holder.put("host", "");
        holder.put("pid", 0L);
        holder.put("client", "");
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = argument.substring(0, Math.max(equals, 0));
            if (!holder.containsKey(name)) {
                continue;
            }
            String value = argument.substring(equals + 1);
            if (!name.equals("pid")) {
                holder.put(name, value);
            } else if (value.matches("[0-9]{1,18}")) {
                holder.put(name, Long.valueOf(value));
            }
        }
        return holder;
    }

    /** The first 16 hex digits of the jar's SHA-256. */
    private static String build(String jar) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException problem) {
            throw new IOException(problem);
        }
        try (InputStream input = new FileInputStream(jar)) {
            byte[] piece = new byte[64 * 1024];
            for (int count = input.read(piece); count >= 0; count = input.read(piece)) {
                digest.update(piece, 0, count);
            }
        }
        byte[] bytes = digest.digest();
        StringBuilder build = new StringBuilder();
        for (int place = 0; place < BUILD_BYTES; place++) {
            build.append(Character.forDigit(bytes[place] >> 4 & 15, 16));
            build.append(Character.forDigit(bytes[place] & 15, 16));
        }
        return build.toString();
    }
}
