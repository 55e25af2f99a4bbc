package dev.handheld.helper.commands;

import dev.handheld.helper.device.Display;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Moves one finger through the middle of the screen, against the scroll direction. Content follows
 * it from where it has passed the touch slop, and apps read it once a frame: so it passes the slop
 * slowly. It nearly rests at the end, which prevents a fling.
 */
final class Scroll extends Command {
    private static final List<String> DIRECTIONS = Arrays.asList("up", "down", "left", "right");

    private static final double SLOP_DP = 8;
    private static final double SLOP_MS = 60;
    private static final double SLOWLY_MS = 110;
    private static final double REST_MS = 250;
    /** Pixels that the finger moves while it nearly rests. */
    private static final double NEARLY = 2;

    Scroll() {
        super("scroll", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "direction", "share", "duration_ms");
        Arguments.word(with.get("direction"), "direction", DIRECTIONS);
        Object share = with.get("share");
        if (!Arguments.isNumber(share)
                || Arguments.number(share) <= 0
                || Arguments.number(share) > 1) {
            throw Arguments.bad("`share` is not a number over 0 and up to 1.");
        }
        Strokes.checkDuration(with.get("duration_ms"));
    }

    @Override
    public Answer run(Job job) {
        Display display = job.device.screen().display();
        String direction = (String) job.with.get("direction");
        double share = Arguments.number(job.with.get("share"));
        double last = SLOWLY_MS + Arguments.number(job.with.get("duration_ms"));
        boolean across = direction.equals("left") || direction.equals("right");
        int size = across ? display.width : display.height;
        double slop = SLOP_DP * display.density / 160.0;
        double way = Math.min(size, size * share + slop + 1.5 * NEARLY);
        double slow = slop + 2 * NEARLY;
        double[][] marks = {
            {0, 0},
            {slop + NEARLY, SLOP_MS},
            {slow, SLOWLY_MS},
            {Math.max(way - NEARLY, slow), last},
            {Math.max(way, slow), last + REST_MS},
        };
        int sign = direction.equals("down") || direction.equals("right") ? 1 : -1;
        double[][][] strokes = {new double[marks.length][]};
        for (int mark = 0; mark < marks.length; mark++) {
            double at = sign * (way / 2 - marks[mark][0]);
            double x = display.width / 2.0 + (across ? at : 0);
            double y = display.height / 2.0 + (across ? 0 : at);
            strokes[0][mark] = new double[] {x, y, marks[mark][1]};
        }
        Gesture.check(job.device, display, strokes);
        new Gesture(job, display, strokes).play();
        return Answer.empty();
    }
}
