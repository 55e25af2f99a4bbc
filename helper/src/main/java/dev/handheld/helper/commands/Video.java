package dev.handheld.helper.commands;

import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import java.util.Map;

/** Records a video with a camera, into a temporary file. */
final class Video extends Command {
    private static final String PATH = "/data/local/tmp/handheld-[0-9a-f]{16}\\.mp4";

    Video() {
        super("video", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "camera", "size", "duration_ms", "flash", "audio", "path");
        CameraArguments.check(with);
        Object duration = with.get("duration_ms");
        if (!(duration instanceof Long)
                || (Long) duration < 1
                || (Long) duration > Limits.VIDEO_MS) {
            throw Arguments.bad("`duration_ms` is not 1 to " + Limits.VIDEO_MS + ".");
        }
        if (!(with.get("audio") instanceof Boolean)) {
            throw Arguments.bad("`audio` is not true or false.");
        }
        Object path = with.get("path");
        if (!(path instanceof String) || !((String) path).matches(PATH)) {
            throw Arguments.bad("`path` is not that of a temporary video.");
        }
    }

    @Override
    public Answer run(Job job) {
        Camera camera = CameraArguments.find(job.device.cameras(), job.with.get("camera"));
        int[] wanted = CameraArguments.size(job.with.get("size"), "size");
        int[] size = CameraArguments.nearest(camera.videoSizes, wanted, null);
        String path = (String) job.with.get("path");
        job.happened(Happened.MAYBE);
        Cameras.Recording recording =
                job.device
                        .cameras()
                        .record(
                                camera.id,
                                size,
                                (String) job.with.get("flash"),
                                (Boolean) job.with.get("audio"),
                                path);
        boolean done = false;
        long lasted;
        try {
            job.sleep((Long) job.with.get("duration_ms"));
            lasted = recording.finish();
            done = true;
        } finally {
            if (!done) {
                recording.abort();
            }
        }
        return Answer.of("bytes", recording.bytes())
                .and("duration_ms", lasted)
                .with(recording.thumbnail());
    }
}
