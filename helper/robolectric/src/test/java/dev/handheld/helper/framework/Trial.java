package dev.handheld.helper.framework;

import android.os.Build;
import android.os.Bundle;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.MotionEvent;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.AbsListView;
import android.widget.CompoundButton;
import android.widget.LinearLayout;
import android.widget.ProgressBar;
import android.widget.ScrollView;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One widget, what is done with it step by step, and what it is like after each. */
final class Trial {
    private static final int MOVE_MS = 10;
    private static final int START_MS = 400;

    private final Control control;
    private long downTime;

    Trial(Control control) {
        this.control = control;
    }

    List<Object> run(List<?> steps) throws Exception {
        List<Object> answers = new ArrayList<Object>();
        // What the window sent as it came.
        control.elapse(START_MS);
        EventRecord.clear();
        answers.add(observe(null));
        for (Object step : steps) {
            @SuppressWarnings("unchecked")
            Map<String, Object> words = (Map<String, Object>) step;
            answers.add(observe(take(words)));
        }
        return answers;
    }

    /** What the widget answered; null where nobody answers. */
    private Boolean take(final Map<String, Object> step) throws Exception {
        String what = (String) step.get("do");
        Boolean answer = null;
        switch (what) {
            case "perform":
                answer = perform(step);
                break;
            case "key":
                InputRoute.press(number(step, "code"));
                break;
            case "tap":
                touch(MotionEvent.ACTION_DOWN, point(step, 0), point(step, 1));
                control.elapse(MOVE_MS);
                touch(MotionEvent.ACTION_UP, point(step, 0), point(step, 1));
                break;
            case "press":
                touch(MotionEvent.ACTION_DOWN, point(step, 0), point(step, 1));
                control.elapse(number(step, "ms"));
                touch(MotionEvent.ACTION_UP, point(step, 0), point(step, 1));
                break;
            case "drag":
                drag(step);
                break;
            case "fling":
                fling(number(step, "speed"));
                break;
            case "app":
                change(step);
                break;
            default:
                throw new IllegalArgumentException(what);
        }
        if (!what.equals("perform") && !what.equals("app")) {
            EventRecord.end();
        }
        control.elapse(number(step, "rest"));
        return answer;
    }

    /** What the app does by itself. */
    private void change(final Map<String, Object> step) throws Exception {
        int times = Math.max(1, number(step, "times"));
        for (int time = 1; time <= times; time++) {
            if (time > 1) {
                control.elapse(number(step, "every"));
            }
            final String words = "note " + time;
            final boolean last = time == times;
            control.run(
                    new Control.Work() {
                        @Override
                        public void run() {
                            set((String) step.get("set"), step.get("to"), words);
                            if (last) {
                                EventRecord.end();
                            }
                        }
                    });
        }
    }

    private void set(String what, Object to, String words) {
        View note = control.page().view("note");
        switch (what) {
            case "text":
                ((TextView) widget()).setText((String) to);
                break;
            case "enabled":
                widget().setEnabled((Boolean) to);
                break;
            case "checked":
                ((CompoundButton) widget()).setChecked((Boolean) to);
                break;
            case "value":
                ((ProgressBar) widget()).setProgress(((Number) to).intValue());
                break;
            case "note":
                ((TextView) note).setText(words);
                break;
            case "note_shown":
                note.setVisibility((Boolean) to ? View.VISIBLE : View.GONE);
                break;
            case "note_description":
                note.setContentDescription((String) to);
                break;
            default:
                throw new IllegalArgumentException(what);
        }
    }

    private Boolean perform(final Map<String, Object> step) throws Exception {
        final Bundle arguments = new Bundle();
        if (step.containsKey("text")) {
            arguments.putCharSequence(
                    AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE,
                    (String) step.get("text"));
        }
        if (step.containsKey("start")) {
            arguments.putInt(
                    AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_START_INT,
                    number(step, "start"));
            arguments.putInt(
                    AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_END_INT, number(step, "end"));
        }
        final boolean[] answer = new boolean[1];
        control.run(
                new Control.Work() {
                    @Override
                    public void run() {
                        answer[0] =
                                widget().performAccessibilityAction(
                                                number(step, "action"), arguments);
                        EventRecord.end();
                    }
                });
        return answer[0];
    }

    /** The finger is gone, and was that fast: its speed is measured by native code. */
    private void fling(final int speed) throws Exception {
        control.run(
                new Control.Work() {
                    @Override
                    public void run() {
                        ((ScrollView) widget()).fling(speed);
                    }
                });
    }

    private void drag(Map<String, Object> step) throws Exception {
        int[] at = {point(step, 0), point(step, 1)};
        int[] by = {(int) coordinate(step, "by", 0), (int) coordinate(step, "by", 1)};
        int moves = number(step, "ms") / MOVE_MS;
        touch(MotionEvent.ACTION_DOWN, at[0], at[1]);
        for (int move = 1; move <= moves; move++) {
            control.elapse(MOVE_MS);
            touch(
                    MotionEvent.ACTION_MOVE,
                    at[0] + by[0] * move / moves,
                    at[1] + by[1] * move / moves);
        }
        control.elapse(number(step, "hold"));
        touch(MotionEvent.ACTION_UP, at[0] + by[0], at[1] + by[1]);
    }

    private void touch(int action, int x, int y) throws Exception {
        int[] at = place();
        long now = SystemClock.uptimeMillis();
        downTime = action == MotionEvent.ACTION_DOWN ? now : downTime;
        MotionEvent event = MotionEvent.obtain(downTime, now, action, at[0] + x, at[1] + y, 0);
        event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        InputRoute.inject(event);
        event.recycle();
    }

    private int[] place() throws Exception {
        final int[] at = new int[2];
        control.run(
                new Control.Work() {
                    @Override
                    public void run() {
                        widget().getLocationOnScreen(at);
                    }
                });
        return at;
    }

    private View widget() {
        return control.page().view("widget");
    }

    private Map<String, Object> observe(Boolean answer) throws Exception {
        final Map<String, Object> seen = new LinkedHashMap<String, Object>();
        seen.put("answer", answer);
        control.run(
                new Control.Work() {
                    @Override
                    public void run() {
                        describe(widget(), seen);
                        seen.put("other", control.page().view("other").isFocused());
                    }
                });
        seen.put("events", EventRecord.take());
        seen.put("log", Page.takeLog());
        return seen;
    }

    private static void describe(View view, Map<String, Object> seen) {
        AccessibilityNodeInfo info = view.createAccessibilityNodeInfo();
        seen.put("class", String.valueOf(info.getClassName()));
        seen.put("text", info.getText() == null ? null : info.getText().toString());
        seen.put(
                "description",
                info.getContentDescription() == null
                        ? null
                        : info.getContentDescription().toString());
        List<Object> flags = new ArrayList<Object>();
        add(flags, "checkable", info.isCheckable());
        add(flags, "checked", info.isChecked());
        add(flags, "clickable", info.isClickable());
        add(flags, "collection", info.getCollectionInfo() != null);
        add(flags, "editable", info.isEditable());
        add(flags, "enabled", info.isEnabled());
        add(flags, "focusable", info.isFocusable());
        add(flags, "focused", info.isFocused());
        add(flags, "long_clickable", info.isLongClickable());
        add(flags, "password", info.isPassword());
        add(flags, "scrollable", info.isScrollable());
        add(flags, "selected", info.isSelected());
        add(flags, "showing_hint", info.isShowingHintText());
        seen.put("flags", flags);
        if (view instanceof LinearLayout) {
            View focus = view.getRootView().findFocus();
            seen.put("focus", focus == null ? null : focus.getTag());
        }
        if (view instanceof TextView) {
            seen.put("content", ((TextView) view).getText().toString());
            seen.put("selection", pair(info.getTextSelectionStart(), info.getTextSelectionEnd()));
        }
        if (view instanceof ProgressBar) {
            seen.put("value", (long) ((ProgressBar) view).getProgress());
        }
        if (view instanceof AbsListView) {
            seen.put("rows", rows((AbsListView) view));
        } else if (view instanceof ScrollView) {
            seen.put("scroll", pair(view.getScrollX(), view.getScrollY()));
        }
        if (Build.VERSION.SDK_INT >= 30) {
            seen.put("state", info.getStateDescription() == null ? null : info.getStateDescription().toString());
        }
    }

    /** The rows that can be seen, with the place of the first. */
    private static Map<String, Object> rows(AbsListView list) {
        long first = -1;
        long count = 0;
        long top = 0;
        for (int place = 0; place < list.getChildCount(); place++) {
            View row = list.getChildAt(place);
            if (row.getBottom() > 0 && row.getTop() < list.getHeight()) {
                top = count == 0 ? row.getTop() : top;
                first = count == 0 ? list.getFirstVisiblePosition() + place : first;
                count++;
            }
        }
        Map<String, Object> rows = new LinkedHashMap<String, Object>();
        rows.put("first", first);
        rows.put("count", count);
        rows.put("top", top);
        return rows;
    }

    private static void add(List<Object> flags, String name, boolean set) {
        if (set) {
            flags.add(name);
        }
    }

    private static List<Object> pair(long first, long second) {
        List<Object> both = new ArrayList<Object>();
        both.add(first);
        both.add(second);
        return both;
    }

    private static int number(Map<String, Object> step, String name) {
        Object value = step.get(name);
        return value == null ? 0 : ((Number) value).intValue();
    }

    private static int point(Map<String, Object> step, int which) {
        return (int) coordinate(step, "at", which);
    }

    private static double coordinate(Map<String, Object> step, String name, int which) {
        return ((Number) ((List<?>) step.get(name)).get(which)).doubleValue();
    }
}
