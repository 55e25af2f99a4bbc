package dev.handheld.helper.device;

/** What was brought to the front last. */
public final class Foreground {
    public final String packageName;
    /** The full class name. */
    public final String activity;
    /** The package that began the task it is in; null where that is not known. */
    public final String begunBy;
    /** Android's user, if it is another than the current one; else, and if not known, null. */
    public final Integer user;

    public Foreground(String packageName, String activity, String begunBy, Integer user) {
        this.packageName = packageName;
        this.activity = activity;
        this.begunBy = begunBy;
        this.user = user;
    }
}
