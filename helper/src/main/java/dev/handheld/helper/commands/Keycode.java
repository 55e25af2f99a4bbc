package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Presses a key in whatever has the focus, with modifiers held. */
final class Keycode extends Command {
    private static final int LAST_CODE = 1023;
    private static final int LAST_META = 0xFFFFFF;

    Keycode() {
        super("keycode", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "code", "meta");
        Arguments.whole(with.get("code"), "code", LAST_CODE);
        Arguments.whole(with.get("meta"), "meta", LAST_META);
    }

    @Override
    public Answer run(Job job) {
        job.device.input().check();
        int code = ((Number) job.with.get("code")).intValue();
        int meta = ((Number) job.with.get("meta")).intValue();
        if (!job.device.input().key(code, meta)) {
            throw new Failure(Code.FAILED, "No window took the key.", Happened.MAYBE);
        }
        return Answer.empty();
    }
}
