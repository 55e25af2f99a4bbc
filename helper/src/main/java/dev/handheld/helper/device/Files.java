package dev.handheld.helper.device;

/**
 * The file system, one system call each. What it refuses: an {@link OsError} with Linux's number.
 * Paths are absolute.
 */
public interface Files {
    /** What there is at a path. */
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

    /** Of a link itself, not of what it leads to. */
    Stat lstat(String path) throws OsError;

    /** Where a link leads, as it is written there. */
    String readLink(String path) throws OsError;

    /** The parent must be there. */
    void makeFolder(String path) throws OsError;

    /** Replaces a file that is there. */
    void rename(String from, String to) throws OsError;

    /** A file, or a link itself. EISDIR for a folder. */
    void remove(String path) throws OsError;

    /** Let the file's time be now. */
    void touch(String path) throws OsError;

    /** Of the content, in hex. */
    String sha256(String path) throws OsError;

    /** Free bytes where the path lies; negative when that is not known. */
    long available(String path);
}
