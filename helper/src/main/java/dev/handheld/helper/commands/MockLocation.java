package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;

/** Makes apps believe that the phone is elsewhere, or where it is again. */
final class MockLocation extends Command {
    private static final String[] NAMES = {"latitude", "longitude", "accuracy"};
    private static final int[] BOUNDS = {90, 180, 100000};

    MockLocation() {
        super("mock_location", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "set");
        Object set = with.get("set");
        if (set == null) {
            return;
        }
        if (!(set instanceof Map)
                || !((Map<?, ?>) set).keySet().equals(new HashSet<String>(Arrays.asList(NAMES)))) {
            throw Arguments.bad("`set` is not null or latitude, longitude and accuracy.");
        }
        for (int one = 0; one < NAMES.length; one++) {
            Object value = ((Map<?, ?>) set).get(NAMES[one]);
            int most = BOUNDS[one];
            int least = NAMES[one].equals("accuracy") ? 0 : -most;
            if (!Arguments.isNumber(value)
                    || Arguments.number(value) < least
                    || Arguments.number(value) > most) {
                throw Arguments.bad(
                        "`" + NAMES[one] + "` is not a number from " + least + " to " + most + ".");
            }
        }
    }

    @Override
    public Answer run(Job job) {
        Object set = job.with.get("set");
        job.happened(Happened.PARTLY);
        if (set == null) {
            job.device.locations().stopPretending();
            return Answer.empty();
        }
        Map<String, Object> place = Arguments.map(set);
        job.device
                .locations()
                .pretend(
                        Arguments.number(place.get("latitude")),
                        Arguments.number(place.get("longitude")),
                        Arguments.number(place.get("accuracy")));
        return Answer.empty();
    }
}
