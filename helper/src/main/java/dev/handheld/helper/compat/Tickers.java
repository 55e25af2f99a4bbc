package dev.handheld.helper.compat;

import android.os.SystemClock;
import android.view.accessibility.AccessibilityEvent;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Counts the changes of texts by view, to distinguish a ticking clock from a changing screen.
 * Hidden member: frameworks/base/core/java/android/view/accessibility/
 * AccessibilityRecord.java; getSource() would ask the app.
 */
final class Tickers {
    private static final int MOST = 64;
    private static final int TEXTS =
            AccessibilityEvent.CONTENT_CHANGE_TYPE_TEXT
                    | AccessibilityEvent.CONTENT_CHANGE_TYPE_CONTENT_DESCRIPTION;

    static final Hidden SOURCE =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.view.accessibility.AccessibilityRecord",
                            "getSourceNodeId",
                            "the same in all versions"));

    private static final class Ticks {
        long last;
        long count;
    }

    private final Map<String, Ticks> ticks =
            new LinkedHashMap<String, Ticks>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Ticks> eldest) {
                    return size() > MOST;
                }
            };
    private long changes;

    /** Count a change. */
    synchronized void add(AccessibilityEvent event) {
        changes++;
        int types = event.getContentChangeTypes();
        boolean text = types != 0 && (types & ~TEXTS) == 0;
        if (event.getEventType() != AccessibilityEvent.TYPE_WINDOW_CONTENT_CHANGED
                || !text
                || !SOURCE.isThere()) {
            return;
        }
        String view = event.getWindowId() + ":" + SOURCE.call(event);
        Ticks known = ticks.get(view);
        if (known == null) {
            known = new Ticks();
            ticks.put(view, known);
        }
        known.last = SystemClock.uptimeMillis();
        known.count++;
    }

    synchronized long changes() {
        return changes;
    }

    /** The views of which the text, and nothing else, changed that recently. */
    synchronized Set<String> within(long ms) {
        long since = SystemClock.uptimeMillis() - ms;
        Set<String> found = new HashSet<String>();
        for (Map.Entry<String, Ticks> each : ticks.entrySet()) {
            if (each.getValue().last >= since) {
                found.add(each.getKey());
            }
        }
        return found;
    }

    /** The count of changes without those of these texts. */
    synchronized long changesWithout(Set<String> views) {
        long count = changes;
        for (String view : views) {
            Ticks known = ticks.get(view);
            count -= known == null ? 0 : known.count;
        }
        return count;
    }
}
