package dev.handheld.helper.device;

import java.util.Arrays;

/** One view, as an accessibility service reads it. Absent strings are null. */
public final class Node {
    // The numbers travel in the protocol: never renumber (screen.model.Flag).
    public static final int VISIBLE = 1;
    public static final int CLICKABLE = 2;
    public static final int LONG_CLICKABLE = 4;
    public static final int FOCUSABLE = 8;
    public static final int SCROLLABLE = 16;
    public static final int EDITABLE = 32;
    public static final int ENABLED = 64;
    public static final int CHECKABLE = 128;
    public static final int CHECKED = 256;
    public static final int FOCUSED = 512;
    public static final int SELECTED = 1024;
    public static final int PASSWORD = 2048;
    /** `text` is the field's hint, not its content. */
    public static final int SHOWING_HINT = 4096;
    /** Has collection info: its direct children are rows of a list or grid. */
    public static final int COLLECTION = 8192;
    /** Can be collapsed, and not expanded further. */
    public static final int EXPANDED = 16384;
    /** Can be expanded, and not collapsed further. */
    public static final int COLLAPSED = 32768;
    /** Begins a section. Since API 28. */
    public static final int HEADING = 1 << 16;
    /** Checkable, and neither checked nor unchecked. Since API 36. */
    public static final int PARTLY_CHECKED = 1 << 17;
    /** Scrollable, and offers ACTION_SCROLL_UP and so on; not every such view does. */
    public static final int SCROLLS_UP = 1 << 18;
    public static final int SCROLLS_DOWN = 1 << 19;
    public static final int SCROLLS_LEFT = 1 << 20;
    public static final int SCROLLS_RIGHT = 1 << 21;
    /** Scrollable, and not at its end. */
    public static final int SCROLLS_FORWARD = 1 << 24;
    /** Scrollable, and not at its beginning. */
    public static final int SCROLLS_BACKWARD = 1 << 25;

    private static final char BULLET = '\u2022';

    /** 0 for the window's root. */
    public final int depth;
    /** Position in Android's child list, where missing children leave gaps. */
    public final int index;
    /** `window:view:virtual`. */
    public final String key;
    public final String className;
    public final String text;
    public final String description;
    public final String resourceId;
    public final int left;
    public final int top;
    public final int right;
    public final int bottom;
    public final int flags;
    /** Higher than that of siblings drawn earlier; 0 if unknown. */
    public final int drawingOrder;

    public Node(
            int depth,
            int index,
            String key,
            String className,
            String text,
            String description,
            String resourceId,
            int left,
            int top,
            int right,
            int bottom,
            int flags,
            int drawingOrder) {
        this.depth = depth;
        this.index = index;
        this.key = key;
        this.className = className;
        this.text = is(flags, PASSWORD) && !is(flags, SHOWING_HINT) ? mask(text) : text;
        this.description = description;
        this.resourceId = resourceId;
        this.left = left;
        this.top = top;
        this.right = right;
        this.bottom = bottom;
        this.flags = flags;
        this.drawingOrder = drawingOrder;
    }

    public boolean is(int flag) {
        return is(flags, flag);
    }

    private static boolean is(int flags, int flag) {
        return (flags & flag) != 0;
    }

    /** Android shows the last character of a password for a moment, also to us. */
    private static String mask(String password) {
        if (password == null) {
            return null;
        }
        char[] bullets = new char[password.length()];
        Arrays.fill(bullets, BULLET);
        return new String(bullets);
    }
}
