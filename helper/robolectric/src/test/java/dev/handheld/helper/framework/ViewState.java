package dev.handheld.helper.framework;

import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.AbsListView;
import android.widget.Checkable;
import android.widget.DatePicker;
import android.widget.NumberPicker;
import android.widget.ProgressBar;
import android.widget.Spinner;
import android.widget.TextView;
import android.widget.TimePicker;
import java.util.ArrayList;
import java.util.List;
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
        if (view instanceof DatePicker) {
            DatePicker date = (DatePicker) view;
            state.put("month", (long) date.getMonth() + 1);
            state.put("day", (long) date.getDayOfMonth());
        }
        if (view instanceof TimePicker) {
            state.put("hour", (long) ((TimePicker) view).getHour());
            state.put("minute", (long) ((TimePicker) view).getMinute());
        }
        if (view instanceof NumberPicker) {
            state.put("value", (long) ((NumberPicker) view).getValue());
        }
        if (view instanceof Spinner) {
            state.put("chosen", (long) ((Spinner) view).getSelectedItemPosition());
        }
        AccessibilityNodeInfo.CollectionInfo rows =
                view.createAccessibilityNodeInfo().getCollectionInfo();
        if (rows != null) {
            state.put("rows", (long) rows.getRowCount());
            state.put("columns", (long) rows.getColumnCount());
        }
        if (view instanceof AbsListView) {
            AbsListView list = (AbsListView) view;
            state.put("first", (long) list.getFirstVisiblePosition());
            state.put("last", (long) list.getLastVisiblePosition());
            List<Object> places = new ArrayList<Object>();
            for (int child = 0; child < Math.min(5, list.getChildCount()); child++) {
                AccessibilityNodeInfo.CollectionItemInfo item =
                        list.getChildAt(child)
                                .createAccessibilityNodeInfo()
                                .getCollectionItemInfo();
                if (item != null) {
                    places.add(item.getRowIndex() + "," + item.getColumnIndex());
                }
            }
            state.put("places", places);
        }
    }
}
