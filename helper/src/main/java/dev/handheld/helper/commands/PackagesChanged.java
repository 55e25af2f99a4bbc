package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Reports packages that were installed, updated or removed since a sequence number. */
final class PackagesChanged extends Command {
    PackagesChanged() {
        super("packages_changed", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "after");
        Arguments.whole(with.get("after"), "after", 1L << 31);
    }

    @Override
    public Answer run(Job job) {
        long after = (Long) job.with.get("after");
        int sequence = job.device.offers().sequence();
        List<String> names = null;
        // A sequence from before the phone restarted cannot be compared with this one.
        if (after <= sequence) {
            names = job.device.offers().changedSince((int) after);
        }
        List<String> once = names == null ? null : new ArrayList<String>(new TreeSet<>(names));
        return Answer.of("sequence", sequence).and("packages", once);
    }
}
