package dev.handheld.helper.protocol;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The claim that the phone has accepted, in a file that outlives the helper and a reboot. Its one
 * line is `STREAM EPOCH:HOST:NAME`. Streams are counted: a helper notices when another was
 * accepted, even one of its own host.
 *
 * <p>It is written in place, in one piece that is smaller than a sector: a file that is renamed
 * into its place is there after a power failure only if the folder was written, too.
 */
final class ClaimFile {
    private static final int SIZE = 256;

    private final RandomAccessFile file;
    private Claim accepted;
    private long stream;
    private long own;

    ClaimFile(File path) throws IOException {
        if (path.createNewFile()) {
            HolderLock.makePrivate(path);
        }
        file = new RandomAccessFile(path, "rw");
    }

    /** Accept a claim, on the disk too, and return null; or return the claim that prevents it. */
    Claim accept(Claim claim) throws IOException {
        FileLock lock = file.getChannel().lock();
        try {
            if (!read()) {
                throw new IOException("something else is written there");
            }
            if (accepted != null && !accepted.yieldsTo(claim)) {
                return accepted;
            }
            own = stream + 1;
            byte[] line = (own + " " + claim).getBytes(StandardCharsets.US_ASCII);
            byte[] padded = Arrays.copyOf(line, SIZE);
            Arrays.fill(padded, line.length, SIZE, (byte) '\n');
            file.seek(0);
            file.write(padded);
            file.getChannel().force(true);
            return null;
        } finally {
            lock.release();
        }
    }

    /** The claim that was accepted after ours; null while ours is the last. */
    Claim later() throws IOException {
        // While it is being written it may be unreadable: the next look shows it.
        return read() && stream != own ? accepted : null;
    }

    private boolean read() throws IOException {
        byte[] content = new byte[SIZE];
        file.seek(0);
        int size = Math.max(file.read(content), 0);
        if (size == 0) {
            accepted = null;
            stream = 0;
            return true;
        }
        String[] words =
                new String(content, 0, size, StandardCharsets.ISO_8859_1).trim().split(" ", 2);
        if (words.length != 2 || !words[0].matches("[1-9][0-9]{0,17}")) {
            return false;
        }
        Claim claim = Claim.read(words[1]);
        if (claim == null) {
            return false;
        }
        accepted = claim;
        stream = Long.parseLong(words[0]);
        return true;
    }
}
