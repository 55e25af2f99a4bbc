package dev.handheld.helper.device;

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

    /** Whether the screen is on. */
    boolean isAwake();

    /** Keep the processor running while calls are open; told once for the first and the last. */
    void stayUp(boolean up);

    /** One line for Android's log, under the tag Handheld. */
    void log(String message);
}
