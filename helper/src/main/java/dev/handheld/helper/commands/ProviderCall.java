package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Calls ContentProvider.call of an app. */
final class ProviderCall extends Command {
    ProviderCall() {
        super("provider_call", Lane.APPS, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "authority", "method", "arg", "extras");
        Arguments.text(with.get("authority"), "authority");
        Arguments.text(with.get("method"), "method");
        Object arg = with.get("arg");
        Object extras = with.get("extras");
        if (arg != null && !(arg instanceof String)) {
            throw Arguments.bad("`arg` is not null or a string.");
        }
        if (extras != null) {
            if (!(extras instanceof Map)) {
                throw Arguments.bad("`extras` is not null or an object that a Bundle can hold.");
            }
            Bundles.read(Arguments.map(extras));
        }
        Bundles.checkSize(Arrays.asList(arg, extras));
    }

    @Override
    public Answer run(Job job) {
        Object given = job.with.get("extras");
        Map<String, Object> extras =
                given == null
                        ? new LinkedHashMap<String, Object>()
                        : Bundles.read(Arguments.map(given));
        String authority = (String) job.with.get("authority");
        String method = (String) job.with.get("method");
        String arg = (String) job.with.get("arg");
        // If it is stopped from here on, it is unknown what the app has done.
        job.happened(Happened.MAYBE);
        Map<String, Object> bundle =
                job.device.offers().call(authority, method, arg, extras);
        Map<String, Object> readable = null;
        TreeSet<String> unreadable = new TreeSet<String>();
        if (bundle != null) {
            readable = new LinkedHashMap<String, Object>();
            for (Map.Entry<String, Object> entry : bundle.entrySet()) {
                if (Bundles.isReadable(entry.getValue())) {
                    readable.put(entry.getKey(), entry.getValue());
                } else {
                    unreadable.add(entry.getKey());
                }
            }
        }
        Map<String, Object> fields = new LinkedHashMap<String, Object>();
        fields.put("bundle", readable);
        byte[] data = JsonWriter.bytes(fields);
        if (data.length > Bundles.REPLY_LIMIT) {
            String message = "android.os.TransactionTooLargeException: the answer is too large";
            throw new Failure(Code.APP_THREW, message + " for a Bundle.", Happened.MAYBE);
        }
        List<String> names = new ArrayList<String>(unreadable);
        return Answer.of("unreadable", names).with(data);
    }
}
