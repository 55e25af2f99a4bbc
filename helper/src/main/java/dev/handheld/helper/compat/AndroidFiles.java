package dev.handheld.helper.compat;

import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import android.system.StructStat;
import android.system.StructStatVfs;
import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.OsError;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/** The file system by system calls, whose errno gives the reason of a failure. */
final class AndroidFiles implements Files {
    private static final int FOLDER_MODE = 0770;

    @Override
    public Stat lstat(String path) throws OsError {
        try {
            StructStat stat = Os.lstat(path);
            return new Stat(kind(stat.st_mode), stat.st_size);
        } catch (ErrnoException refused) {
            throw toOsError(refused);
        }
    }

    private static int kind(int mode) {
        if (OsConstants.S_ISREG(mode)) {
            return Stat.FILE;
        }
        if (OsConstants.S_ISDIR(mode)) {
            return Stat.FOLDER;
        }
        return OsConstants.S_ISLNK(mode) ? Stat.LINK : Stat.OTHER;
    }

    @Override
    public String readLink(String path) throws OsError {
        try {
            return Os.readlink(path);
        } catch (ErrnoException refused) {
            throw toOsError(refused);
        }
    }

    @Override
    public void makeFolder(String path) throws OsError {
        try {
            Os.mkdir(path, FOLDER_MODE);
        } catch (ErrnoException refused) {
            throw toOsError(refused);
        }
    }

    @Override
    public void rename(String from, String to) throws OsError {
        try {
            Os.rename(from, to);
        } catch (ErrnoException refused) {
            throw toOsError(refused);
        }
    }

    @Override
    public void remove(String path) throws OsError {
        try {
            if (OsConstants.S_ISDIR(Os.lstat(path).st_mode)) {
                throw new OsError(OsError.EISDIR, Os.strerror(OsError.EISDIR));
            }
            Os.remove(path);
        } catch (ErrnoException refused) {
            throw toOsError(refused);
        }
    }

    @Override
    public void touch(String path) throws OsError {
        // Emulated storage may not allow it; then the time of writing stays.
        if (!new File(path).setLastModified(System.currentTimeMillis())) {
            AndroidPhone.note("The time of a file could not be set.");
        }
    }

    @Override
    public String sha256(String path) throws OsError {
        try (InputStream file = new FileInputStream(path)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[64 * 1024];
            for (int count = file.read(piece); count >= 0; count = file.read(piece)) {
                digest.update(piece, 0, count);
            }
            return hex(digest.digest());
        } catch (FileNotFoundException missing) {
            throw opened(missing);
        } catch (IOException broken) {
            throw new OsError(OsError.EIO, String.valueOf(broken.getMessage()));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length * 2);
        for (byte one : bytes) {
            text.append(String.format(Locale.ROOT, "%02x", one & 0xFF));
        }
        return text.toString();
    }

    private static OsError opened(FileNotFoundException missing) {
        Throwable cause = missing.getCause();
        if (cause instanceof ErrnoException) {
            return toOsError((ErrnoException) cause);
        }
        return new OsError(OsError.ENOENT, String.valueOf(missing.getMessage()));
    }

    @Override
    public long available(String path) {
        try {
            StructStatVfs volume = Os.statvfs(path);
            return volume.f_bavail * volume.f_frsize;
        } catch (ErrnoException unknown) {
            return -1;
        }
    }

    private static OsError toOsError(ErrnoException refused) {
        return new OsError(refused.errno, Os.strerror(refused.errno));
    }
}
