package dev.handheld.helper.device;

import java.util.List;

/** The apps of the current user. */
public interface Apps {
    /**
     * All apps of a user, null for the current one, with the system's. `failed` if Android refuses.
     */
    List<App> packages(Integer user);

    /** Null when it is not installed. */
    Integer uid(String packageName);

    /** The number of packages with that uid. */
    int packagesOf(int uid);

    /** The package's running processes. */
    List<Integer> pids(String packageName);

    /** Null when it is not installed. */
    AppDetails details(String packageName);

    /** Whether it has a window on the screen. */
    boolean isInFront(String packageName);

    /**
     * Bring its launcher activity to the front, without waiting for it. `not_installed`,
     * `not_launchable`, or `failed` where Android refuses; nothing was started then.
     */
    void launch(String packageName);

    /** Close the notification shade and quick settings, if they are open. */
    void closePanels();

    /** Force-stop it, without waiting for it. */
    void stop(String packageName);
}
