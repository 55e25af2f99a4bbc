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
 * What only the window manager's own report tells: whose windows are on the screen, also of apps
 * that hang, and which of them may not be captured.
 */
final class WindowDump {
    private static final Pattern TITLE =
            Pattern.compile("^\\s+Window #\\d+ Window\\{\\S+ \\S+ (.*)\\}:$");
    private static final Pattern OWNER = Pattern.compile("\\bpackage=(\\S+)");
    /** A number until 27, names from 28 on. */
    private static final Pattern NUMBER = Pattern.compile("\\bfl=#([0-9a-f]{1,8})\\b");
    private static final Pattern NAMES = Pattern.compile("\\bfl=.*\\bSECURE\\b");
    private static final int FLAG_SECURE = 0x2000;
    private static final String EXITING = " EXITING";
    private static final int MOST_LINES = 50_000;

    /** One window that is on the screen. */
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

    /** Titles of windows with FLAG_SECURE that are shown; none when it cannot be told. */
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
        // The report is longer than a pipe holds, so it is written while it is read.
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

    /** Every window that is on the screen, as the report's lines tell of it. */
    static List<Shown> parse(BufferedReader lines) throws IOException {
        List<Shown> found = new ArrayList<Shown>();
        Reading window = null;
        int number = 0;
        for (String line = lines.readLine();
                line != null && number < MOST_LINES;
                line = lines.readLine()) {
            number++;
            Matcher begun = TITLE.matcher(line);
            if (begun.matches()) {
                end(window, found);
                window = new Reading(begun.group(1));
            } else if (window != null && !line.startsWith("    ")) {
                // Behind the windows come lines of the whole.
                end(window, found);
                window = null;
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

    /** One window's lines. */
    private static final class Reading {
        final String title;
        String owner;
        boolean secure;
        private boolean ready;
        private Boolean onScreen;

        Reading(String title) {
            this.title =
                    title.endsWith(EXITING)
                            ? title.substring(0, title.length() - EXITING.length())
                            : title;
        }

        void line(String line) {
            Matcher named = OWNER.matcher(line);
            if (owner == null && line.contains("mOwnerUid=") && named.find()) {
                owner = named.group(1);
            }
            if (line.contains("fl=")) {
                secure |= isSecure(line);
            }
            ready |= line.contains("isReadyForDisplay()=true");
            if (line.contains("isOnScreen=")) {
                onScreen = line.contains("isOnScreen=true");
            }
        }

        /** 26 does not say it outright. */
        boolean isShown() {
            return onScreen == null ? ready : onScreen;
        }
    }

    private static boolean isSecure(String line) {
        Matcher number = NUMBER.matcher(line);
        if (number.find()) {
            return (Long.parseLong(number.group(1), 16) & FLAG_SECURE) != 0;
        }
        return NAMES.matcher(line).find();
    }
}
