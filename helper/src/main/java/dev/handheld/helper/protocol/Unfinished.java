package dev.handheld.helper.protocol;

import java.io.File;
import java.util.regex.Pattern;

/** Jars whose push was interrupted before they got their name. */
final class Unfinished {
    private static final Pattern NAME =
            Pattern.compile("handheld-helper-[0-9a-f]{16}\\.jar\\.[0-9a-f]{8}\\.tmp");

    private Unfinished() {}

    /**
     * Remove those of a folder. Another host may still be pushing younger ones.
     *
     * @param now in milliseconds since 1970, as files have it; their times are those of hosts, whose
     *     clocks may differ from the phone's in both directions
     */
    static void remove(File folder, long now) {
        File[] files = folder.listFiles();
        if (files == null) {
            return;
        }
        for (File file : files) {
            boolean ours = NAME.matcher(file.getName()).matches() && file.isFile();
            if (ours && Math.abs(now - file.lastModified()) >= Limits.UNFINISHED_MS) {
                // What cannot be removed may stay.
                file.delete();
            }
        }
    }
}
