package dev.handheld.helper.compat;

import android.app.UiAutomation;
import android.os.Build;
import android.util.SparseArray;
import android.view.Display;
import android.view.accessibility.AccessibilityWindowInfo;
import java.util.List;

/** The displays other than the phone's own. Accessibility reports them since API 30. */
final class Displays {
    private Displays() {}

    /**
     * The only display whose window has the input focus, and which therefore receives keys
     * (com.android.server.wm.DisplayContent.findFocusedWindowIfNeeded); the phone's own if no
     * window of another display has it.
     */
    static int focused(UiAutomation held) {
        if (Build.VERSION.SDK_INT < 30) {
            return Display.DEFAULT_DISPLAY;
        }
        SparseArray<List<AccessibilityWindowInfo>> all = held.getWindowsOnAllDisplays();
        for (int place = 0; place < all.size(); place++) {
            if (all.keyAt(place) == Display.DEFAULT_DISPLAY) {
                continue;
            }
            for (AccessibilityWindowInfo window : all.valueAt(place)) {
                if (window.isFocused()) {
                    return all.keyAt(place);
                }
            }
        }
        return Display.DEFAULT_DISPLAY;
    }
}
