package dev.handheld.helper.commands;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.OsError;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** `root` and `path` of a call with every link resolved. */
final class Place {
    private static final Pattern VOLUME = Pattern.compile("primary|[0-9A-Fa-f-]{4,36}");
    private static final Set<String> NO_NAMES =
            new HashSet<String>(Arrays.asList("", ".", ".."));
    private static final int MOST_LINKS = 40;
    private static final int EINVAL = 22;

    final String root;
    final String path;

    private Place(String root, String path) {
        this.root = root;
        this.path = path;
    }

    static void check(Map<String, Object> with) {
        Object root = with.get("root");
        Object path = with.get("path");
        if (!(root instanceof String) || !(path instanceof String)) {
            throw Arguments.bad("`root` or `path` is not a string.");
        }
        int colon = ((String) root).indexOf(':');
        if (colon < 0 || !VOLUME.matcher(((String) root).substring(0, colon)).matches()) {
            throw Arguments.bad("`root` is not <volume>:<folder>.");
        }
        checkNames(((String) root).substring(colon + 1), "root");
        checkNames((String) path, "path");
    }

    private static void checkNames(String value, String name) {
        if (value.isEmpty()) {
            return;
        }
        if (!Collections.disjoint(NO_NAMES, Arrays.asList(value.split("/", -1)))) {
            throw Arguments.bad("`" + name + "` has empty parts, `.` or `..`.");
        }
        if (value.indexOf('\0') >= 0) {
            throw Arguments.bad("`" + name + "` holds a NUL.");
        }
    }

    /** The folder must exist; `outside` when a link leads out of it. */
    static Place find(Device device, String root, String path) throws OsError {
        Files files = device.files();
        int colon = root.indexOf(':');
        String volume = root.substring(0, colon);
        boolean primary = volume.equals("primary");
        String mount = primary ? "emulated/" + device.phone().user() : volume;
        String real = real(files, "/storage/" + mount + "/" + root.substring(colon + 1));
        if (files.lstat(real).kind != Files.Stat.FOLDER) {
            throw new OsError(OsError.ENOTDIR, "Not a directory");
        }
        String found = real(files, real + "/" + path);
        if (!found.equals(real) && !found.startsWith(real + "/")) {
            throw new Failure(Code.OUTSIDE, "A link leads out of the folder.");
        }
        return new Place(real, found);
    }

    /** Resolve a path. A missing part counts as itself. */
    private static String real(Files files, String path) throws OsError {
        Deque<String> names = new ArrayDeque<String>();
        push(names, path);
        String real = "";
        int links = 0;
        while (!names.isEmpty()) {
            String name = names.pop();
            if (name.equals("..")) {
                real = real.substring(0, Math.max(0, real.lastIndexOf('/')));
                continue;
            }
            String target = target(files, real + "/" + name);
            if (target == null) {
                real += "/" + name;
                continue;
            }
            if (++links > MOST_LINKS) {
                throw new OsError(OsError.ELOOP, "Too many symbolic links encountered");
            }
            push(names, target);
            if (target.startsWith("/")) {
                real = "";
            }
        }
        return real.isEmpty() ? "/" : real;
    }

    private static void push(Deque<String> names, String path) {
        String[] parts = path.split("/");
        for (int place = parts.length - 1; place >= 0; place--) {
            if (!parts[place].isEmpty() && !parts[place].equals(".")) {
                names.push(parts[place]);
            }
        }
    }

    /** Null for anything but a link. */
    private static String target(Files files, String path) throws OsError {
        try {
            return files.readLink(path);
        } catch (OsError problem) {
            if (problem.errno == EINVAL || problem.errno == OsError.ENOENT) {
                return null;
            }
            throw problem;
        }
    }

    /** Return what is at a real path; null for nothing. */
    static Files.Stat stat(Files files, String path) throws OsError {
        try {
            return files.lstat(path);
        } catch (OsError problem) {
            if (problem.errno == OsError.ENOENT || problem.errno == OsError.ENOTDIR) {
                return null;
            }
            throw problem;
        }
    }

    /** Return the missing folders above the path, outermost first. */
    List<String> missingFolders(Files files) throws OsError {
        List<String> missing = new ArrayList<String>();
        String folder = parent(path);
        while (!folder.equals(root)) {
            Files.Stat found = stat(files, folder);
            if (found != null && found.kind == Files.Stat.FOLDER) {
                break;
            }
            if (found != null) {
                throw new OsError(OsError.ENOTDIR, "Not a directory");
            }
            missing.add(0, folder);
            folder = parent(folder);
        }
        return missing;
    }

    static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    static Failure failed(OsError problem) {
        String message = problem.getMessage() == null ? "The file failed." : problem.getMessage();
        int errno = problem.errno == 0 ? OsError.EIO : problem.errno;
        return new Failure(Code.FILE_FAILED, message).with("errno", errno);
    }
}
