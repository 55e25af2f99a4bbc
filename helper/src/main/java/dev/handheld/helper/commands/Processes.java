package dev.handheld.helper.commands;

import dev.handheld.helper.device.Apps;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Collections;
import java.util.Map;

/** Reports an app's uid and processes. */
final class Processes extends Command {
    /** Below it, Android's own code shares the uid. */
    private static final int FIRST_APP_UID = 10_000;
    private static final int USERS_APART = 100_000;

    Processes() {
        super("processes", Lane.WORK, false, false);
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
        Integer uid = apps.uid(name);
        if (uid == null) {
            return Answer.of("uid", null).and("shared", false).and("pids", Collections.EMPTY_LIST);
        }
        boolean system = uid % USERS_APART < FIRST_APP_UID;
        return Answer.of("uid", uid)
                .and("shared", system || apps.packagesOf(uid) > 1)
                .and("pids", apps.pids(name));
    }
}
