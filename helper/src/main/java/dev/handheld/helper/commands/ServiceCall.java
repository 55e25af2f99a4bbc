package dev.handheld.helper.commands;

import dev.handheld.helper.device.Offers;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonReader;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.ProtocolError;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Starts a service of an app and waits for the intent that it sends back. */
final class ServiceCall extends Command {
    private static final String RESPONSE = "mobile-mcp-response";
    private static final String FLAT_RESPONSE = "response";
    /** Between two checks whether a called app still runs. */
    private static final double LOOK_MS = 200;

    ServiceCall() {
        super("service_call", Lane.APPS, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "package", "class", "id", "extras");
        Arguments.text(with.get("package"), "package");
        Arguments.text(with.get("class"), "class");
        Arguments.text(with.get("id"), "id");
        Object extras = with.get("extras");
        if (!(extras instanceof Map) || !Bundles.areStrings(extras)) {
            throw Arguments.bad("`extras` is not an object of strings.");
        }
        Bundles.checkSize(extras);
    }

    @Override
    public Answer run(Job job) {
        String app = (String) job.with.get("package");
        Map<String, String> extras = new LinkedHashMap<String, String>();
        for (Map.Entry<String, Object> entry : Arguments.map(job.with.get("extras")).entrySet()) {
            extras.put(entry.getKey(), (String) entry.getValue());
        }
        Replies replies = new Replies(job, app, (String) job.with.get("id"));
        job.happened(Happened.MAYBE);
        job.report("dropped", 0);
        try {
            job.device.offers().start(app, (String) job.with.get("class"), extras, replies);
            Map<String, String> answer = await(job, app, replies);
            Map<String, Object> fields = new LinkedHashMap<String, Object>();
            fields.put("extras", answer);
            return Answer.of("dropped", replies.dropped()).with(JsonWriter.bytes(fields));
        } finally {
            replies.close(); // a reply from now on is late
        }
    }

    /** Wait for the app's reply, as long as the called process runs. */
    private static Map<String, String> await(Job job, String app, Replies replies) {
        List<Integer> asked = job.device.apps().pids(app);
        while (true) {
            int mark = job.mark();
            Map<String, String> answer = replies.answer();
            if (answer != null) {
                return answer;
            }
            List<Integer> now = job.device.apps().pids(app);
            if (asked.isEmpty()) {
                asked = now; // Android starts it asynchronously
            } else if (Collections.disjoint(asked, now)) {
                // A new process does not know of the call. But a reply that the old one sent
                // counts.
                answer = replies.answer();
                if (answer != null) {
                    return answer;
                }
                String message = "The process of " + app + " ended before it had answered.";
                throw new Failure(Code.APP_DIED, message, Happened.MAYBE);
            }
            job.await(mark, job.device.clock().now() + LOOK_MS);
        }
    }

    /** The replies of the app. */
    private static final class Replies implements Offers.Callback {
        private final Job job;
        private final String app;
        private final String id;
        private Map<String, String> answer;
        private boolean over;
        private int dropped;

        Replies(Job job, String app, String id) {
            this.job = job;
            this.app = app;
            this.id = id;
        }

        @Override
        public void replied(Map<String, String> extras) {
            String what = sort(extras);
            if (what == null) {
                job.wake();
            } else {
                job.device.phone().log("A " + what + " reply of " + app + " was dropped.");
            }
        }

        /** Null when it is the answer, else the reason why it is dropped. */
        private synchronized String sort(Map<String, String> extras) {
            if (over || answer != null || job.isStopped()) {
                return "late";
            }
            if (!isFor(id, extras)) {
                job.report("dropped", ++dropped);
                return "foreign";
            }
            answer = extras;
            return null;
        }

        synchronized Map<String, String> answer() {
            return answer;
        }

        synchronized int dropped() {
            return dropped;
        }

        synchronized void close() {
            over = true;
        }

        /** Whether a reply answers that request. An unreadable one counts for any request. */
        private static boolean isFor(String id, Map<String, String> extras) {
            String text = extras.containsKey(RESPONSE) ? extras.get(RESPONSE) : null;
            if (text == null) {
                text = extras.get(FLAT_RESPONSE);
            }
            try {
                Object message = text == null ? null : JsonReader.value(text);
                if (!(message instanceof Map)) {
                    return true;
                }
                Object inner = message;
                Object whole = ((Map<?, ?>) message).get(RESPONSE);
                if (((Map<?, ?>) message).containsKey(RESPONSE)) {
                    if (!(whole instanceof Map)) {
                        return true;
                    }
                    inner = ((Map<?, ?>) whole).get("response");
                    inner = ((Map<?, ?>) whole).containsKey("response") ? inner : message;
                }
                return !(inner instanceof Map) || id.equals(((Map<?, ?>) inner).get("id"));
            } catch (ProtocolError problem) {
                return true;
            }
        }
    }
}
