package dev.handheld.helper.commands;

import dev.handheld.helper.device.Display;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Moves fingers along given points. */
final class Touch extends Command {
    Touch() {
        super("touch", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "strokes");
        Strokes.read(with.get("strokes"));
    }

    @Override
    public Answer run(Job job) {
        double[][][] strokes = Strokes.read(job.with.get("strokes"));
        Display display = job.device.screen().display();
        Gesture.check(job.device, display, strokes);
        new Gesture(job, display, strokes).play();
        return Answer.empty();
    }
}
