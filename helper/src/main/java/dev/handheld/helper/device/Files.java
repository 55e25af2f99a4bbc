package dev.handheld.helper.device;

/**
 * The file system, one system call each. A refusal is an {@link OsError} with Linux's number. Paths
 * are absolute.
 */
public interface Files {
    /** Describe what is at a path. */
    final class Stat {
        public static final int FILE = 0;
        public static final int FOLDER = 1;
        public static final int LINK = 2;
        public static final int OTHER = 3;

        public final int kind;
        public final long size;

        public Stat(int kind, long size) {
            this.kind = kind;
            this.size = size;
        }
    }

    /** Describe a link itself, not its target. */
    Stat lstat(String path) throws OsError;

    /** The target of a link, as written there. */
    String readLink(String path) throws OsError;

    /** The parent must exist. */
    void makeFolder(String path) throws OsError;

    /** Replaces an existing file. */
    void rename(String from, String to) throws OsError;

    /** A file, or a link itself. EISDIR for a folder. */
    void remove(String path) throws OsError;

    /** Set the file's time to now. */
    void touch(String path) throws OsError;

    /** The hash of the content, in hex. */
    String sha256(String path) throws OsError;

    /** Free bytes on the path's volume; negative if unknown. */
    long available(String path);
}
