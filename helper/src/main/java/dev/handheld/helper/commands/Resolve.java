package dev.handheld.helper.commands;

import dev.handheld.helper.device.Handler;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.List;
import java.util.Map;

/** Lists the components that accept an intent. */
final class Resolve extends Command {
    Resolve() {
        super("resolve", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(
                with, "type", "action", "data", "mime", "package", "class", "categories");
        IntentArguments.check(with);
        IntentArguments.checkSize(with);
    }

    @Override
    public Answer run(Job job) {
        List<Handler> found = job.device.intents().find(IntentArguments.read(job.with));
        return Answer.of("handlers", IntentArguments.describe(found))
                .and("more", IntentArguments.more(found));
    }
}
