package dev.handheld.helper.framework;

import android.content.Context;
import android.graphics.Rect;
import android.os.Bundle;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;

/** One view that draws itself and has children for accessibility alone, as a game board may. */
final class VirtualChildren extends View {
    private static final int COUNT = 3;

    VirtualChildren(Context context) {
        super(context);
    }

    @Override
    public AccessibilityNodeProvider getAccessibilityNodeProvider() {
        return new Provider();
    }

    private final class Provider extends AccessibilityNodeProvider {
        @Override
        @SuppressWarnings("deprecation") // The older way to make one works on every release.
        public AccessibilityNodeInfo createAccessibilityNodeInfo(int child) {
            View board = VirtualChildren.this;
            if (child == HOST_VIEW_ID) {
                AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain(board);
                onInitializeAccessibilityNodeInfo(info);
                for (int one = 0; one < COUNT; one++) {
                    info.addChild(board, one);
                }
                return info;
            }
            AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain(board, child);
            info.setParent(board);
            info.setPackageName(getContext().getPackageName());
            info.setClassName("android.widget.Button");
            info.setText("Field " + child);
            int[] at = new int[2];
            getLocationOnScreen(at);
            int width = getWidth() / COUNT;
            info.setBoundsInScreen(
                    new Rect(
                            at[0] + child * width,
                            at[1],
                            at[0] + (child + 1) * width,
                            at[1] + getHeight()));
            info.setVisibleToUser(true);
            info.setEnabled(true);
            info.setClickable(true);
            info.addAction(AccessibilityNodeInfo.AccessibilityAction.ACTION_CLICK);
            return info;
        }

        @Override
        public boolean performAction(int child, int action, Bundle arguments) {
            if (action != AccessibilityNodeInfo.ACTION_CLICK || child == HOST_VIEW_ID) {
                return false;
            }
            Page.log("field " + child);
            return true;
        }
    }
}
