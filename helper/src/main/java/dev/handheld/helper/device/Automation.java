package dev.handheld.helper.device;

/** Android's one UiAutomation. {@link Screen}, {@link Nodes} and parts of {@link Input} need it. */
public interface Automation {
    /**
     * Take it, leaving other accessibility services running. Called only when it is not held.
     * Another holder: `automation_held`, named in the message as far as it is known.
     */
    void take();

    /**
     * Release it. Called only when it is held. `failed` where Android refuses: it is then free once
     * this program has ended.
     */
    void release();
}
