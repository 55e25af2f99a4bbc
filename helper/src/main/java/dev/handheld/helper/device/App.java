package dev.handheld.helper.device;

/** An installed app. */
public final class App {
    public final String packageName;
    /** In the phone's language. */
    public final String label;
    /** Null if it has none. */
    public final String versionName;
    public final long versionCode;
    public final boolean system;

    public App(
            String packageName,
            String label,
            String versionName,
            long versionCode,
            boolean system) {
        this.packageName = packageName;
        this.label = label;
        this.versionName = versionName;
        this.versionCode = versionCode;
        this.system = system;
    }
}
