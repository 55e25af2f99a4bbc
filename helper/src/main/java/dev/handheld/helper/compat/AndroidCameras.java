package dev.handheld.helper.compat;

import android.content.Context;
import android.graphics.Bitmap;
import android.graphics.ImageFormat;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.params.StreamConfigurationMap;
import android.media.Image;
import android.media.ImageReader;
import android.media.MediaCodec;
import android.media.MediaCodecInfo;
import android.media.MediaDataSource;
import android.media.MediaFormat;
import android.media.MediaMetadataRetriever;
import android.os.Build;
import android.util.Size;
import android.view.Surface;
import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cameras by camera2, as the shell may use them since API 31. */
final class AndroidCameras implements Cameras {
    private static final int SINCE = 31;
    private static final int MOST_SIZES = 30;
    private static final int PREVIEW_WIDTH = 640;
    private static final int THUMBNAIL = 640;
    private static final int THUMBNAIL_QUALITY = 80;
    private static final int FRAMES = 30;
    private static final int MOST_BITS = 20_000_000;

    static final Hidden MANAGER =
            Hidden.constructor(
                    Hidden.form(
                            "android.hardware.camera2.CameraManager",
                            "<init>",
                            "the same in all versions; the system's own is not the shell's",
                            "android.content.Context"));

    private final CameraManager manager;
    private final AndroidScreen screen;
    private final AtomicBoolean used = new AtomicBoolean();

    AndroidCameras(Context context, AndroidScreen screen) {
        if (Build.VERSION.SDK_INT < SINCE) {
            throw new Failure(
                    Code.FAILED,
                    "The camera of this phone cannot be used over adb: Android 12 or newer is"
                            + " needed.");
        }
        manager = (CameraManager) MANAGER.make(context);
        this.screen = screen;
    }

    @Override
    public List<Camera> all() {
        List<Camera> cameras = new ArrayList<Camera>();
        try {
            for (String id : manager.getCameraIdList()) {
                cameras.add(describe(id, manager.getCameraCharacteristics(id)));
            }
        } catch (CameraAccessException refused) {
            throw OpenCamera.refusal(refused);
        }
        return cameras;
    }

    private static Camera describe(String id, CameraCharacteristics told) {
        StreamConfigurationMap map =
                told.get(CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP);
        Size[] photos = map == null ? null : map.getOutputSizes(ImageFormat.JPEG);
        Size[] videos = map == null ? null : map.getOutputSizes(MediaCodec.class);
        Boolean flash = told.get(CameraCharacteristics.FLASH_INFO_AVAILABLE);
        return new Camera(
                id,
                facing(told.get(CameraCharacteristics.LENS_FACING)),
                flash != null && flash,
                sizes(photos),
                sizes(videos));
    }

    private static String facing(Integer facing) {
        switch (facing == null ? -1 : facing) {
            case CameraCharacteristics.LENS_FACING_FRONT:
                return "front";
            case CameraCharacteristics.LENS_FACING_BACK:
                return "back";
            case CameraCharacteristics.LENS_FACING_EXTERNAL:
                return "external";
            default:
                return "unknown";
        }
    }

    private static List<int[]> sizes(Size[] sizes) {
        List<int[]> found = new ArrayList<int[]>();
        for (Size size : sizes == null ? new Size[0] : sizes) {
            found.add(new int[] {size.getWidth(), size.getHeight()});
        }
        Collections.sort(
                found,
                new Comparator<int[]>() {
                    @Override
                    public int compare(int[] one, int[] other) {
                        return Long.compare((long) other[0] * other[1], (long) one[0] * one[1]);
                    }
                });
        return found.subList(0, Math.min(MOST_SIZES, found.size()));
    }

    private OpenCamera open(String id) {
        if (!used.compareAndSet(false, true)) {
            throw new Failure(Code.FAILED, "The camera is in use.");
        }
        try {
            return new OpenCamera(
                    manager,
                    id,
                    new Runnable() {
                        @Override
                        public void run() {
                            used.set(false);
                        }
                    });
        } catch (RuntimeException refused) {
            used.set(false);
            throw refused;
        }
    }

    @Override
    public Picture photo(String id, int[] size, int quality, String flash) {
        OpenCamera camera = open(id);
        ImageReader pictures = null;
        ImageReader preview = null;
        try {
            pictures = ImageReader.newInstance(size[0], size[1], ImageFormat.JPEG, 2);
            preview = camera.preview(previewSize(id));
            camera.begin(Arrays.asList(preview.getSurface(), pictures.getSurface()));
            camera.settle(preview.getSurface(), flash);
            Image image = camera.capture(pictures, flash, quality, turn(id));
            try {
                ByteBuffer buffer = image.getPlanes()[0].getBuffer();
                byte[] data = new byte[buffer.remaining()];
                buffer.get(data);
                return new Picture(size[0], size[1], data);
            } finally {
                image.close();
            }
        } finally {
            camera.close();
            close(pictures);
            close(preview);
        }
    }

    private static void close(ImageReader reader) {
        if (reader != null) {
            reader.close();
        }
    }

    private CameraCharacteristics ask(String id) {
        try {
            return manager.getCameraCharacteristics(id);
        } catch (CameraAccessException refused) {
            throw OpenCamera.refusal(refused);
        }
    }

    /** The smallest size that is large enough to measure the light. */
    private int[] previewSize(String id) {
        StreamConfigurationMap map =
                ask(id).get(CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP);
        List<int[]> sizes =
                sizes(map == null ? null : map.getOutputSizes(ImageFormat.YUV_420_888));
        int[] chosen = {PREVIEW_WIDTH, PREVIEW_WIDTH * 3 / 4};
        for (int[] size : sizes) {
            if (size[0] >= PREVIEW_WIDTH || sizes.get(0) == size) {
                chosen = size;
            }
        }
        return chosen;
    }

    /** The angle in degrees by which a picture must be turned to be upright. */
    private int turn(String id) {
        CameraCharacteristics told = ask(id);
        Integer sensor = told.get(CameraCharacteristics.SENSOR_ORIENTATION);
        boolean front = "front".equals(facing(told.get(CameraCharacteristics.LENS_FACING)));
        int turned = screen.display().rotation * 90;
        int by = sensor == null ? 0 : sensor;
        return (front ? by + turned : by - turned + 360) % 360;
    }

    @Override
    public Recording record(String id, int[] size, String flash, boolean audio, String path) {
        Running running = new Running(open(id), path);
        boolean begun = false;
        try {
            running.begin(size, turn(id), "on".equals(flash), audio);
            begun = true;
            return running;
        } catch (IOException refused) {
            throw new Failure(Code.FAILED, "The video cannot be written: " + refused.getMessage());
        } catch (IllegalArgumentException | IllegalStateException refused) {
            throw new Failure(Code.FAILED, "Android does not record: " + refused.getMessage());
        } finally {
            if (!begun) {
                running.abort();
            }
        }
    }

    private static void remove(String path) {
        if (!new File(path).delete()) {
            AndroidPhone.note("There was no video to remove.");
        }
    }

    /** A video that is being recorded. */
    private static final class Running implements Recording {
        private final OpenCamera camera;
        private final String path;
        private MediaCodec encoder;
        private Surface surface;
        private Film film;
        private Film.Track pictures;
        private Sound sound;

        Running(OpenCamera camera, String path) {
            this.camera = camera;
            this.path = path;
        }

        void begin(int[] size, int turn, boolean torch, boolean audio) throws IOException {
            film = new Film(path, turn, audio ? 2 : 1);
            encoder = MediaCodec.createEncoderByType(MediaFormat.MIMETYPE_VIDEO_AVC);
            MediaFormat format =
                    MediaFormat.createVideoFormat(
                            MediaFormat.MIMETYPE_VIDEO_AVC, size[0], size[1]);
            format.setInteger(
                    MediaFormat.KEY_COLOR_FORMAT,
                    MediaCodecInfo.CodecCapabilities.COLOR_FormatSurface);
            format.setInteger(
                    MediaFormat.KEY_BIT_RATE, Math.min(MOST_BITS, size[0] * size[1] * 4));
            format.setInteger(MediaFormat.KEY_FRAME_RATE, FRAMES);
            format.setInteger(MediaFormat.KEY_I_FRAME_INTERVAL, 1);
            encoder.configure(format, null, null, MediaCodec.CONFIGURE_FLAG_ENCODE);
            surface = encoder.createInputSurface();
            encoder.start();
            if (audio) {
                sound = new Sound(film);
            }
            camera.begin(Collections.singletonList(surface));
            camera.film(surface, torch);
            pictures = film.record(encoder);
            if (sound != null) {
                film.record(sound.encoder);
                sound.begin();
            }
        }

        @Override
        public long finish() {
            camera.check();
            encoder.signalEndOfInputStream();
            if (sound != null) {
                sound.end();
            }
            film.finish();
            long lasted = pictures.length();
            if (lasted < 0) {
                throw new Failure(Code.FAILED, "The camera gave no pictures.");
            }
            close();
            return lasted;
        }

        private void close() {
            camera.close();
            if (film != null) {
                film.close(); // with the encoders that it reads
            }
            if (encoder != null && pictures == null) {
                encoder.release();
                if (sound != null) {
                    sound.close();
                }
            }
            if (surface != null) {
                surface.release();
            }
        }

        @Override
        public long bytes() {
            return new File(path).length();
        }

        @Override
        public byte[] thumbnail() {
            MediaMetadataRetriever retriever = new MediaMetadataRetriever();
            // The media server reads it through this process: it may not open the file.
            try (FileBytes file = new FileBytes(path)) {
                retriever.setDataSource(file);
                Bitmap frame = retriever.getFrameAtTime();
                return frame == null
                        ? new byte[0]
                        : PictureEncoder.encode(frame, THUMBNAIL, false, THUMBNAIL_QUALITY).data;
            } catch (IOException | RuntimeException unreadable) {
                return new byte[0];
            }
        }

        @Override
        public void abort() {
            close();
            remove(path);
        }
    }

    /** A file that another process reads through this one. */
    static final class FileBytes extends MediaDataSource {
        private final RandomAccessFile file;

        FileBytes(String path) throws IOException {
            file = new RandomAccessFile(path, "r");
        }

        @Override
        public synchronized int readAt(long position, byte[] into, int offset, int size)
                throws IOException {
            if (size == 0) {
                return 0;
            }
            file.seek(position);
            return file.read(into, offset, size);
        }

        @Override
        public long getSize() throws IOException {
            return file.length();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
