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

/** Moves one finger through the middle of the screen, against the scroll direction. */
final class Scroll extends Command {
    private static final List<String> DIRECTIONS = Arrays.asList("up", "down", "left", "right");

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
        double half = Arguments.number(job.with.get("share")) / 2;
        double awayX = sign(direction, "left", "right") * display.width * half;
        double awayY = sign(direction, "up", "down") * display.height * half;
        double x = display.width / 2.0;
        double y = display.height / 2.0;
        double end = Arguments.number(job.with.get("duration_ms"));
        double[][][] strokes = {{{x + awayX, y + awayY, 0}, {x - awayX, y - awayY, end}}};
        Gesture.check(job.device, display, strokes);
        new Gesture(job, display, strokes).play();
        return Answer.empty();
    }

    private static int sign(String direction, String less, String more) {
        return direction.equals(less) ? -1 : direction.equals(more) ? 1 : 0;
    }
}
