package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the languages of the system, or sets them. */
final class Language extends Command {
    private static final Pattern TAG =
            Pattern.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,10}");

    Language() {
        super("language", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "set");
        Object set = with.get("set");
        if (set == null) {
            return;
        }
        boolean fits = set instanceof List;
        List<?> tags = fits ? (List<?>) set : new ArrayList<Object>();
        for (Object tag : tags) {
            fits &= tag instanceof String && TAG.matcher((String) tag).matches();
        }
        if (!fits || tags.isEmpty() || tags.size() > Limits.LANGUAGES) {
            throw Arguments.bad(
                    "`set` is not null or 1 to " + Limits.LANGUAGES + " language tags.");
        }
    }

    @Override
    public Answer run(Job job) {
        Object set = job.with.get("set");
        if (set != null) {
            List<String> tags = new ArrayList<String>();
            for (Object tag : (List<?>) set) {
                tags.add((String) tag);
            }
            job.happened(Happened.MAYBE);
            job.device.locales().set(tags);
        }
        return Answer.of("locales", new ArrayList<Object>(job.device.locales().get()));
    }
}
