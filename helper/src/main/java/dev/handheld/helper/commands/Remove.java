package dev.handheld.helper.commands;

import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.OsError;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Map;

/** Removes a single file, or a link itself, not its target. */
final class Remove extends Command {
    private final Scan scan;

    Remove(Scan scan) {
        super("remove", Lane.TOUCH, false, false);
        this.scan = scan;
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "root", "path");
        Place.check(with);
        Arguments.text(with.get("path"), "path");
    }

    @Override
    public Answer run(Job job) {
        try {
            return Answer.of("removed", remove(job));
        } catch (OsError problem) {
            throw Place.failed(problem);
        }
    }

    private boolean remove(Job job) throws OsError {
        String root = (String) job.with.get("root");
        String path = (String) job.with.get("path");
        Place place = Place.find(job.device, root, path);
        Files.Stat found = Place.stat(job.device.files(), place.path);
        if (found != null && found.kind == Files.Stat.FOLDER) {
            throw new OsError(OsError.EISDIR, "Is a directory");
        }
        Place above = Place.find(job.device, root, Place.parent(path));
        String target = above.path + "/" + path.substring(path.lastIndexOf('/') + 1);
        try {
            job.device.files().remove(target);
        } catch (OsError problem) {
            if (problem.errno == OsError.ENOENT) {
                return false;
            }
            throw problem;
        }
        scan.look(job, target);
        return true;
    }
}
