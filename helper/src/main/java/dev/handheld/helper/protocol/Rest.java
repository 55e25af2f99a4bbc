package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Screen;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A call's `then`: after the action, wait until the screen rests and read it. */
final class Rest {
    private static final String[] NAMES = {"first_ms", "quiet_ms", "most_ms"};

    private final long firstMs;
    private final long quietMs;
    private final long mostMs;
    /** The views whose text also changed shortly before the action, and the count of changes. */
    private Set<String> tickers;

    private long before;

    private Rest(long firstMs, long quietMs, long mostMs) {
        this.firstMs = firstMs;
        this.quietMs = quietMs;
        this.mostMs = mostMs;
    }

    /** Null for null. */
    static Rest read(Object value) {
        if (value == null) {
            return null;
        }
        if (!(value instanceof Map)
                || !((Map<?, ?>) value).keySet().equals(new HashSet<>(Arrays.asList(NAMES)))) {
            throw Arguments.bad("`then` is not first_ms, quiet_ms and most_ms.");
        }
        long[] times = new long[NAMES.length];
        for (int at = 0; at < times.length; at++) {
            Object time = ((Map<?, ?>) value).get(NAMES[at]);
            times[at] = Arguments.whole(time, NAMES[at], Limits.THEN_MS);
        }
        return new Rest(times[0], times[1], times[2]);
    }

    /** The part of the budget that is kept for it. */
    double budget() {
        return mostMs + Limits.THEN_READ_MS;
    }

    /** Called just before the action. */
    void begin(Screen screen) {
        tickers = screen.tickers(Limits.TICKER_MS);
        before = screen.changesWithout(tickers);
    }

    /** Return the answer with the screen at rest. The action is done, whatever happens here. */
    Answer follow(Answer done, Job job, Command screen) {
        Map<String, Object> then = new LinkedHashMap<String, Object>();
        then.put("changed", false);
        then.put("settled", false);
        then.put("screen", null);
        then.put("error", null);
        byte[] data = new byte[0];
        Failure failure = null;
        try {
            await(job, then);
            job.hold.need();
            Answer shown = screen.run(job);
            if (shown.data.length > Limits.ANSWER) {
                throw Calls.tooLarge(shown.data.length, 0);
            }
            then.put("screen", shown.reply);
            data = shown.data;
        } catch (Failure problem) {
            failure = problem;
        } catch (Stopped stopped) {
            failure = job.failure();
        } catch (Throwable problem) {
            failure = Calls.internal(problem, job, screen);
        }
        if (failure != null) {
            Map<String, Object> error = failure.values();
            error.remove("happened"); // the action did
            then.put("error", error);
        }
        Map<String, Object> reply = new LinkedHashMap<String, Object>(done.reply);
        reply.put("then", then);
        return new Answer(reply, data);
    }

    /** Wait for the first change, then until nothing changes. It may be stopped at any moment. */
    private void await(Job job, Map<String, Object> then) {
        Clock clock = job.device.clock();
        double last = clock.now() + mostMs;
        long seq = job.awaitChange(before, Math.min(clock.now() + firstMs, last), tickers);
        then.put("changed", seq > before);
        boolean settled = seq <= before;
        while (!settled && clock.now() < last) {
            double quiet = clock.now() + quietMs;
            long known = seq;
            seq = job.awaitChange(known, Math.min(quiet, last), tickers);
            settled = seq <= known && quiet <= last;
        }
        then.put("settled", settled);
    }
}
