package dev.handheld.helper.commands;

import dev.handheld.helper.device.Fix;
import dev.handheld.helper.device.Locations;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** The phone's location: the last known one, or a new fix. */
final class Location extends Command {
    Location() {
        super("location", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "fresh_ms");
        Arguments.whole(with.get("fresh_ms"), "fresh_ms", Limits.FIX_MS);
    }

    @Override
    public Answer run(Job job) {
        Locations locations = job.device.locations();
        long fresh = (Long) job.with.get("fresh_ms");
        boolean enabled = locations.enabled();
        Fix fix = fresh == 0 ? locations.last() : null;
        if (fresh > 0 && enabled) {
            fix = find(job, locations, fresh);
        }
        return Answer.of("enabled", enabled).and("location", fix == null ? null : fields(fix));
    }

    private static Fix find(final Job job, Locations locations, long fresh) {
        final AtomicReference<Fix> found = new AtomicReference<Fix>();
        double until = job.device.clock().now() + fresh;
        Runnable end =
                locations.find(
                        new Locations.Listener() {
                            @Override
                            public void found(Fix fix) {
                                found.compareAndSet(null, fix);
                                job.wake();
                            }
                        });
        try {
            boolean woken = true;
            while (found.get() == null && woken) {
                int mark = job.mark();
                woken = found.get() != null || job.await(mark, until);
            }
            return found.get();
        } finally {
            end.run();
        }
    }

    private static Map<String, Object> fields(Fix fix) {
        Map<String, Object> fields = new LinkedHashMap<String, Object>();
        fields.put("latitude", fix.latitude);
        fields.put("longitude", fix.longitude);
        fields.put("accuracy", fix.accuracy);
        fields.put("provider", fix.provider);
        fields.put("age_ms", Math.max(0, fix.age));
        fields.put("mock", fix.mock);
        return fields;
    }
}
