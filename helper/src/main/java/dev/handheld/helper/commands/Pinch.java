package dev.handheld.helper.commands;

import dev.handheld.helper.device.Display;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Two fingers beside a centre that go apart or together, as far as the screen goes. */
final class Pinch extends Command {
    /** Pixels from the centre to each finger, where the scale is 1. */
    private static final double REACH = 100;

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
        double end = Arguments.number(job.with.get("duration_ms"));
        Gesture.check(job.device, display, new double[][][] {{{x, y, 0}}});
        double[][] left = stroke(display, x, y, -REACH, scale, end);
        double[][] right = stroke(display, x, y, REACH, scale, end);
        new Gesture(job, display, new double[][][] {left, right}).play();
        double reached = (right[1][0] - left[1][0]) / (right[0][0] - left[0][0]);
        return Answer.of("scale", reached);
    }

    private static double[][] stroke(
            Display display, double x, double y, double side, double scale, double end) {
        double begin = inside(x + side, display);
        return new double[][] {{begin, y, 0}, {inside(x + side * scale, display), y, end}};
    }

    private static double inside(double x, Display display) {
        return Math.max(0, Math.min(x, display.width - 1));
    }
}
