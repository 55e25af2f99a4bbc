package dev.handheld.helper.commands;

import dev.handheld.helper.device.App;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The installed apps. */
final class Packages extends Command {
    private static final List<String> KINDS = Arrays.asList("all", "user", "system");

    Packages() {
        super("packages", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "kind");
        Arguments.word(with.get("kind"), "kind", KINDS);
    }

    @Override
    public Answer run(Job job) {
        Object kind = job.with.get("kind");
        List<Object> told = new ArrayList<Object>();
        for (App app : job.device.apps().packages()) {
            if (!kind.equals("all") && app.system != kind.equals("system")) {
                continue;
            }
            Map<String, Object> said = new LinkedHashMap<String, Object>();
            said.put("package", app.packageName);
            said.put("label", app.label);
            said.put("version_name", app.versionName);
            said.put("version_code", app.versionCode);
            said.put("system", app.system);
            told.add(said);
        }
        return Answer.of("packages", told);
    }
}
