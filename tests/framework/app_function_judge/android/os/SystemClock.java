package android.os;

/** In place of Android's, which needs native code. */
public final class SystemClock {
    private SystemClock() {}

    public static long elapsedRealtime() {
        return 1000;
    }

    public static long uptimeMillis() {
        return 1000;
    }
}
