package dev.handheld.helper.device;

import java.util.List;

/**
 * What fingers and keys do. Where Android, or a vendor's switch, forbids it: `input_refused`, with
 * the exception's words as the message.
 */
public interface Input {
    int KEYCODE_ENTER = 66;
    int KEYCODE_DEL = 67;
    /** Switches the screen on, never off. */
    int KEYCODE_WAKEUP = 224;

    /** What a finger does. */
    enum Touch {
        DOWN,
        MOVE,
        UP,
        /** Of all that are down, each of which must be named: the gesture is taken back. */
        CANCEL
    }

    /** The phone's own buttons and panels. */
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
     * Inject one event. False when Android refused it: no window is there, or the event does not
     * follow from those before it, whoever sent them.
     *
     * @param changed which of `down` it is about; -1 for CANCEL
     * @param down every finger on the screen, in the order in which they came down; one that goes
     *     up is still among them
     * @param downTime when the first of them came down, by {@link Clock#now}
     */
    boolean touch(Touch action, int changed, List<Pointer> down, double downTime);

    /** Press and release a key. False when no window took it. */
    boolean key(int keyCode);

    /**
     * Type what a person sees as one character as key events. False, with nothing done, when the
     * keyboard's map has no keys for it.
     */
    boolean type(String character);

    /** A global action; needs UiAutomation. False when Android did not accept it. */
    boolean press(Button button);
}
