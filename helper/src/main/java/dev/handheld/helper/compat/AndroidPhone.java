package dev.handheld.helper.compat;

import android.annotation.SuppressLint;
import android.app.KeyguardManager;
import android.content.Context;
import android.icu.text.BreakIterator;
import android.os.Build;
import android.os.PowerManager;
import android.os.SystemClock;
import android.util.Log;
import dev.handheld.helper.device.Phone;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The phone itself. */
final class AndroidPhone implements Phone {
    private static final String TAG = "Handheld";
    private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

    static final Hidden CURRENT_USER =
            Hidden.method(
                    Hidden.form(
                            "android.app.ActivityManager",
                            "getCurrentUser",
                            "the same in all versions"));
    static final Hidden WAKE_UP =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.os.PowerManager",
                            "wakeUp",
                            "since 29",
                            "long",
                            "int",
                            "java.lang.String"),
                    Hidden.form(
                            "android.os.PowerManager",
                            "wakeUp",
                            "until 28",
                            "long",
                            "java.lang.String"));
    private static final int WAKE_REASON_APPLICATION = 2;
    private static final String WAKE_DETAILS = "handheld:call";

    private final KeyguardManager keyguard;
    private final PowerManager power;
    private final String bootId = readBootId();
    private PowerManager.WakeLock lock;

    AndroidPhone(Context context) {
        keyguard = (KeyguardManager) context.getSystemService(Context.KEYGUARD_SERVICE);
        power = (PowerManager) context.getSystemService(Context.POWER_SERVICE);
    }

    @Override
    public int api() {
        return Build.VERSION.SDK_INT;
    }

    @Override
    public String bootId() {
        return bootId;
    }

    private static String readBootId() {
        try (BufferedReader file = new BufferedReader(new FileReader(BOOT_ID))) {
            String line = file.readLine();
            if (line != null && !line.isEmpty()) {
                return line;
            }
        } catch (IOException refused) {
            note("The boot id cannot be read: " + refused.getMessage());
        }
        // The boot time in tens of seconds: the clock may be corrected in between.
        long since = System.currentTimeMillis() - SystemClock.elapsedRealtime();
        return String.format(Locale.ROOT, "booted-%d", since / 10_000);
    }

    @Override
    public int user() {
        return currentUser();
    }

    static int currentUser() {
        return (Integer) CURRENT_USER.call(null);
    }

    @Override
    public boolean isLocked() {
        // Null on a device without a lock screen.
        return keyguard != null && keyguard.isKeyguardLocked();
    }

    @Override
    public boolean isAwake() {
        return power.isInteractive();
    }

    @Override
    public boolean wakeUp() {
        long now = SystemClock.uptimeMillis();
        try {
            if (WAKE_UP.form() == 0) {
                WAKE_UP.call(power, now, WAKE_REASON_APPLICATION, WAKE_DETAILS);
            } else {
                WAKE_UP.call(power, now, WAKE_DETAILS);
            }
            return true;
        } catch (RuntimeException refused) {
            note("The screen cannot be switched on without a key: " + refused.getMessage());
            return false;
        }
    }

    @SuppressLint("WakelockTimeout")
    @Override
    public synchronized void stayUp(boolean up) {
        try {
            if (lock == null) {
                lock = power.newWakeLock(PowerManager.PARTIAL_WAKE_LOCK, "handheld:call");
                lock.setReferenceCounted(false);
            }
            if (up) {
                // Without a timeout: a call may take hours, and the lock ends with this program.
                lock.acquire();
            } else if (lock.isHeld()) {
                lock.release();
            }
        } catch (RuntimeException refused) {
            note("No wake lock: " + refused.getMessage());
        }
    }

    @Override
    public List<String> characters(String text) {
        BreakIterator breaks = BreakIterator.getCharacterInstance(Locale.ROOT);
        breaks.setText(text);
        List<String> found = new ArrayList<String>();
        int start = breaks.first();
        for (int end = breaks.next(); end != BreakIterator.DONE; end = breaks.next()) {
            found.add(text.substring(start, end));
            start = end;
        }
        return found;
    }

    @Override
    public void log(String message) {
        note(message);
    }

    static void note(String message) {
        Log.w(TAG, message);
    }
}
