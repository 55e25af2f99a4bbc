package dev.handheld.helper.device;

/** A toast, or a new notification. */
public final class Notice {
    /** In ms, each later than the one before, also after a restart of this program. */
    public final long at;
    /** Whether it is a toast. */
    public final boolean toast;

    public final String packageName;
    /** Null for a toast. */
    public final String title;

    public final String text;

    public Notice(long at, boolean toast, String packageName, String title, String text) {
        this.at = at;
        this.toast = toast;
        this.packageName = packageName;
        this.title = title;
        this.text = text;
    }
}
