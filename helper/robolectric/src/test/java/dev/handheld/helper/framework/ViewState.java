package dev.handheld.helper.framework;

import android.view.View;
import android.widget.AbsListView;
import android.widget.Checkable;
import android.widget.ProgressBar;
import android.widget.TextView;
import java.util.Locale;
import java.util.Map;

/** What a view is like, asked of the view itself. */
final class ViewState {
    private ViewState() {}

    static void describe(View view, Map<String, Object> state) {
        // As the view calls itself to accessibility: an AutoCompleteTextView is an EditText at first.
        state.put("class", String.valueOf(view.getAccessibilityClassName()));
        int[] at = new int[2];
        view.getLocationOnScreen(at);
        state.put(
                "bounds",
                String.format(
                        Locale.ROOT,
                        "%d,%d,%d,%d",
                        at[0],
                        at[1],
                        at[0] + view.getWidth(),
                        at[1] + view.getHeight()));
        state.put("focused", view.isFocused());
        state.put("enabled", view.isEnabled());
        state.put("selected", view.isSelected());
        state.put("scroll", (long) view.getScrollY());
        if (view instanceof TextView) {
            TextView field = (TextView) view;
            state.put("text", field.getText().toString());
            state.put("start", (long) field.getSelectionStart());
            state.put("end", (long) field.getSelectionEnd());
        }
        if (view instanceof Checkable) {
            state.put("checked", ((Checkable) view).isChecked());
        }
        if (view instanceof ProgressBar) {
            state.put("progress", (long) ((ProgressBar) view).getProgress());
        }
        if (view instanceof AbsListView) {
            AbsListView list = (AbsListView) view;
            state.put("first", (long) list.getFirstVisiblePosition());
            state.put("last", (long) list.getLastVisiblePosition());
        }
    }
}
