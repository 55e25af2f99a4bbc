package dev.handheld.helper.commands;

import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.OsError;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Resolves a path for adb's sync service, and reports what is there. */
final class Locate extends Command {
    Locate() {
        super("locate", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "root", "path");
        Place.check(with);
    }

    @Override
    public Answer run(Job job) {
        Files files = job.device.files();
        String path = (String) job.with.get("path");
        try {
            Place place = Place.find(job.device, (String) job.with.get("root"), path);
            Files.Stat found = Place.stat(files, place.path);
            if (found == null && !path.isEmpty()) {
                place.missingFolders(files);
            }
            long available = files.available(place.root);
            boolean file = found != null && found.kind == Files.Stat.FILE;
            return Answer.of("root", place.root)
                    .and("path", place.path)
                    .and("kind", kind(found))
                    .and("size", file ? found.size : 0L)
                    .and("available", available < 0 ? null : available);
        } catch (OsError problem) {
            throw Place.failed(problem);
        }
    }

    private static String kind(Files.Stat found) {
        if (found == null) {
            return null;
        }
        switch (found.kind) {
            case Files.Stat.FILE:
                return "file";
            case Files.Stat.FOLDER:
                return "folder";
            default:
                return "other";
        }
    }
}
