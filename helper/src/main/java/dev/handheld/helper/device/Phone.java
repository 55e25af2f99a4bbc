package dev.handheld.helper.device;

import java.util.List;

/** The phone itself. */
public interface Phone {
    /** The API level. */
    int api();

    /** The id of this boot: every restart has another. */
    String bootId();

    /** The user in front, whom every call that needs a user names. */
    int user();

    /** Whether a lock screen is between the user and the apps. */
    boolean isLocked();

    /** Whether the screen is on: PowerManager.isInteractive. */
    boolean isAwake();

    /** Switch the screen on without a key, not at once. False where Android refuses. */
    boolean wakeUp();

    /**
     * Keep the phone from falling asleep while calls are open; called once for the first and the
     * last. Where Android refuses a wake lock the calls run without it.
     */
    void stayUp(boolean up);

    /** Split into what people see as characters, by BreakIterator.getCharacterInstance. */
    List<String> characters(String text);

    /** One line for Android's log, under the tag Handheld. */
    void log(String message);
}
