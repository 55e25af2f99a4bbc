package dev.handheld.helper.compat;

import android.content.res.Configuration;
import android.os.LocaleList;
import dev.handheld.helper.device.Locales;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.List;

/**
 * The languages of the system, set as its own settings do it
 * (frameworks/base/core/java/com/android/internal/app/LocalePicker.java). The shell holds the
 * permissions CHANGE_CONFIGURATION and WRITE_SETTINGS that this needs.
 */
final class AndroidLocales implements Locales {
    private static final String ACTIVITIES = "android.app.IActivityManager";

    static final Hidden CONFIGURATION =
            Hidden.method(
                    Hidden.form(ACTIVITIES, "getConfiguration", "the same in all versions"));
    static final Hidden UPDATE =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "updatePersistentConfigurationWithAttribution",
                            "since 31",
                            "android.content.res.Configuration",
                            "java.lang.String",
                            "java.lang.String"),
                    Hidden.form(
                            ACTIVITIES,
                            "updatePersistentConfiguration",
                            "until 30",
                            "android.content.res.Configuration"));
    static final Hidden CHOSEN =
            Hidden.field(
                    Hidden.form(
                            "android.content.res.Configuration",
                            "userSetLocale",
                            "the same in all versions"));

    @Override
    public List<String> get() {
        LocaleList locales = configuration().getLocales();
        List<String> tags = new ArrayList<String>();
        for (int one = 0; one < locales.size(); one++) {
            tags.add(locales.get(one).toLanguageTag());
        }
        return tags;
    }

    private static Configuration configuration() {
        return (Configuration) CONFIGURATION.call(Services.activities());
    }

    @Override
    public void set(List<String> tags) {
        StringBuilder joined = new StringBuilder();
        for (String tag : tags) {
            joined.append(joined.length() == 0 ? "" : ",").append(tag);
        }
        Configuration configuration = configuration();
        configuration.setLocales(LocaleList.forLanguageTags(joined.toString()));
        CHOSEN.set(configuration, true);
        try {
            if (UPDATE.form() == 0) {
                UPDATE.call(Services.activities(), configuration, ShellContext.PACKAGE, null);
            } else {
                UPDATE.call(Services.activities(), configuration);
            }
        } catch (RuntimeException refused) {
            throw new Failure(
                    Code.FAILED, "Android refuses the language: " + refused.getMessage());
        }
    }
}
