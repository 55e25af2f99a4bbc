package dev.handheld.helper.commands;

import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Scaling;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/**
 * Two fingers on either side of a centre that move apart or together. An app scales by the
 * requested factor, as far as the screen allows.
 *
 * <p>An app begins to scale where the distance has changed by more than the slop and is not below
 * the minimum span; it counts from there. So the fingers first go past the slop and nearly rest,
 * and an app that reads input once per frame begins there and not later. Only then do they scale.
 */
final class Pinch extends Command {
    /** Pixels beyond Android's bounds: rounding then does not matter. */
    private static final double SURE = 2;
    /** The thickness of the system bars in dp: top and bottom, or at the sides in landscape. */
    private static final int BAR_DP = 48;
    /** Fractions of the duration: slop passed, rest over, last position reached. */
    private static final double[] SHARES = {0, 1 / 6.0, 2 / 6.0, 5 / 6.0, 1};

    Pinch() {
        super("pinch", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "x", "y", "scale", "duration_ms");
        if (!Arguments.isNumber(with.get("x")) || !Arguments.isNumber(with.get("y"))) {
            throw Arguments.bad("The centre is not two numbers.");
        }
        Object scale = with.get("scale");
        if (!Arguments.isNumber(scale) || Arguments.number(scale) <= 0) {
            throw Arguments.bad("`scale` is not a number over 0.");
        }
        Strokes.checkDuration(with.get("duration_ms"));
    }

    @Override
    public Answer run(Job job) {
        Display display = job.device.screen().display();
        double x = Arguments.number(job.with.get("x"));
        double y = Arguments.number(job.with.get("y"));
        double scale = Arguments.number(job.with.get("scale"));
        double duration = Arguments.number(job.with.get("duration_ms"));
        Gesture.check(job.device, display, new double[][][] {{{x, y, 0}}});

        Scaling scaling = job.device.screen().scaling();
        double narrow = scaling.span + SURE;
        double lost = scaling.slop + SURE;
        // A pinch in passes the slop at its widest.
        double beyond = scale > 1 ? 0 : lost;
        double wanted = narrow * Math.max(scale, 1 / scale);
        double bar = BAR_DP * display.density / 160.0;
        double across = room(x, display.width, display.width > display.height ? bar : 0);
        double upright = room(y, display.height, bar);
        // Horizontal where there is enough space: most views are as wide as the screen.
        boolean vertical = across < wanted + beyond && upright > across;
        double room = vertical ? upright : across;
        double wide = Math.min(wanted, room - beyond);
        if (wide < narrow || wide == narrow && scale != 1) {
            String place = Gesture.plain(x) + ", " + Gesture.plain(y);
            throw new Failure(
                    Code.FAILED,
                    "The centre "
                            + place
                            + " is too near the edge: two fingers around it can be "
                            + (long) Math.max(0, room)
                            + " pixels apart, and apps scale beyond "
                            + (long) (narrow + beyond)
                            + ".");
        }

        double first = scale > 1 ? narrow - lost : wide + lost;
        double begin = scale > 1 ? narrow : wide;
        double end = scale > 1 ? wide : narrow;
        double slowly = begin + Math.max(-1, Math.min(end - begin, 1));
        double[] spans = {first, begin, slowly, end, end};
        double[][] one = stroke(x, y, vertical, -0.5, spans, duration);
        double[][] other = stroke(x, y, vertical, 0.5, spans, duration);
        new Gesture(job, display, new double[][][] {one, other}).play();
        return Answer.of("scale", end / begin);
    }

    /** Return the greatest distance of two fingers that are equally far from the centre. */
    private static double room(double centre, int size, double bar) {
        return 2 * Math.min(centre - bar, size - 1 - bar - centre);
    }

    private static double[][] stroke(
            double x, double y, boolean vertical, double side, double[] spans, double duration) {
        double[][] points = new double[spans.length][];
        for (int place = 0; place < points.length; place++) {
            double away = side * spans[place];
            points[place] =
                    new double[] {
                        vertical ? x : x + away,
                        vertical ? y + away : y,
                        SHARES[place] * duration
                    };
        }
        return points;
    }
}
