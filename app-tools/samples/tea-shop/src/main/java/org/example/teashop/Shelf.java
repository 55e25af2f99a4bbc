package org.example.teashop;

import android.content.Context;
import android.content.SharedPreferences;
import dev.handheld.apptools.ToolFailed;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The cups that are ready. In a file, because the app may be stopped after each call. */
final class Shelf {
    static final List<String> TEAS =
            Collections.unmodifiableList(Arrays.asList("green", "black", "mint"));
    private static final String CUPS = "cups";

    private final SharedPreferences kept;

    private Shelf(SharedPreferences kept) {
        this.kept = kept;
    }

    static Shelf of(Context context) {
        return new Shelf(context.getSharedPreferences("shelf", Context.MODE_PRIVATE));
    }

    long cups() {
        return kept.getLong(CUPS, 0);
    }

    long add(long cups) throws ToolFailed {
        // Android has one such object for a file, and tools run at the same time.
        synchronized (kept) {
            long now = cups() + cups;
            if (!kept.edit().putLong(CUPS, now).commit()) {
                throw new ToolFailed("The shelf cannot be written.");
            }
            return now;
        }
    }

    long take(long cups) throws ToolFailed {
        synchronized (kept) {
            if (cups < 1 || cups > cups()) {
                throw new ToolFailed("There are " + cups() + " cups.");
            }
            return add(-cups);
        }
    }
}
