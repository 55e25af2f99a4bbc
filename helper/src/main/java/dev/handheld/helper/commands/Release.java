package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Releases UiAutomation. */
final class Release extends Command {
    Release() {
        super("release", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with);
    }

    @Override
    public Answer run(Job job) {
        return Answer.of("released", job.hold.release());
    }
}
