package dev.handheld.helper.commands;

import dev.handheld.helper.device.Sim;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;
import java.util.TreeMap;

/** Sends a short message and reports the results of its parts. */
final class Sms extends Command {
    private static final int LONGEST_ADDRESS = 64;
    /** The host enforces a lower limit for its callers. */
    private static final int LONGEST_TEXT = 10_000;

    Sms() {
        super("sms", Lane.SMS, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "subscription", "to", "text");
        Arguments.whole(with.get("subscription"), "subscription", Integer.MAX_VALUE);
        checkText(with.get("to"), "to", LONGEST_ADDRESS);
        checkText(with.get("text"), "text", LONGEST_TEXT);
    }

    private static void checkText(Object value, String name, int most) {
        if (Arguments.text(value, name).length() > most) {
            throw Arguments.bad("`" + name + "` has more than " + most + " UTF-16 units.");
        }
    }

    @Override
    public Answer run(Job job) {
        int subscription = ((Long) job.with.get("subscription")).intValue();
        boolean active = false;
        for (Sim sim : job.device.sms().sims()) {
            active |= sim.id == subscription;
        }
        if (!active) {
            String message = "No active SIM has the subscription " + subscription + ".";
            throw new Failure(Code.NO_SUBSCRIPTION, message);
        }
        Reports reports = new Reports(job);
        String to = (String) job.with.get("to");
        String text = (String) job.with.get("text");
        // From here on the message cannot be taken back.
        job.happened(Happened.MAYBE);
        int parts = job.device.sms().send(subscription, to, text, reports);
        job.report("sent", reports.sent());
        job.report("parts", parts);
        for (int mark = job.mark(); reports.count() < parts; mark = job.mark()) {
            if (reports.count() < parts) {
                job.await(mark, Double.POSITIVE_INFINITY);
            }
        }
        return reports.conclude(parts);
    }

    /** The results that the phone has reported for each part. */
    private static final class Reports implements dev.handheld.helper.device.Sms.Listener {
        private static final int OK = dev.handheld.helper.device.Sms.RESULT_OK;

        private final Job job;
        private final TreeMap<Integer, Integer> results = new TreeMap<Integer, Integer>();

        Reports(Job job) {
            this.job = job;
        }

        @Override
        public void reported(int part, int result) {
            synchronized (this) {
                if (results.containsKey(part)) {
                    return;
                }
                results.put(part, result);
                job.report("sent", sent());
            }
            job.wake();
        }

        synchronized int count() {
            return results.size();
        }

        synchronized int sent() {
            int sent = 0;
            for (int result : results.values()) {
                sent += result == OK ? 1 : 0;
            }
            return sent;
        }

        synchronized Answer conclude(int parts) {
            for (Map.Entry<Integer, Integer> entry : results.entrySet()) {
                int part = entry.getKey() + 1;
                int result = entry.getValue();
                if (result != OK) {
                    String which = "Part " + part + " of " + parts;
                    String message = which + " was not sent: result " + result + ".";
                    Happened happened = sent() > 0 ? Happened.PARTLY : Happened.NO;
                    throw new Failure(Code.NOT_SENT, message, happened)
                            .with("sent", sent())
                            .with("parts", parts)
                            .with("part", part)
                            .with("result", result);
                }
            }
            return Answer.of("parts", parts);
        }
    }
}
