package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import java.util.Map;

/** Waits until something changes on the screen. */
final class Changed extends Command {
    Changed() {
        super("changed", Lane.WORK, true, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "after", "within_ms");
        Arguments.whole(with.get("after"), "after", 1L << 53);
        Arguments.whole(with.get("within_ms"), "within_ms", Limits.BUDGET_MS);
    }

    @Override
    public Answer run(Job job) {
        long after = (Long) job.with.get("after");
        return Answer.of("seq", await(job, after, (Long) job.with.get("within_ms")));
    }

    /** Wait until the count exceeds `after`, or for that long; return the count. */
    static long await(Job job, long after, long withinMs) {
        return job.awaitChange(after, job.device.clock().now() + withinMs);
    }
}
