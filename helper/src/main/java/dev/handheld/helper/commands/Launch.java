package dev.handheld.helper.commands;

import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Brings an app to the front. */
final class Launch extends Command {
    Launch() {
        super("launch", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "package");
        Arguments.text(with.get("package"), "package");
    }

    @Override
    public Answer run(Job job) {
        String name = (String) job.with.get("package");
        if (job.device.phone().isLocked()) {
            String message = "The phone is locked: an app would start out of sight.";
            throw new Failure(Code.LOCKED, message);
        }
        job.device.apps().launch(name);
        job.mindBudget(true);
        job.happened(Happened.PARTLY);
        job.device.apps().closePanels(); // it would cover the app and keep the focus
        Foreground front = Front.await(job, name, job.actUntil());
        if (Front.isOf(name, front)) {
            return Answer.of("package", front.packageName).and("activity", front.activity);
        }
        String there = front == null ? "" : " " + front.packageName + " is there.";
        String message = name + " was started but did not come to the front in time." + there;
        throw new Failure(Code.FAILED, message, Happened.PARTLY);
    }
}
