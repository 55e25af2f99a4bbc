package dev.handheld.helper.commands;

import dev.handheld.helper.device.Camera;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists the cameras. */
final class Cameras extends Command {
    Cameras() {
        super("cameras", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with);
    }

    @Override
    public Answer run(Job job) {
        List<Object> found = new ArrayList<Object>();
        for (Camera camera : job.device.cameras().all()) {
            Map<String, Object> fields = new LinkedHashMap<String, Object>();
            fields.put("id", camera.id);
            fields.put("facing", camera.facing);
            fields.put("flash", camera.flash);
            fields.put("photo", sizes(camera.photoSizes));
            fields.put("video", sizes(camera.videoSizes));
            found.add(fields);
        }
        return Answer.of("cameras", found);
    }

    private static List<Object> sizes(List<int[]> sizes) {
        List<Object> told = new ArrayList<Object>();
        for (int[] size : sizes) {
            told.add(Arrays.<Object>asList((long) size[0], (long) size[1]));
        }
        return told;
    }
}
