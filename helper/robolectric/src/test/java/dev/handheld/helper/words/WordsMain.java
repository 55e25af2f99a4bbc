package dev.handheld.helper.words;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Runs command lines on the shell commands of one release's services. Arguments: the jar with that
 * release's classes. Each line on standard input is a request, each on standard output its reply.
 */
public final class WordsMain {
    private static final long PATIENCE_MS = 30_000;

    private WordsMain() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream replies = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err);
        AndroidLoader loader = new AndroidLoader(new File(arguments[0]), "dev.handheld.helper.words.android.");
        @SuppressWarnings("unchecked")
        Function<String, String> shell = (Function<String, String>) loader
                .loadClass("dev.handheld.helper.words.android.Shells")
                .getConstructor()
                .newInstance();
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            replies.println(run(shell, line));
        }
        Runtime.getRuntime().halt(0);
    }

    /** A command that waits for something that nobody plays is left alone. */
    private static String run(Function<String, String> shell, String line) throws InterruptedException {
        String[] reply = {null};
        Thread thread = new Thread(() -> reply[0] = shell.apply(line));
        thread.setDaemon(true);
        thread.start();
        thread.join(PATIENCE_MS);
        if (reply[0] != null) {
            return reply[0];
        }
        StringBuilder where = new StringBuilder("!waits");
        for (StackTraceElement frame : thread.getStackTrace()) {
            where.append("\\n").append(frame);
        }
        return where.toString();
    }
}
