package dev.handheld.helper.commands;

import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;

/**
 * Makes apps believe that the phone is elsewhere, or ends that. Android does not report an old
 * location to an app that asks later, so the location is repeated while this program runs.
 */
final class MockLocation extends Command {
    private static final String[] NAMES = {"latitude", "longitude", "accuracy"};
    private static final int[] BOUNDS = {90, 180, 100000};
    private static final double AGAIN_MS = 1000;

    private final Object turns = new Object();
    /** Counts the changes: a repetition ends with the next change. */
    private int turn;

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
        // Only one runs at a time: another would replace its providers.
        synchronized (this) {
            final int own = next(job.device.clock());
            if (set == null) {
                job.device.locations().stopPretending();
                return Answer.empty();
            }
            Map<String, Object> place = Arguments.map(set);
            final double latitude = Arguments.number(place.get("latitude"));
            final double longitude = Arguments.number(place.get("longitude"));
            final double accuracy = Arguments.number(place.get("accuracy"));
            final Device device = job.device;
            device.locations().pretend(latitude, longitude, accuracy);
            device.threads()
                    .start(
                            "handheld-place",
                            new Runnable() {
                                @Override
                                public void run() {
                                    while (awaitTurn(device.clock(), own)) {
                                        try {
                                            device.locations()
                                                    .repeat(latitude, longitude, accuracy);
                                        } catch (Failure refused) {
                                            return; // another program ended it
                                        }
                                    }
                                }
                            });
            return Answer.empty();
        }
    }

    private int next(Clock clock) {
        synchronized (turns) {
            turn++;
            clock.wake(turns);
            return turn;
        }
    }

    /** Wait until the location is to be repeated; false once another request arrives. */
    private boolean awaitTurn(Clock clock, int own) {
        double until = clock.now() + AGAIN_MS;
        synchronized (turns) {
            while (turn == own && clock.now() < until) {
                clock.await(turns, until);
            }
            return turn == own;
        }
    }
}
