package dev.handheld.helper.commands;

import dev.handheld.helper.device.AppDetails;
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

/** The package manager's details of one app. */
final class AppInfo extends Command {
    AppInfo() {
        super("app_info", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "package");
        Arguments.text(with.get("package"), "package");
    }

    @Override
    public Answer run(Job job) {
        AppDetails told = job.device.apps().details((String) job.with.get("package"));
        return Answer.of("app", told == null ? null : fields(told));
    }

    private static Map<String, Object> fields(AppDetails told) {
        Map<String, Object> fields = new LinkedHashMap<String, Object>();
        fields.put("package", told.app.packageName);
        fields.put("label", told.app.label);
        fields.put("version_name", told.app.versionName);
        fields.put("version_code", told.app.versionCode);
        fields.put("system", told.app.system);
        fields.put("enabled", told.enabled);
        fields.put("debuggable", told.debuggable);
        fields.put("min_sdk", told.minSdk);
        fields.put("target_sdk", told.targetSdk);
        fields.put("installer", told.installer);
        fields.put("installed_at", told.installedAt);
        fields.put("updated_at", told.updatedAt);
        fields.put("signer", told.signer);
        fields.put("sizes", sizes(told.sizes));
        List<Object> permissions = new ArrayList<Object>();
        for (AppDetails.Permission one : told.permissions) {
            permissions.add(Arrays.<Object>asList(one.name, one.granted, one.runtime));
        }
        fields.put("permissions", permissions);
        return fields;
    }

    private static List<Object> sizes(long[] bytes) {
        return bytes == null ? null : Arrays.<Object>asList(bytes[0], bytes[1], bytes[2]);
    }
}
