package dev.handheld.helper.commands;

import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.OsError;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.regex.Pattern;

/** Moves a pushed file to its place. Once begun it is completed. */
final class Commit extends Command {
    private static final Pattern TEMPORARY = Pattern.compile("\\.handheld-[0-9a-f]{16}\\.part");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    private final Scan scan;

    Commit(Scan scan) {
        super("commit", Lane.TOUCH, false, false);
        this.scan = scan;
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "root", "temp", "path", "expect");
        Place.check(with);
        Arguments.text(with.get("path"), "path");
        Object temp = with.get("temp");
        if (!(temp instanceof String) || !TEMPORARY.matcher((String) temp).matches()) {
            throw Arguments.bad("`temp` is not .handheld-<16 hex digits>.part.");
        }
        if (with.get("expect") != null) {
            checkExpected(with.get("expect"));
        }
    }

    private static void checkExpected(Object value) {
        if (!(value instanceof Map)) {
            throw Arguments.bad("`expect` is not null or an object.");
        }
        Map<String, Object> expect = Arguments.map(value);
        if (!expect.keySet().equals(new HashSet<String>(Arrays.asList("size", "sha256")))) {
            throw Arguments.bad("`expect` does not have exactly these keys: sha256, size.");
        }
        Object size = expect.get("size");
        boolean whole = size instanceof Long || size instanceof BigInteger;
        if (!whole || ((Number) size).doubleValue() < 0) {
            throw Arguments.bad("`expect.size` is not a number from 0.");
        }
        Object digest = expect.get("sha256");
        if (!(digest instanceof String) || !DIGEST.matcher((String) digest).matches()) {
            throw Arguments.bad("`expect.sha256` is not 64 hex digits.");
        }
    }

    @Override
    public Answer run(Job job) {
        try {
            scan.look(job, commit(job));
        } catch (OsError problem) {
            throw Place.failed(problem);
        }
        return Answer.empty();
    }

    /** Return the file's final path. */
    private static String commit(Job job) throws OsError {
        Files files = job.device.files();
        String path = (String) job.with.get("path");
        Place place = Place.find(job.device, (String) job.with.get("root"), path);
        String temp = place.root + "/" + job.with.get("temp");
        files.lstat(temp);
        Files.Stat found = Place.stat(files, place.path);
        if (found != null && found.kind == Files.Stat.FOLDER) {
            throw new OsError(OsError.EISDIR, "Is a directory");
        }
        if (job.with.get("expect") != null) {
            Map<String, Object> expect = Arguments.map(job.with.get("expect"));
            boolean same =
                    found != null
                            && found.kind == Files.Stat.FILE
                            && expect.get("size").equals(found.size)
                            && files.sha256(place.path).equals(expect.get("sha256"));
            if (!same) {
                throw new Failure(Code.CHANGED, "The file is not what it was.");
            }
        }
        for (String folder : place.missingFolders(files)) {
            files.makeFolder(folder);
        }
        files.rename(temp, place.path);
        try {
            // Sync has set the host's time; files on the phone carry the phone's.
            files.touch(place.path);
        } catch (OsError unimportant) {
            job.device.phone().log("No time could be set: " + unimportant.getMessage());
        }
        return place.path;
    }
}
