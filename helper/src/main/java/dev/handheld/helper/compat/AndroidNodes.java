package dev.handheld.helper.compat;

import android.graphics.Rect;
import android.os.Build;
import android.os.Bundle;
import android.os.SystemClock;
import android.view.Display;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeInfo.AccessibilityAction;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.util.Collections;

/**
 * Single views by their key, and the conversion of nodes to the protocol. Hidden members:
 * AccessibilityInteractionClient, AccessibilityCache and AccessibilityNodeInfo in
 * frameworks/base/core/java/android/view/accessibility/.
 */
final class AndroidNodes implements Nodes {
    static final String CLIENT = "android.view.accessibility.AccessibilityInteractionClient";
    private static final String NODE = "android.view.accessibility.AccessibilityNodeInfo";
    /** How long Android waits for an app; then it answers as if there were nothing. */
    private static final long SILENCE_MS = 5000;
    private static final long MARGIN_MS = 100;
    /** How long an app may take to send the descendants of a view after the view itself. */
    private static final long PREFETCH_MS = 30;

    static final Hidden INSTANCE =
            Hidden.method(Hidden.form(CLIENT, "getInstance", "the same in all versions"));
    static final Hidden FIND =
            Hidden.method(
                    Hidden.form(
                            CLIENT,
                            "findAccessibilityNodeInfoByAccessibilityId",
                            "the same in all versions",
                            "int",
                            "int",
                            "long",
                            "boolean",
                            "int",
                            "android.os.Bundle"));
    static final Hidden PATIENCE =
            Hidden.optionalField(
                    Hidden.form(
                            CLIENT,
                            "TIMEOUT_INTERACTION_MILLIS",
                            "the same in all versions; 5 s, of newer Samsung phones 2 s"));
    static final Hidden CACHE =
            Hidden.optionalField(
                    Hidden.form(CLIENT, "sAccessibilityCache", "until 32, of all connections"));
    static final Hidden CACHED =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.view.accessibility.AccessibilityCache",
                            "getNode",
                            "the same in all versions",
                            "int",
                            "long"));
    static final Hidden ROOT =
            Hidden.field(Hidden.form(NODE, "ROOT_NODE_ID", "the same in all versions"));
    static final Hidden SOURCE =
            Hidden.method(Hidden.form(NODE, "getSourceNodeId", "the same in all versions"));
    static final Hidden CHILD =
            Hidden.method(Hidden.form(NODE, "getChildId", "the same in all versions", "int"));

    static final Hidden CHECKED =
            Hidden.optionalMethod(Hidden.form(NODE, "getChecked", "since 36, not hidden"));
    /** AccessibilityNodeInfo.CHECKED_STATE_PARTIAL. */
    private static final int PARTLY = 2;

    private final AndroidAutomation automation;

    AndroidNodes(AndroidAutomation automation) {
        this.automation = automation;
    }

    @Override
    public Node find(String key) {
        AccessibilityNodeInfo info = fetch(key);
        return info == null ? null : describe(info, 0, 0);
    }

    private AccessibilityNodeInfo fetch(String key) {
        long began = SystemClock.uptimeMillis();
        String[] parts = key.split(":", -1);
        int window;
        long id;
        try {
            if (parts.length != 3) {
                return null;
            }
            window = Integer.parseInt(parts[0]);
            long view = Integer.parseInt(parts[1]);
            long virtual = Integer.parseInt(parts[2]);
            id = virtual << 32 | view & 0xFFFFFFFFL;
        } catch (NumberFormatException nobodys) {
            return null;
        }
        return requireAnswer(find(automation.connection(), window, id), began);
    }

    /** Past the cache, and without prefetching. */
    private static AccessibilityNodeInfo find(int connection, int window, long id) {
        return find(connection, window, id, true, 0);
    }

    private static AccessibilityNodeInfo find(
            int connection, int window, long id, boolean past, int fetch) {
        Object client = INSTANCE.call(null);
        return (AccessibilityNodeInfo)
                FIND.call(client, connection, window, id, past, fetch, null);
    }

    /**
     * Fetch a window's root with prefetching. Not AccessibilityWindowInfo.getRoot, which bypasses
     * the cache: since API 30 nothing is prefetched then. So the cache must have been cleared
     * before.
     *
     * <p>Since API 33 an app may answer a second request for the same view from what it has just
     * prefetched for the first one, and send the answer in a form that the client does not expect
     * after FLAG_PREFETCH_UNINTERRUPTIBLE (getSatisfiedRequestInPrefetch in
     * AccessibilityInteractionController): the client returns null. A third request cannot meet
     * the first one.
     */
    static AccessibilityNodeInfo root(int connection, int window, int prefetch) {
        long began = SystemClock.uptimeMillis();
        long root = (Long) ROOT.get(null);
        AccessibilityNodeInfo found = find(connection, window, root, false, prefetch);
        if (found == null && Build.VERSION.SDK_INT >= 33 && !isSilence(began)) {
            return find(connection, window, root, false, prefetch);
        }
        return found;
    }

    /**
     * Whether a child is cached, in which case the app need not be asked; true where that does not
     * matter.
     */
    static boolean isPrefetched(AccessibilityNodeInfo parent, int index) {
        boolean slow = Build.VERSION.SDK_INT == 31 || Build.VERSION.SDK_INT == 32;
        if (!slow || !CACHE.isThere() || !CACHED.isThere()) {
            return true;
        }
        long id = (Long) CHILD.call(parent, index);
        return CACHED.call(CACHE.get(null), parent.getWindowId(), id) != null;
    }

    /**
     * On API 31 and 32 an app sends the descendants of a view after the view itself
     * (AccessibilityInteractionController in frameworks/base/core/java/android/view/), and the next
     * request makes it stop. Returns whether they have arrived.
     */
    static boolean awaitPrefetched(AccessibilityNodeInfo parent) {
        long until = SystemClock.uptimeMillis() + PREFETCH_MS;
        boolean there = isPrefetched(parent, 0);
        while (!there && SystemClock.uptimeMillis() < until) {
            SystemClock.sleep(1);
            there = isPrefetched(parent, 0);
        }
        return there;
    }

    /** Fetch a child alone: the many prefetched with it may keep it from arriving. */
    static AccessibilityNodeInfo child(int connection, AccessibilityNodeInfo parent, int index) {
        long id = (Long) CHILD.call(parent, index);
        return find(connection, parent.getWindowId(), id);
    }

    /** Null for a view that is gone; a view of a hanging app may still exist, and throws. */
    static AccessibilityNodeInfo requireAnswer(AccessibilityNodeInfo found, long began) {
        if (found == null && isSilence(began)) {
            throw new Failure(Code.FAILED, "The app does not answer: it hangs or is very busy.");
        }
        return found;
    }

    private static boolean isSilence(long began) {
        long patience = PATIENCE.isThere() ? (Long) PATIENCE.get(null) : SILENCE_MS;
        return SystemClock.uptimeMillis() - began >= patience - MARGIN_MS;
    }

    @Override
    public Node focusedField() {
        automation.clearCache();
        int display = Displays.focused(automation.get());
        if (display != Display.DEFAULT_DISPLAY) {
            throw new Failure(Code.NO_FIELD, "The focus is on display " + display + ".")
                    .with("displays", Collections.singletonList(display));
        }
        AccessibilityNodeInfo info =
                automation.get().findFocus(AccessibilityNodeInfo.FOCUS_INPUT);
        return info == null || !info.isEditable() ? null : describe(info, 0, 0);
    }

    @Override
    public boolean perform(String key, Action action) {
        if (action == Action.IME_ENTER && Build.VERSION.SDK_INT < 30) {
            return false;
        }
        return perform(fetch(key), number(action), null);
    }

    /** A hanging app may still perform the action. */
    static boolean perform(AccessibilityNodeInfo info, int action, Bundle arguments) {
        long began = SystemClock.uptimeMillis();
        boolean done = info != null && info.performAction(action, arguments);
        if (!done && isSilence(began)) {
            String message = "The app has not answered: it hangs or is very busy.";
            throw new Failure(Code.FAILED, message, Happened.MAYBE);
        }
        return done;
    }

    static int number(Action action) {
        switch (action) {
            case CLICK:
                return AccessibilityNodeInfo.ACTION_CLICK;
            case LONG_CLICK:
                return AccessibilityNodeInfo.ACTION_LONG_CLICK;
            case SCROLL_FORWARD:
                return AccessibilityNodeInfo.ACTION_SCROLL_FORWARD;
            case SCROLL_BACKWARD:
                return AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD;
            case FOCUS:
                return AccessibilityNodeInfo.ACTION_FOCUS;
            case PASTE:
                return AccessibilityNodeInfo.ACTION_PASTE;
            case IME_ENTER:
                return android.R.id.accessibilityActionImeEnter;
            default:
                throw new AssertionError(action);
        }
    }

    @Override
    public boolean scrollTo(String key, int row, int column) {
        AccessibilityNodeInfo info = fetch(key);
        AccessibilityNodeInfo.AccessibilityAction action =
                AccessibilityNodeInfo.AccessibilityAction.ACTION_SCROLL_TO_POSITION;
        if (info == null || !info.getActionList().contains(action)) {
            return false;
        }
        Bundle arguments = new Bundle();
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_ROW_INT, row);
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_COLUMN_INT, column);
        return perform(info, action.getId(), arguments);
    }

    @Override
    public boolean setText(String key, String text) {
        Bundle arguments = new Bundle();
        arguments.putCharSequence(
                AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, text);
        return perform(fetch(key), AccessibilityNodeInfo.ACTION_SET_TEXT, arguments);
    }

    @Override
    public boolean setSelection(String key, int start, int end) {
        Bundle arguments = new Bundle();
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_START_INT, start);
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_END_INT, end);
        return perform(fetch(key), AccessibilityNodeInfo.ACTION_SET_SELECTION, arguments);
    }

    @Override
    public int[] selection(String key) {
        AccessibilityNodeInfo info = fetch(key);
        if (info == null) {
            return null;
        }
        return new int[] {info.getTextSelectionStart(), info.getTextSelectionEnd()};
    }

    @Override
    public boolean isMultiLine(String key) {
        AccessibilityNodeInfo info = fetch(key);
        return info != null && info.isMultiLine();
    }

    /** Convert a view. */
    static Node describe(AccessibilityNodeInfo info, int depth, int index) {
        Rect box = new Rect();
        info.getBoundsInScreen(box);
        return new Node(
                depth,
                index,
                key(info),
                text(info.getClassName()),
                text(info.getText()),
                text(info.getContentDescription()),
                info.getViewIdResourceName(),
                box.left,
                box.top,
                box.right,
                box.bottom,
                flags(info),
                info.getDrawingOrder());
    }

    static String key(AccessibilityNodeInfo info) {
        long id = (Long) SOURCE.call(info);
        return info.getWindowId() + ":" + (int) id + ":" + (int) (id >> 32);
    }

    private static String text(CharSequence value) {
        return value == null ? null : value.toString();
    }

    /** Where a scrollable view can be scrolled to. */
    private static int ways(AccessibilityNodeInfo info) {
        int ways = 0;
        for (AccessibilityAction action : info.getActionList()) {
            int id = action.getId();
            if (id == AccessibilityNodeInfo.ACTION_SCROLL_FORWARD) {
                ways |= Node.SCROLLS_FORWARD;
            } else if (id == AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD) {
                ways |= Node.SCROLLS_BACKWARD;
            } else if (id == android.R.id.accessibilityActionScrollUp) {
                ways |= Node.SCROLLS_UP;
            } else if (id == android.R.id.accessibilityActionScrollDown) {
                ways |= Node.SCROLLS_DOWN;
            } else if (id == android.R.id.accessibilityActionScrollLeft) {
                ways |= Node.SCROLLS_LEFT;
            } else if (id == android.R.id.accessibilityActionScrollRight) {
                ways |= Node.SCROLLS_RIGHT;
            }
        }
        return ways;
    }

    private static int flags(AccessibilityNodeInfo info) {
        int flags = 0;
        flags |= info.isVisibleToUser() ? Node.VISIBLE : 0;
        flags |= info.isClickable() ? Node.CLICKABLE : 0;
        flags |= info.isLongClickable() ? Node.LONG_CLICKABLE : 0;
        flags |= info.isFocusable() ? Node.FOCUSABLE : 0;
        flags |= info.isScrollable() ? Node.SCROLLABLE | ways(info) : 0;
        flags |= info.isEditable() ? Node.EDITABLE : 0;
        flags |= info.isEnabled() ? Node.ENABLED : 0;
        flags |= info.isCheckable() ? Node.CHECKABLE : 0;
        flags |= info.isChecked() ? Node.CHECKED : 0;
        flags |= info.isCheckable() && isPartlyChecked(info) ? Node.PARTLY_CHECKED : 0;
        flags |= info.isFocused() ? Node.FOCUSED : 0;
        flags |= info.isSelected() ? Node.SELECTED : 0;
        flags |= info.isPassword() ? Node.PASSWORD : 0;
        flags |= info.isShowingHintText() ? Node.SHOWING_HINT : 0;
        flags |= info.getCollectionInfo() != null ? Node.COLLECTION : 0;
        flags |= Build.VERSION.SDK_INT >= 28 && info.isHeading() ? Node.HEADING : 0;
        return flags | expansion(info);
    }

    private static boolean isPartlyChecked(AccessibilityNodeInfo info) {
        return CHECKED.isThere() && (Integer) CHECKED.call(info) == PARTLY;
    }

    /**
     * A view's actions tell whether it is expanded. A view that offers both actions, such as a
     * half-open sheet, is neither.
     */
    @SuppressWarnings("deprecation") // The list of actions would be copied for every view.
    private static int expansion(AccessibilityNodeInfo info) {
        switch (info.getActions()
                & (AccessibilityNodeInfo.ACTION_COLLAPSE | AccessibilityNodeInfo.ACTION_EXPAND)) {
            case AccessibilityNodeInfo.ACTION_COLLAPSE:
                return Node.EXPANDED;
            case AccessibilityNodeInfo.ACTION_EXPAND:
                return Node.COLLAPSED;
            default:
                return 0;
        }
    }
}
