package dev.handheld.helper.device;

import java.util.List;

/** The phone itself. */
public interface Phone {
    /** The API level. */
    int api();

    /** Of this boot: another one after every restart. */
    String bootId();

    /** The user in front. Every call that is bound to a user names this one. */
    int user();

    /** Whether a lock screen is between the user and the apps. */
    boolean isLocked();

    /** Whether the screen is on: PowerManager.isInteractive. */
    boolean isAwake();

    /** Switch the screen on, without a key; it comes on later. False where Android refuses. */
    boolean wakeUp();

    /**
     * Keep the phone from falling asleep while calls are open; called once for the first and the
     * last. Where Android refuses a wake lock the calls run without it.
     */
    void stayUp(boolean up);

    /** The text in what people see as characters, by BreakIterator.getCharacterInstance. */
    List<String> characters(String text);

    /** One line for Android's log, under the tag Handheld. */
    void log(String message);
}
