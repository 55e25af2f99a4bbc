package dev.handheld.helper.protocol;

import java.util.Map;

/** One of the words that a host may say. */
public abstract class Command {
    public final String name;
    final Lane lane;
    final boolean needsAutomation;
    /** Whether it switches on a screen that is off, when it is told to. */
    final boolean wakes;

    protected Command(String name, Lane lane, boolean needsAutomation, boolean wakes) {
        this.name = name;
        this.lane = lane;
        this.needsAutomation = needsAutomation;
        this.wakes = wakes;
    }

    /** Refuse malformed arguments before the call is queued: `bad_call`. */
    public abstract void check(Map<String, Object> with);

    /** Do it. What it waits for, it waits for through the job. */
    public abstract Answer run(Job job);
}
