package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads the clipboard, or sets it. */
final class Clipboard extends Command {
    private static final List<String> QUIETLY =
            Arrays.asList(dev.handheld.helper.device.Clipboard.NO_OVERLAY);

    Clipboard() {
        super("clipboard", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "set");
        Object text = with.get("set");
        if (text == null) {
            return;
        }
        if (!(text instanceof String)) {
            throw Arguments.bad("`set` is not null or a string.");
        }
        if (((String) text).length() > Limits.CLIPBOARD) {
            throw Arguments.bad("`set` has more than " + Limits.CLIPBOARD + " UTF-16 units.");
        }
    }

    @Override
    public Answer run(Job job) {
        String text = (String) job.with.get("set");
        if (text != null) {
            job.device.clipboard().set(text, QUIETLY);
            return Answer.empty();
        }
        if (job.device.phone().isLocked()) {
            // Android answers as if it were empty, which would be false.
            String message = "The phone is locked: Android shows the clipboard to nobody.";
            throw new Failure(Code.LOCKED, message);
        }
        return Answer.of("text", job.device.clipboard().text());
    }
}
