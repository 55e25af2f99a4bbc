package dev.handheld.helper.commands;

import dev.handheld.helper.device.Apps;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Stops an app in the background. */
final class Stop extends Command {
    /** How long an app may take to stop. */
    private static final int STOP_MS = 3000;
    private static final double LOOK_MS = 50;

    Stop() {
        super("stop", Lane.TOUCH, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "package");
        Arguments.text(with.get("package"), "package");
    }

    @Override
    public Answer run(Job job) {
        String name = (String) job.with.get("package");
        Apps apps = job.device.apps();
        if (apps.uid(name) == null) {
            throw new Failure(Code.NOT_INSTALLED, name + " is not installed.");
        }
        if (apps.isInFront(name)) {
            throw new Failure(Code.IN_FRONT, name + " is in the foreground.");
        }
        List<Integer> before = apps.pids(name);
        apps.stop(name);
        job.happened(Happened.PARTLY);
        double until = job.device.clock().now() + STOP_MS;
        List<Integer> now = apps.pids(name);
        while (!Collections.disjoint(before, now)) {
            if (job.device.clock().now() >= until) {
                String late = " was told to stop, but its process still runs " + STOP_MS;
                throw new Failure(Code.FAILED, name + late + " ms later.", Happened.PARTLY);
            }
            job.sleep(LOOK_MS);
            now = apps.pids(name);
        }
        boolean running = !before.isEmpty();
        return Answer.of("was_running", running).and("restarted", running && !now.isEmpty());
    }
}
