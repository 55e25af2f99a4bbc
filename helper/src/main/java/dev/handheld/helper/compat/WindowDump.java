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
 * What only the window manager's own report tells: which windows on the screen may not be captured.
 */
final class WindowDump {
    private static final Pattern TITLE = Pattern.compile("^  Window #\\d+ Window\\{\\S+ \\S+ (.*)\\}:$");
    private static final Pattern ATTRIBUTES = Pattern.compile("^\\s+mAttrs=.*|^\\s+fl=.*");
    private static final int MOST_LINES = 50_000;

    /** Titles of windows with FLAG_SECURE that are shown; none when it cannot be told. */
    List<String> secureTitles() {
        try {
            return read();
        } catch (IOException | RemoteException | RuntimeException refused) {
            AndroidPhone.note("Secure windows cannot be told: " + refused.getMessage());
            return new ArrayList<String>();
        }
    }

    private List<String> read() throws IOException, RemoteException {
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

    /** The report's lines: a window's title, its attributes, and whether it is on the screen. */
    static List<String> parse(BufferedReader lines) throws IOException {
        List<String> found = new ArrayList<String>();
        String title = null;
        boolean secure = false;
        int number = 0;
        for (String line = lines.readLine();
                line != null && number < MOST_LINES;
                line = lines.readLine()) {
            number++;
            Matcher begun = TITLE.matcher(line);
            if (begun.matches()) {
                title = begun.group(1);
                secure = false;
            } else if (ATTRIBUTES.matcher(line).matches()) {
                // Named since 28 (fl=… SECURE …), a number before (fl=#2000).
                secure |= isSecure(line);
            } else if (title != null && secure && line.contains("isOnScreen=true")) {
                if (!found.contains(title)) {
                    found.add(title);
                }
                title = null;
            }
        }
        return found;
    }

    private static boolean isSecure(String line) {
        Matcher number = Pattern.compile("fl=#([0-9a-f]+)").matcher(line);
        if (number.find()) {
            return (Long.parseLong(number.group(1), 16) & 0x2000) != 0;
        }
        return Pattern.compile("\\bSECURE\\b").matcher(line).find();
    }
}
