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
        Arguments.keys(with, "kind", "user");
        Arguments.word(with.get("kind"), "kind", KINDS);
        if (with.get("user") != null) {
            Arguments.whole(with.get("user"), "user", Integer.MAX_VALUE);
        }
    }

    @Override
    public Answer run(Job job) {
        Object kind = job.with.get("kind");
        Long user = (Long) job.with.get("user");
        List<Object> packages = new ArrayList<Object>();
        for (App app : job.device.apps().packages(user == null ? null : user.intValue())) {
            if (!kind.equals("all") && app.system != kind.equals("system")) {
                continue;
            }
            Map<String, Object> fields = new LinkedHashMap<String, Object>();
            fields.put("package", app.packageName);
            fields.put("label", app.label);
            fields.put("version_name", app.versionName);
            fields.put("version_code", app.versionCode);
            fields.put("system", app.system);
            packages.add(fields);
        }
        return Answer.of("packages", packages);
    }
}
