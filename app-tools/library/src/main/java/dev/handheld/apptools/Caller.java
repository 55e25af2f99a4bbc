package dev.handheld.apptools;

/** The caller of a tool, as far as Android reports it. */
public final class Caller {
    /** Of Android, for each user. */
    private static final int USER_RANGE = 100_000;

    private static final int ROOT = 0;
    private static final int SHELL = 2000;
    static final int UNKNOWN = -1;

    /** Its uid, from Binder; -1 if Android does not report it. */
    public final int uid;
    /** Its process; -1 if Android does not report it. */
    public final int pid;
    /** Its package; null if Android does not report it, or knows several. */
    public final String packageName;

    Caller(int uid, int pid, String packageName) {
        this.uid = uid;
        this.pid = pid;
        this.packageName = packageName;
    }

    /** Whether Android reports its identity. */
    public boolean isKnown() {
        return uid != UNKNOWN;
    }

    /** Whether it is adb's shell, the identity that Handheld calls with. */
    public boolean isShell() {
        int own = uid % USER_RANGE;
        return own == SHELL || own == ROOT;
    }

    @Override
    public String toString() {
        return isKnown() ? "uid " + uid + (packageName == null ? "" : ", " + packageName) : "?";
    }
}
