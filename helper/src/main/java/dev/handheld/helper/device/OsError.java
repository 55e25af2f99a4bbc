package dev.handheld.helper.device;

import java.io.IOException;

/** A refusal of the file system. */
public final class OsError extends IOException {
    private static final long serialVersionUID = 1;

    public static final int ENOENT = 2;
    public static final int EIO = 5;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int ELOOP = 40;

    public final int errno;

    public OsError(int errno, String message) {
        super(message);
        this.errno = errno;
    }
}
