package dev.handheld.helper.protocol;

import java.util.Map;

/** A command of the protocol. */
public abstract class Command {
    public final String name;
    final Lane lane;
    final boolean needsAutomation;
    /**
     * Whether it acts on the screen: it then switches it on first if the call has `wake`, and reads
     * it afterwards if it has `then`.
     */
    final boolean wakes;

    protected Command(String name, Lane lane, boolean needsAutomation, boolean wakes) {
        this.name = name;
        this.lane = lane;
        this.needsAutomation = needsAutomation;
        this.wakes = wakes;
    }

    /** Reject malformed arguments before the call is queued: `bad_call`. */
    public abstract void check(Map<String, Object> with);

    /** Run it. Every wait goes through the job. */
    public abstract Answer run(Job job);
}
