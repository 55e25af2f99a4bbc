package dev.handheld.helper.device;

import java.util.List;

/**
 * Injects touches and keys. Where Android or a vendor's setting forbids it: `input_refused`, with
 * the exception's message.
 */
public interface Input {
    int KEYCODE_ENTER = 66;
    int KEYCODE_DEL = 67;
    /** Switches the screen on, never off. */
    int KEYCODE_WAKEUP = 224;

    /** Actions of a finger. */
    enum Touch {
        DOWN,
        MOVE,
        UP,
        /**
         * For all pointers that are down, each of which must be listed: the gesture is cancelled.
         */
        CANCEL
    }

    /** System buttons and panels. */
    enum Button {
        BACK,
        HOME,
        RECENTS,
        NOTIFICATIONS,
        QUICK_SETTINGS
    }

    /** Throws `input_refused` where injecting is known to be forbidden. */
    void check();

    /**
     * Inject one event. Returns false when Android refused it: no window is there, or the event is
     * not consistent with the previous ones, whichever program sent them.
     *
     * @param changed the index in `down` of the finger it is about; -1 for CANCEL
     * @param down every finger on the screen, in the order of going down; one that goes up is still
     *     in it
     * @param downTime when the first of them went down, by {@link Clock#now}
     */
    boolean touch(Touch action, int changed, List<Pointer> down, double downTime);

    /**
     * Press and release a key. False when no window took it.
     *
     * @param meta the modifiers that are held, as in KeyEvent.getMetaState
     */
    boolean key(int keyCode, int meta);

    /**
     * Type one user-perceived character as key events. Returns false, with nothing done, when the
     * key map has no keys for it.
     */
    boolean type(String character);

    /** A global action; needs UiAutomation. False when Android did not accept it. */
    boolean press(Button button);
}
