package dev.handheld.helper.device;

/** What was brought to the front last. */
public final class Foreground {
    public final String packageName;
    /** The full class name. */
    public final String activity;

    public Foreground(String packageName, String activity) {
        this.packageName = packageName;
        this.activity = activity;
    }
}
