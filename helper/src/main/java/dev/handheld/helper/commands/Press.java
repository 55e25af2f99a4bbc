package dev.handheld.helper.commands;

import dev.handheld.helper.device.Input;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Presses a system button. */
final class Press extends Command {
    private static final List<String> BUTTONS =
            Arrays.asList("back", "home", "recents", "notifications", "quick_settings");

    Press() {
        super("press", Lane.TOUCH, true, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "button");
        Arguments.word(with.get("button"), "button", BUTTONS);
    }

    @Override
    public Answer run(Job job) {
        String button = (String) job.with.get("button");
        Input.Button which = Input.Button.valueOf(button.toUpperCase(Locale.ROOT));
        if (!job.device.phone().isAwake()) {
            String message = "The screen is off: a button would have no effect.";
            throw new Failure(Code.FAILED, message + " Wake the phone first.");
        }
        if (!job.device.input().press(which)) {
            String message = "Android did not accept the button " + button + ".";
            throw new Failure(Code.FAILED, message);
        }
        return Answer.empty();
    }
}
