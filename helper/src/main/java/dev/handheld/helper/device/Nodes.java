package dev.handheld.helper.device;

/** Single views by their key, always past the cache. Needs UiAutomation. */
public interface Nodes {
    /** What {@link #perform} can do. */
    enum Action {
        CLICK,
        LONG_CLICK,
        SCROLL_FORWARD,
        SCROLL_BACKWARD,
        FOCUS,
        PASTE,
        /** ACTION_IME_ENTER; false below API 30, where there is none. */
        IME_ENTER
    }

    /** Null when no view has the key any more. Depth and index may be 0. */
    Node find(String key);

    /**
     * The editable view that has the input focus in the focused window, or null. While a window of
     * another display has the focus: `no_field` with `displays`.
     */
    Node focusedField();

    /**
     * Return the view's answer; false also when it is gone. Views answer false for a focus that
     * they have already, and some answer true before they have done anything.
     */
    boolean perform(String key, Action action);

    /** ACTION_SCROLL_TO_POSITION; false also for a view that does not offer it. */
    boolean scrollTo(String key, int row, int column);

    /** ACTION_SET_TEXT, which replaces everything. Answers as {@link #perform} does. */
    boolean setText(String key, String text);

    /** ACTION_SET_SELECTION, in UTF-16 units. False for a cursor that is there already. */
    boolean setSelection(String key, int start, int end);

    /** Start and end of the selection in UTF-16 units, -1 for none; null when the view is gone. */
    int[] selection(String key);

    /** Whether it is a multi-line field. */
    boolean isMultiLine(String key);
}
