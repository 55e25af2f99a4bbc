package dev.handheld.helper.compat;

import android.media.MediaCodec;
import android.media.MediaFormat;
import android.media.MediaMuxer;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A video file that this process writes from the output of encoders. MediaRecorder would have the
 * media server write it. Android's policy lets the media server write a file of the shell but not
 * read it, and MediaRecorder passes a descriptor for both.
 */
final class Film {
    /** How long an encoder may take for its last output. */
    private static final long PATIENCE_MS = 6000;
    private static final long LOOK_US = 100_000;
    private static final long LARGEST = 256L * 1024 * 1024;

    private final MediaMuxer file;
    private final int wanted;
    private final List<Track> tracks = new ArrayList<Track>();
    private int added;
    private boolean begun;
    private boolean ended;
    private long bytes;
    private RuntimeException broken;

    /**
     * A file with this many tracks: an MP4 accepts no samples before it has the format of each
     * track.
     */
    Film(String path, int turn, int wanted) throws IOException {
        this.wanted = wanted;
        file = new MediaMuxer(path, MediaMuxer.OutputFormat.MUXER_OUTPUT_MPEG_4);
        file.setOrientationHint(turn);
    }

    /** Write the encoder's output from now on. */
    Track record(MediaCodec encoder) {
        Track track = new Track(encoder);
        tracks.add(track);
        track.thread.setDaemon(true);
        track.thread.start();
        return track;
    }

    /** Wait for the encoders, which know of the end, to finish, and end the file. */
    void finish() {
        for (Track track : tracks) {
            track.await(PATIENCE_MS);
        }
        synchronized (this) {
            ended = true;
            if (broken != null) {
                throw broken;
            }
            if (!begun) {
                throw new Failure(Code.FAILED, "The camera or the microphone gave nothing.");
            }
        }
        try {
            file.stop();
        } catch (IllegalStateException empty) {
            throw new Failure(Code.FAILED, "The video cannot be written: " + empty.getMessage());
        }
    }

    void close() {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        for (Track track : tracks) {
            track.await(PATIENCE_MS);
            track.encoder.release();
        }
        try {
            file.release();
        } catch (IllegalStateException unfinished) {
            AndroidPhone.note("A video without an end was closed: " + unfinished.getMessage());
        }
    }

    /** Keep the first fault: later ones are consequences of it. */
    synchronized void breakOff(RuntimeException fault) {
        if (broken == null) {
            broken = fault;
        }
        notifyAll();
    }

    synchronized boolean isOver() {
        return ended || broken != null;
    }

    /** Return the number of the new track. Waits until all tracks exist. */
    synchronized int add(MediaFormat format) {
        int number = file.addTrack(format);
        added++;
        if (added == wanted) {
            file.start();
            begun = true;
            notifyAll();
        }
        while (!begun && !isOver()) {
            try {
                wait();
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
        return number;
    }

    synchronized void write(int track, ByteBuffer data, MediaCodec.BufferInfo info) {
        if (isOver() || !begun) {
            return;
        }
        bytes += info.size;
        if (bytes > LARGEST) {
            throw new Failure(Code.FAILED, "The video is larger than " + LARGEST + " bytes.");
        }
        try {
            file.writeSampleData(track, data, info);
        } catch (IllegalStateException full) {
            throw new Failure(Code.FAILED, "The video cannot be written: " + full.getMessage());
        }
    }

    /** The output of one encoder. */
    final class Track implements Runnable {
        private final MediaCodec encoder;
        private final Thread thread = new Thread(this, "handheld-film");
        private long first = -1;
        private long last;

        Track(MediaCodec encoder) {
            this.encoder = encoder;
        }

        /** From the first to the last picture, in ms; -1 if there was none. */
        long length() {
            return first < 0 ? -1 : (last - first) / 1000;
        }

        private void await(long ms) {
            try {
                thread.join(ms);
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }

        @Override
        public void run() {
            try {
                drain();
            } catch (RuntimeException fault) {
                breakOff(fault);
            }
        }

        private void drain() {
            MediaCodec.BufferInfo info = new MediaCodec.BufferInfo();
            int number = -1;
            while (!isOver()) {
                int place = encoder.dequeueOutputBuffer(info, LOOK_US);
                if (place == MediaCodec.INFO_OUTPUT_FORMAT_CHANGED) {
                    number = add(encoder.getOutputFormat());
                } else if (place >= 0) {
                    // The file has the configuration from the format.
                    boolean isSample = (info.flags & MediaCodec.BUFFER_FLAG_CODEC_CONFIG) == 0;
                    if (isSample && info.size > 0) {
                        write(number, encoder.getOutputBuffer(place), info);
                        first = first < 0 ? info.presentationTimeUs : first;
                        last = info.presentationTimeUs;
                    }
                    encoder.releaseOutputBuffer(place, false);
                    if ((info.flags & MediaCodec.BUFFER_FLAG_END_OF_STREAM) != 0) {
                        return;
                    }
                }
            }
        }
    }
}
