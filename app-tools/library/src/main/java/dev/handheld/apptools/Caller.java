package dev.handheld.apptools;

/** Who calls a tool, as far as Android tells. */
public final class Caller {
    /** Of Android, for each user. */
    private static final int USER_RANGE = 100_000;

    private static final int ROOT = 0;
    private static final int SHELL = 2000;
    static final int UNKNOWN = -1;

    /** Its uid, as Binder has it; -1 where Android does not tell. */
    public final int uid;
    /** Its process; -1 where Android does not tell. */
    public final int pid;
    /** Its package; null where Android does not tell, or knows several. */
    public final String packageName;

    Caller(int uid, int pid, String packageName) {
        this.uid = uid;
        this.pid = pid;
        this.packageName = packageName;
    }

    /** Whether Android tells who it is. */
    public boolean isKnown() {
        return uid != UNKNOWN;
    }

    /** Whether it is adb's shell, as which Handheld calls. */
    public boolean isShell() {
        int own = uid % USER_RANGE;
        return own == SHELL || own == ROOT;
    }

    @Override
    public String toString() {
        return isKnown() ? "uid " + uid + (packageName == null ? "" : ", " + packageName) : "?";
    }
}
