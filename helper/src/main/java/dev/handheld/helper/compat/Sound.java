package dev.handheld.helper.compat;

import android.annotation.SuppressLint;
import android.media.AudioFormat;
import android.media.AudioRecord;
import android.media.MediaCodec;
import android.media.MediaCodecInfo;
import android.media.MediaFormat;
import android.media.MediaRecorder;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The microphone, read into an encoder until the end. */
final class Sound implements Runnable {
    private static final int BITS = 128_000;
    private static final int RATE = 44_100;
    private static final int BYTES = 2;
    /** The length of one read: a tenth of a second. */
    private static final int CHUNK = RATE / 10 * BYTES;
    private static final long LOOK_US = 100_000;

    private final Film film;
    private final AudioRecord source;
    final MediaCodec encoder;
    private final Thread thread = new Thread(this, "handheld-sound");
    private volatile boolean ending;

    @SuppressLint("MissingPermission") // The shell's own.
    Sound(Film film) throws IOException {
        this.film = film;
        int least =
                AudioRecord.getMinBufferSize(
                        RATE, AudioFormat.CHANNEL_IN_MONO, AudioFormat.ENCODING_PCM_16BIT);
        source =
                new AudioRecord(
                        MediaRecorder.AudioSource.CAMCORDER,
                        RATE,
                        AudioFormat.CHANNEL_IN_MONO,
                        AudioFormat.ENCODING_PCM_16BIT,
                        Math.max(least, CHUNK) * 4);
        boolean ready = false;
        MediaCodec made = null;
        try {
            if (source.getState() != AudioRecord.STATE_INITIALIZED) {
                throw new Failure(Code.FAILED, "Android refused the microphone.");
            }
            made = MediaCodec.createEncoderByType(MediaFormat.MIMETYPE_AUDIO_AAC);
            MediaFormat format =
                    MediaFormat.createAudioFormat(MediaFormat.MIMETYPE_AUDIO_AAC, RATE, 1);
            format.setInteger(MediaFormat.KEY_BIT_RATE, BITS);
            format.setInteger(
                    MediaFormat.KEY_AAC_PROFILE, MediaCodecInfo.CodecProfileLevel.AACObjectLC);
            made.configure(format, null, null, MediaCodec.CONFIGURE_FLAG_ENCODE);
            made.start();
            ready = true;
        } finally {
            if (!ready) {
                source.release();
                if (made != null) {
                    made.release();
                }
            }
        }
        encoder = made;
        thread.setDaemon(true);
    }

    void begin() {
        thread.start();
    }

    /** The encoder learns of the end with the next chunk. */
    void end() {
        ending = true;
    }

    /**
     * Release a microphone that has not started; later, its thread and the film release everything.
     */
    void close() {
        source.release();
        encoder.release();
    }

    @Override
    public void run() {
        try {
            source.startRecording();
            feed();
        } catch (RuntimeException fault) {
            film.breakOff(fault);
        } finally {
            source.release();
        }
    }

    /** By the clock of the pictures, to which the camera's times are converted for the encoder. */
    private void feed() {
        long began = -1;
        long frames = 0;
        while (!film.isOver()) {
            int place = encoder.dequeueInputBuffer(LOOK_US);
            if (place < 0) {
                continue;
            }
            if (ending) {
                encoder.queueInputBuffer(
                        place, 0, 0, began + frames * 1_000_000 / RATE,
                        MediaCodec.BUFFER_FLAG_END_OF_STREAM);
                return;
            }
            ByteBuffer into = encoder.getInputBuffer(place);
            int read = source.read(into, Math.min(into.remaining(), CHUNK));
            if (read < 0) {
                throw new Failure(Code.FAILED, "The microphone failed with error " + read + ".");
            }
            if (began < 0) {
                began = System.nanoTime() / 1000 - (long) read / BYTES * 1_000_000 / RATE;
            }
            encoder.queueInputBuffer(place, 0, read, began + frames * 1_000_000 / RATE, 0);
            frames += read / BYTES;
        }
    }
}
