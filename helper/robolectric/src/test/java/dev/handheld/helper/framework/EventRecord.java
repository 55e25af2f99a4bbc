package dev.handheld.helper.framework;

import android.os.SystemClock;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The accessibility events that the app sent, each as it was sent. */
final class EventRecord {
    private static final List<Object> heard = new ArrayList<Object>();
    /** When the last input of the step ended that the events belong to; before that, none has. */
    private static long ended = Long.MAX_VALUE;

    private EventRecord() {}

    /** The input of a step is over. */
    static synchronized void end() {
        ended = SystemClock.uptimeMillis();
    }

    static synchronized void clear() {
        heard.clear();
    }

    static synchronized List<Object> take() {
        List<Object> taken = new ArrayList<Object>(heard);
        heard.clear();
        ended = Long.MAX_VALUE;
        return taken;
    }

    /** On the thread that sent it, before the event is used for another. */
    static synchronized void add(AccessibilityEvent event, Page page) {
        Map<String, Object> words = new LinkedHashMap<String, Object>();
        String type = AccessibilityEvent.eventTypeToString(event.getEventType());
        words.put("type", type.substring("TYPE_".length()));
        words.put("source", source(event, page));
        words.put("class", String.valueOf(event.getClassName()));
        // So long after the input of its step, which may be none.
        words.put("after", Math.max(0, event.getEventTime() - ended));
        put(words, "changes", event.getContentChangeTypes(), 0);
        describe(event, words);
        heard.add(words);
    }

    /** The fields of a text or a scroll position, where an event has them. */
    private static void describe(AccessibilityEvent event, Map<String, Object> words) {
        if (event.getBeforeText() != null) {
            words.put("before", event.getBeforeText().toString());
            words.put("text", event.getText().isEmpty() ? "" : event.getText().get(0).toString());
        }
        put(words, "from", event.getFromIndex(), -1);
        put(words, "to", event.getToIndex(), -1);
        put(words, "added", event.getAddedCount(), -1);
        put(words, "removed", event.getRemovedCount(), -1);
        put(words, "items", event.getItemCount(), -1);
        put(words, "y", event.getScrollY(), -1);
        put(words, "most", event.getMaxScrollY(), -1);
    }

    private static void put(Map<String, Object> words, String name, int value, int none) {
        if (value != none) {
            words.put(name, (long) value);
        }
    }

    /** The name that the page has for the view, or its class. */
    private static String source(AccessibilityEvent event, Page page) {
        int id = AccessibilityNodeInfo.getAccessibilityViewId(event.getSourceNodeId());
        View view = page == null ? null : find(page.getWindow().getDecorView(), id);
        if (view == null) {
            return "none";
        }
        if (view.getTag() instanceof String) {
            return (String) view.getTag();
        }
        return view.getClass().getSimpleName();
    }

    private static View find(View view, int id) {
        if (view.getAccessibilityViewId() == id) {
            return view;
        }
        if (view instanceof ViewGroup) {
            ViewGroup group = (ViewGroup) view;
            for (int place = 0; place < group.getChildCount(); place++) {
                View found = find(group.getChildAt(place), id);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }
}
