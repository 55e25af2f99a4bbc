package android.app;

/** In place of Android's, which asks the system. */
public class ActivityManager {
    public static int getCurrentUser() {
        return 0;
    }
}
