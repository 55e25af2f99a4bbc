package dev.handheld.apptools;

/** Thrown by a tool that cannot carry out a call. The message is for the agent. */
public final class ToolFailed extends Exception {
    private static final long serialVersionUID = 1;

    /**
     * @param message a sentence that says what is wrong, and what to do instead
     */
    public ToolFailed(String message) {
        super(message);
    }
}
