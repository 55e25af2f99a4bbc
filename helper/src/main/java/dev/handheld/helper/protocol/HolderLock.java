package dev.handheld.helper.protocol;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The lock file: one holder at a time, released by Linux when the holder's process ends. Its
 * content describes the holder, and may be left over from a holder that is gone.
 */
final class HolderLock {
    private static final int LONGEST = 64 * 1024;

    private final File path;
    private RandomAccessFile file;
    private FileLock lock;

    HolderLock(File path) {
        this.path = path;
    }

    /** Take the lock and return null, or return its current holder. */
    Map<String, Object> take(Map<String, Object> holder) throws IOException {
        boolean made = path.createNewFile();
        file = new RandomAccessFile(path, "rw");
        lock = file.getChannel().tryLock();
        if (lock == null) {
            try {
                return JsonReader.object(content());
            } catch (ProtocolError problem) {
                return new LinkedHashMap<String, Object>();
            } finally {
                file.close();
            }
        }
        if (made) {
            makePrivate(path);
        }
        byte[] content = JsonWriter.bytes(holder);
        file.setLength(0);
        file.write(content);
        return null;
    }

    /** Release the lock, as the end of the process does. */
    void free() throws IOException {
        lock.release();
        file.close();
    }

    /** Whether somebody has it now. */
    boolean isTaken() throws IOException {
        if (!path.exists()) {
            return false;
        }
        try (RandomAccessFile tried = new RandomAccessFile(path, "rw");
                FileLock free = tried.getChannel().tryLock()) {
            return free == null;
        }
    }

    /** Make it unreadable for others, who need not know who uses the phone. */
    static void makePrivate(File path) {
        path.setReadable(false, false);
        path.setReadable(true, true);
        path.setWritable(false, false);
        path.setWritable(true, true);
    }

    private byte[] content() throws IOException {
        byte[] content = new byte[(int) Math.min(file.length(), LONGEST)];
        file.readFully(content);
        return content;
    }
}
