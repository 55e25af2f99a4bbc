package dev.handheld.helper.compat;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The holder of UiAutomation: Android does not report it, but the usual programs are known by their
 * names.
 */
final class Holder {
    /** Parts of the command lines of test programs and of Android's own. */
    private static final String[] KNOWN = {
        "uiautomator", "com.wetest.uia2", "instrument", "androidx.test", "maestro"
    };
    private static final int LONGEST = 4096;

    private Holder() {}

    /** A description for a message; a guess is marked as a guess. */
    static String guess(File processes, int self) {
        String[] names = processes.list();
        for (String name : names == null ? new String[0] : names) {
            if (!name.matches("[0-9]{1,9}") || Integer.parseInt(name) == self) {
                continue;
            }
            String word = known(line(new File(new File(processes, name), "cmdline")));
            if (word != null) {
                return "another program, probably " + word + " (process " + name + ")";
            }
        }
        return "another program";
    }

    /** The word of the command line that identifies it, or null. */
    private static String known(String line) {
        for (String word : line.split("[\0 ]+")) {
            for (String one : KNOWN) {
                if (word.contains(one)) {
                    return word;
                }
            }
        }
        return null;
    }

    private static String line(File file) {
        byte[] bytes = new byte[LONGEST];
        try (InputStream stream = new FileInputStream(file)) {
            int count = stream.read(bytes);
            return count <= 0 ? "" : new String(bytes, 0, count, StandardCharsets.UTF_8);
        } catch (IOException gone) {
            return "";
        }
    }
}
