package dev.handheld.helper.device;

/** The component that was last brought to the front. */
public final class Foreground {
    public final String packageName;
    /** The full class name. */
    public final String activity;
    /** The package that began its task; null if unknown. */
    public final String begunBy;
    /** Android's user, if it is not the current one; null for the current user or if unknown. */
    public final Integer user;

    public Foreground(String packageName, String activity, String begunBy, Integer user) {
        this.packageName = packageName;
        this.activity = activity;
        this.begunBy = begunBy;
        this.user = user;
    }
}
