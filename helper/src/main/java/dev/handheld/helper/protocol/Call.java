package dev.handheld.helper.protocol;

import java.util.Map;

/** A call that has no answer yet. Guarded by {@link Calls}. */
final class Call {
    final long number;
    final Command command;
    final Map<String, Object> with;
    final double deadline;
    final boolean wake;
    /** Null without one. */
    Rest then;
    /** Null while it waits. */
    Job job;

    Call(long number, Command command, Map<String, Object> with, double deadline, boolean wake) {
        this.number = number;
        this.command = command;
        this.with = with;
        this.deadline = deadline;
        this.wake = wake;
    }
}
