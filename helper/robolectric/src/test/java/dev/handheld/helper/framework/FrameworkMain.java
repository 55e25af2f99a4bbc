package dev.handheld.helper.framework;

import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/**
 * A phone on a JVM: Android's framework classes of one release, an app with the framework's own
 * widgets, and the helper as it runs on phones. Arguments: the API level, the files that lead to
 * the test and back, the lock file, the build, then what a helper gets.
 */
public final class FrameworkMain {
    /** The arguments, one per line: Robolectric loads the phone's classes a second time. */
    static final String ARGUMENTS = "handheld.arguments";

    private static final int FAULT = 2;

    private FrameworkMain() {}

    public static void main(String[] arguments) {
        // Robolectric and the framework may print: standard output belongs to the helper's frames.
        System.setOut(System.err);
        System.setProperty(ARGUMENTS, String.join("\n", arguments));
        System.setProperty("robolectric.enabledSdks", arguments[0]);
        Result result = JUnitCore.runClasses(FrameworkPhone.class);
        for (Failure failure : result.getFailures()) {
            System.err.println(failure.getTrace());
        }
        Runtime.getRuntime().halt(result.wasSuccessful() ? 0 : FAULT);
    }
}
