package dev.handheld.helper.compat;

import android.annotation.SuppressLint;
import android.content.Context;
import android.graphics.Bitmap;
import android.graphics.ImageFormat;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.params.StreamConfigurationMap;
import android.media.Image;
import android.media.ImageReader;
import android.media.MediaMetadataRetriever;
import android.media.MediaRecorder;
import android.os.Build;
import android.os.SystemClock;
import android.util.Size;
import android.view.Surface;
import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.File;
import java.io.IOException;
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
    private static final int SOUND_BITS = 128_000;
    private static final int SOUND_RATE = 44_100;
    private static final long LARGEST_VIDEO = 256L * 1024 * 1024;

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
        Size[] videos = map == null ? null : map.getOutputSizes(MediaRecorder.class);
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

    /** The smallest size that is wide enough to tell the light. */
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

    /** By how much a picture is turned, so that what is up is up, in degrees. */
    private int turn(String id) {
        CameraCharacteristics told = ask(id);
        Integer sensor = told.get(CameraCharacteristics.SENSOR_ORIENTATION);
        boolean front = "front".equals(facing(told.get(CameraCharacteristics.LENS_FACING)));
        int turned = screen.display().rotation * 90;
        int by = sensor == null ? 0 : sensor;
        return (front ? by + turned : by - turned + 360) % 360;
    }

    @SuppressLint("MissingPermission") // The shell's own.
    @SuppressWarnings("deprecation") // The newer constructor does the same with this context.
    @Override
    public Recording record(String id, int[] size, String flash, boolean audio, String path) {
        OpenCamera camera = open(id);
        MediaRecorder recorder = new MediaRecorder();
        boolean begun = false;
        try {
            if (audio) {
                recorder.setAudioSource(MediaRecorder.AudioSource.CAMCORDER);
            }
            recorder.setVideoSource(MediaRecorder.VideoSource.SURFACE);
            recorder.setOutputFormat(MediaRecorder.OutputFormat.MPEG_4);
            recorder.setVideoEncoder(MediaRecorder.VideoEncoder.H264);
            recorder.setVideoSize(size[0], size[1]);
            recorder.setVideoFrameRate(FRAMES);
            recorder.setVideoEncodingBitRate(Math.min(MOST_BITS, size[0] * size[1] * 4));
            if (audio) {
                recorder.setAudioEncoder(MediaRecorder.AudioEncoder.AAC);
                recorder.setAudioEncodingBitRate(SOUND_BITS);
                recorder.setAudioSamplingRate(SOUND_RATE);
            }
            recorder.setOrientationHint(turn(id));
            recorder.setMaxFileSize(LARGEST_VIDEO);
            recorder.setOutputFile(path);
            recorder.prepare();
            Surface surface = recorder.getSurface();
            camera.begin(Collections.singletonList(surface));
            camera.film(surface, "on".equals(flash));
            recorder.start();
            begun = true;
            return new Running(camera, recorder, path);
        } catch (IOException refused) {
            throw new Failure(Code.FAILED, "The video cannot be written: " + refused.getMessage());
        } catch (IllegalStateException refused) {
            throw new Failure(Code.FAILED, "Android does not record: " + refused.getMessage());
        } finally {
            if (!begun) {
                recorder.release();
                camera.close();
                remove(path);
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
        private final MediaRecorder recorder;
        private final String path;
        private final long began = SystemClock.elapsedRealtime();

        Running(OpenCamera camera, MediaRecorder recorder, String path) {
            this.camera = camera;
            this.recorder = recorder;
            this.path = path;
        }

        @Override
        public long finish() {
            camera.check();
            try {
                recorder.stop();
            } catch (RuntimeException empty) {
                throw new Failure(Code.FAILED, "The camera gave no pictures.");
            }
            long lasted = SystemClock.elapsedRealtime() - began;
            close();
            return lasted;
        }

        private void close() {
            recorder.release();
            camera.close();
        }

        @Override
        public long bytes() {
            return new File(path).length();
        }

        @Override
        public byte[] thumbnail() {
            MediaMetadataRetriever retriever = new MediaMetadataRetriever();
            try {
                retriever.setDataSource(path);
                Bitmap frame = retriever.getFrameAtTime();
                return frame == null
                        ? new byte[0]
                        : PictureEncoder.encode(frame, THUMBNAIL, false, THUMBNAIL_QUALITY).data;
            } catch (RuntimeException unreadable) {
                return new byte[0];
            }
        }

        @Override
        public void abort() {
            close();
            remove(path);
        }
    }
}
