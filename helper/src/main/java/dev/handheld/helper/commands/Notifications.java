package dev.handheld.helper.commands;

import dev.handheld.helper.device.Posted;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The notifications of the current user, now or as soon as something is posted. */
final class Notifications extends Command {
    static final int MOST_ACTIONS = 20;
    static final int LONGEST_TITLE = 1000;
    static final int LONGEST_TEXT = 5000;
    static final int LONGEST_ACTION = 200;
    private static final int LONGEST_BIG_TEXT = 10_000;
    private static final int LONGEST_CATEGORY = 100;
    private static final int LONGEST_NAME = 1000;
    private static final int LONGEST_KEY = 10_000;

    Notifications() {
        super("notifications", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "after", "within_ms");
        if (with.get("after") != null) {
            Arguments.whole(with.get("after"), "after", 1L << 53);
        }
        Arguments.whole(with.get("within_ms"), "within_ms", Limits.BUDGET_MS);
    }

    @Override
    public Answer run(Job job) {
        dev.handheld.helper.device.Notifications all = job.device.notifications();
        Long after = (Long) job.with.get("after");
        boolean listens = all.listens();
        if (!listens) {
            hear(job, after != null);
        }
        long seq = await(job, after, job.device.clock().now() + (Long) job.with.get("within_ms"));
        List<Object> found = new ArrayList<Object>();
        for (Posted one : listens ? listed(job) : Collections.<Posted>emptyList()) {
            found.add(describe(one));
        }
        Map<String, Object> told = new LinkedHashMap<String, Object>();
        told.put("notifications", found);
        return Answer.of("seq", seq)
                .and("now", all.now())
                .and("listener", listens)
                .and("starts", all.starts())
                .and("user", job.device.phone().user())
                .with(JsonWriter.bytes(told));
    }

    private static long await(Job job, Long after, double until) {
        while (true) {
            int mark = job.mark();
            long seq = job.device.notifications().count();
            if (after == null || seq > after) {
                return seq;
            }
            if (!job.await(mark, until)) {
                return job.device.notifications().count();
            }
        }
    }

    /** Where this program may not listen, events report what is posted from now on. */
    static void hear(Job job, boolean needed) {
        try {
            job.hold.need();
        } catch (Failure refused) {
            if (needed) {
                throw refused;
            }
        }
    }

    static List<Posted> listed(Job job) {
        List<Posted> listed = new ArrayList<Posted>();
        for (Posted one : job.device.notifications().active()) {
            if (one.key.length() <= LONGEST_KEY && listed.size() < Limits.NOTIFICATIONS) {
                listed.add(one);
            }
        }
        return listed;
    }

    static Object describe(Posted posted) {
        Map<String, Object> told = new LinkedHashMap<String, Object>();
        told.put("key", posted.key);
        told.put("package", posted.packageName);
        told.put("label", Text.cut(posted.label, LONGEST_NAME));
        told.put("posted", posted.posted);
        told.put("title", words(posted.title, LONGEST_TITLE));
        told.put("text", words(posted.text, LONGEST_TEXT));
        told.put("big_text", words(posted.bigText, LONGEST_BIG_TEXT));
        told.put("sub_text", words(posted.subText, LONGEST_TITLE));
        told.put("ongoing", posted.ongoing);
        told.put("clearable", posted.clearable);
        told.put("category", Text.cut(posted.category, LONGEST_CATEGORY));
        told.put("group", Text.cut(posted.group, LONGEST_NAME));
        List<Object> actions = new ArrayList<Object>();
        for (Posted.Action action : actions(posted)) {
            actions.add(
                    Arrays.<Object>asList(title(action), action.takesText, action.opens));
        }
        told.put("actions", actions);
        told.put("problem", words(posted.problem, LONGEST_ACTION));
        return told;
    }

    static List<Posted.Action> actions(Posted posted) {
        int count = Math.min(posted.actions.size(), MOST_ACTIONS);
        return posted.actions.subList(0, count);
    }

    static String title(Posted.Action action) {
        return Text.cut(action.title == null ? "" : action.title, LONGEST_ACTION);
    }

    /** The reported form; null for none. */
    static String words(String text, int most) {
        return text == null || text.isEmpty() ? null : Text.cut(text, most);
    }
}
