package dev.handheld.helper.device;

/** A component that takes an intent. */
public final class Handler {
    public final String packageName;
    /** Fully qualified. */
    public final String className;
    /** Its app's, in the phone's language. */
    public final String label;
    /** Whether it receives the intent without a question to the owner. */
    public final boolean chosen;
    /**
     * For a receiver: why the shell may not reach it, in the words that Android uses for
     * activities; null if it may. For other components, Android says so when they are started.
     */
    public final String denial;

    public Handler(
            String packageName, String className, String label, boolean chosen, String denial) {
        this.packageName = packageName;
        this.className = className;
        this.label = label;
        this.chosen = chosen;
        this.denial = denial;
    }

    /** In Android's notation. */
    public String component() {
        boolean own = className.startsWith(packageName + ".");
        return packageName + "/" + (own ? className.substring(packageName.length()) : className);
    }
}
