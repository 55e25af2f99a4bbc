package dev.handheld.helper.commands;

import dev.handheld.helper.device.Picture;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.List;
import java.util.Map;

/** Takes a screenshot. */
final class Capture extends Command {
    private static final int BEST = 100;

    Capture() {
        super("capture", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "max_size", "format", "quality");
        Object size = with.get("max_size");
        if (size != null && (!(size instanceof Long) || (Long) size < 1)) {
            throw Arguments.bad("`max_size` is not null or a number over 0.");
        }
        Object format = with.get("format");
        if (!"jpeg".equals(format) && !"png".equals(format)) {
            throw Arguments.bad("`format` is not jpeg or png.");
        }
        Object quality = with.get("quality");
        if (!(quality instanceof Long) || (Long) quality < 1 || (Long) quality > BEST) {
            throw Arguments.bad("`quality` is not 1 to 100.");
        }
    }

    @Override
    public Answer run(Job job) {
        if (!job.device.phone().isAwake()) {
            throw new Failure(Code.CAPTURE_FAILED, "the screen is off.");
        }
        Object size = job.with.get("max_size");
        int most = size == null ? 0 : (int) Math.min((Long) size, Integer.MAX_VALUE);
        boolean png = "png".equals(job.with.get("format"));
        int quality = ((Long) job.with.get("quality")).intValue();
        List<String> secure = job.device.screen().secureWindows();
        Picture picture = job.device.screen().capture(most, png, quality);
        return Answer.of("width", picture.width)
                .and("height", picture.height)
                .and("format", job.with.get("format"))
                .and("secure", secure)
                .with(picture.data);
    }
}
