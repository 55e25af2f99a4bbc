package dev.handheld.helper.compat;

import android.os.IBinder;
import android.os.ParcelFileDescriptor;
import android.os.RemoteException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Data that only the window manager's dump has: the owners of the windows on the screen, also of
 * hanging apps, and which of them are secure
 * (frameworks/base/services/core/java/com/android/server/wm/WindowState.java).
 */
final class WindowDump {
    /** However the rest of it is written, the next lines belong to another window. */
    private static final Pattern WINDOW = Pattern.compile("^ *Window #\\d+:? *(.*?):?\\s*$");
    /** Vivo puts the package before the number, and the type behind the title. */
    private static final Pattern TITLE =
            Pattern.compile(
                    "Window\\{[^\\s}]+(?: u\\d+)? (.*?)(?: type=\\d+ )?(?: ?EXITING)?\\}");
    private static final Pattern OWNER = Pattern.compile("\\bpackage=(\\S+)");
    private static final Pattern FLAGS = Pattern.compile("\\bfl=(.*)");
    private static final Pattern NUMBER = Pattern.compile("^#([0-9a-f]{1,8})\\b");
    private static final Pattern SECURE = Pattern.compile("\\bSECURE\\b");
    private static final int FLAG_SECURE = 0x2000;
    private static final int MOST_LINES = 50_000;

    /** A window that is on the screen. */
    static final class Shown {
        final String title;
        final String owner;
        final boolean secure;

        Shown(String title, String owner, boolean secure) {
            this.title = title;
            this.owner = owner;
            this.secure = secure;
        }
    }

    /** Titles of shown windows with FLAG_SECURE; none when that is unknown. */
    List<String> secureTitles() {
        List<String> titles = new ArrayList<String>();
        for (Shown one : shown()) {
            if (one.secure && !titles.contains(one.title)) {
                titles.add(one.title);
            }
        }
        return titles;
    }

    /** Whether a package has a window on the screen. */
    boolean shows(String packageName) {
        for (Shown one : shown()) {
            if (packageName.equals(one.owner)) {
                return true;
            }
        }
        return false;
    }

    private List<Shown> shown() {
        try {
            return read();
        } catch (IOException | RuntimeException refused) {
            AndroidPhone.note("The report of windows cannot be read: " + refused.getMessage());
            return new ArrayList<Shown>();
        }
    }

    private List<Shown> read() throws IOException {
        final IBinder windows = Services.find("window");
        final ParcelFileDescriptor[] pipe = ParcelFileDescriptor.createPipe();
        // The dump is longer than a pipe holds, so it is read while it is written.
        Thread writer =
                new Thread("handheld-windows") {
                    @Override
                    public void run() {
                        try {
                            windows.dump(
                                    pipe[1].getFileDescriptor(), new String[] {"windows"});
                        } catch (RemoteException | RuntimeException gone) {
                            AndroidPhone.note("No report of windows: " + gone.getMessage());
                        } finally {
                            try {
                                pipe[1].close();
                            } catch (IOException closed) {
                                AndroidPhone.note("A pipe did not close.");
                            }
                        }
                    }
                };
        writer.setDaemon(true);
        writer.start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                new ParcelFileDescriptor.AutoCloseInputStream(pipe[0]),
                                StandardCharsets.UTF_8))) {
            return parse(lines);
        }
    }

    /** Every window that is on the screen, parsed from the dump. */
    static List<Shown> parse(BufferedReader lines) throws IOException {
        List<Shown> found = new ArrayList<Shown>();
        Reading window = null;
        int number = 0;
        for (String line = lines.readLine();
                line != null && number < MOST_LINES;
                line = lines.readLine()) {
            number++;
            Matcher begun = WINDOW.matcher(line);
            if (begun.matches()) {
                end(window, found);
                window = new Reading(begun.group(1));
            } else if (window != null) {
                window.line(line);
            }
        }
        end(window, found);
        return found;
    }

    private static void end(Reading window, List<Shown> found) {
        if (window != null && window.isShown()) {
            found.add(new Shown(window.title, window.owner, window.secure));
        }
    }

    /**
     * The lines of one window. The first value counts: a bar repeats its flags for every rotation,
     * and the dump continues behind the last window.
     */
    private static final class Reading {
        final String title;
        String owner;
        boolean secure;
        private boolean flagged;
        private Boolean ready;
        private Boolean onScreen;

        Reading(String words) {
            Matcher named = TITLE.matcher(words);
            title = named.matches() ? named.group(1) : words;
        }

        void line(String line) {
            Matcher named = OWNER.matcher(line);
            if (owner == null && line.contains("mOwnerUid=") && named.find()) {
                owner = named.group(1);
            }
            Matcher flags = FLAGS.matcher(line);
            if (!flagged && flags.find()) {
                flagged = true;
                secure = isSecure(flags.group(1));
            }
            if (ready == null && line.contains("isReadyForDisplay()=")) {
                ready = line.contains("isReadyForDisplay()=true");
            }
            if (onScreen == null && line.contains("isOnScreen=")) {
                onScreen = line.contains("isOnScreen=true");
            }
        }

        /** API 26 does not have it explicitly. */
        boolean isShown() {
            return onScreen == null ? Boolean.TRUE.equals(ready) : onScreen;
        }
    }

    /** A number until API 27, names from 28 on. */
    private static boolean isSecure(String flags) {
        Matcher number = NUMBER.matcher(flags);
        if (number.find()) {
            return (Long.parseLong(number.group(1), 16) & FLAG_SECURE) != 0;
        }
        return SECURE.matcher(flags).find();
    }
}
