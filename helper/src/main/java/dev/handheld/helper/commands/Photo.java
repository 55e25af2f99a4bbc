package dev.handheld.helper.commands;

import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Takes a photo with a camera. */
final class Photo extends Command {
    private static final int BEST = 100;

    Photo() {
        super("photo", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "camera", "size", "most", "quality", "flash");
        CameraArguments.check(with);
        if (with.get("most") != null) {
            CameraArguments.size(with.get("most"), "most");
        }
        Object quality = with.get("quality");
        if (!(quality instanceof Long) || (Long) quality < 1 || (Long) quality > BEST) {
            throw Arguments.bad("`quality` is not 1 to 100.");
        }
    }

    @Override
    public Answer run(Job job) {
        Camera camera = CameraArguments.find(job.device.cameras(), job.with.get("camera"));
        Object most = job.with.get("most");
        int[] size =
                CameraArguments.nearest(
                        camera.photoSizes,
                        CameraArguments.size(job.with.get("size"), "size"),
                        most == null ? null : CameraArguments.size(most, "most"));
        job.happened(Happened.MAYBE);
        Picture photo =
                job.device
                        .cameras()
                        .photo(
                                camera.id,
                                size,
                                ((Long) job.with.get("quality")).intValue(),
                                (String) job.with.get("flash"));
        return Answer.of("width", photo.width).and("height", photo.height).with(photo.data);
    }
}
