package dev.handheld.helper.compat;

import android.app.UiAutomation;
import android.os.Build;
import android.util.SparseArray;
import android.view.Display;
import android.view.accessibility.AccessibilityWindowInfo;
import java.util.List;

/** The displays beside the phone's own: accessibility tells of them since API 30. */
final class Displays {
    private Displays() {}

    /**
     * The display whose window has the input focus, which keys go to and which there is only one of
     * (com.android.server.wm.DisplayContent.findFocusedWindowIfNeeded), or the phone's own if none
     * of another has it.
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
