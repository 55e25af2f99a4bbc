package dev.handheld.helper.compat;

import android.annotation.SuppressLint;
import android.graphics.ImageFormat;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCaptureSession;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.CaptureFailure;
import android.hardware.camera2.CaptureRequest;
import android.hardware.camera2.CaptureResult;
import android.hardware.camera2.TotalCaptureResult;
import android.media.Image;
import android.media.ImageReader;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.SystemClock;
import android.view.Surface;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An open camera, with a separate thread for camera2's callbacks. */
final class OpenCamera {
    private static final long PATIENCE_MS = 6000;
    /** How long the light is measured at most. */
    private static final long SETTLE_MS = 2000;

    private final CameraCharacteristics told;
    private final HandlerThread thread = new HandlerThread("handheld-camera");
    private final Handler handler;
    private final Runnable closed;
    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<Object>();
    private CameraDevice device;
    private CameraCaptureSession session;

    /** Open it; `closed` is run once it is closed again. */
    @SuppressLint("MissingPermission") // The shell's own.
    OpenCamera(CameraManager manager, String id, Runnable closed) {
        this.closed = closed;
        thread.setDaemon(true);
        thread.start();
        handler = new Handler(thread.getLooper());
        boolean open = false;
        try {
            told = manager.getCameraCharacteristics(id);
            manager.openCamera(id, new State(), handler);
            device = (CameraDevice) await();
            open = true;
        } catch (CameraAccessException refused) {
            throw refusal(refused);
        } catch (SecurityException refused) {
            throw new Failure(
                    Code.FAILED, "Android refused the camera: " + refused.getMessage());
        } finally {
            if (!open) {
                thread.quitSafely();
            }
        }
    }

    static Failure refusal(CameraAccessException refused) {
        switch (refused.getReason()) {
            case CameraAccessException.CAMERA_DISABLED:
                return new Failure(Code.FAILED, "A policy of this phone forbids its cameras.");
            case CameraAccessException.CAMERA_IN_USE:
            case CameraAccessException.MAX_CAMERAS_IN_USE:
                return new Failure(Code.FAILED, "The camera is in use.");
            default:
                return new Failure(Code.FAILED, "The camera failed: " + refused.getMessage());
        }
    }

    private static Failure refusal(int error) {
        switch (error) {
            case CameraDevice.StateCallback.ERROR_CAMERA_DISABLED:
                return new Failure(Code.FAILED, "A policy of this phone forbids its cameras.");
            case CameraDevice.StateCallback.ERROR_CAMERA_IN_USE:
            case CameraDevice.StateCallback.ERROR_MAX_CAMERAS_IN_USE:
                return new Failure(Code.FAILED, "The camera is in use.");
            default:
                return new Failure(Code.FAILED, "The camera failed with error " + error + ".");
        }
    }

    /** Wait for camera2's next callback. */
    private Object await() {
        return await(answers, PATIENCE_MS, true);
    }

    private static Object await(BlockingQueue<Object> answers, long ms, boolean needed) {
        Object next;
        try {
            next = answers.poll(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        if (next instanceof Failure) {
            throw (Failure) next;
        }
        if (next == null && needed) {
            throw new Failure(Code.FAILED, "The camera did not answer in time.");
        }
        return next;
    }

    private final class State extends CameraDevice.StateCallback {
        @Override
        public void onOpened(CameraDevice camera) {
            answers.add(camera);
        }

        @Override
        public void onDisconnected(CameraDevice camera) {
            camera.close();
            answers.add(new Failure(Code.FAILED, "Another program took the camera."));
        }

        @Override
        public void onError(CameraDevice camera, int error) {
            camera.close();
            answers.add(refusal(error));
        }
    }

    /** A reader whose pictures only serve to measure the light. */
    ImageReader preview(int[] size) {
        ImageReader reader =
                ImageReader.newInstance(size[0], size[1], ImageFormat.YUV_420_888, 3);
        reader.setOnImageAvailableListener(
                new ImageReader.OnImageAvailableListener() {
                    @Override
                    public void onImageAvailable(ImageReader from) {
                        Image image = from.acquireLatestImage();
                        if (image != null) {
                            image.close();
                        }
                    }
                },
                handler);
        return reader;
    }

    @SuppressWarnings("deprecation") // The newer method came with API 28.
    void begin(List<Surface> surfaces) {
        try {
            device.createCaptureSession(
                    surfaces,
                    new CameraCaptureSession.StateCallback() {
                        @Override
                        public void onConfigured(CameraCaptureSession configured) {
                            answers.add(configured);
                        }

                        @Override
                        public void onConfigureFailed(CameraCaptureSession refused) {
                            answers.add(
                                    new Failure(
                                            Code.FAILED, "The camera does not take that size."));
                        }
                    },
                    handler);
        } catch (CameraAccessException refused) {
            throw refusal(refused);
        }
        session = (CameraCaptureSession) await();
    }

    private void light(CaptureRequest.Builder request, String flash) {
        int wanted = CaptureRequest.CONTROL_AE_MODE_ON;
        if ("auto".equals(flash)) {
            wanted = CaptureRequest.CONTROL_AE_MODE_ON_AUTO_FLASH;
        } else if ("on".equals(flash)) {
            wanted = CaptureRequest.CONTROL_AE_MODE_ON_ALWAYS_FLASH;
        }
        request.set(
                CaptureRequest.CONTROL_AE_MODE,
                Metering.mode(
                        told.get(CameraCharacteristics.CONTROL_AE_AVAILABLE_MODES),
                        wanted,
                        CaptureRequest.CONTROL_AE_MODE_ON));
        request.set(CaptureRequest.CONTROL_AF_MODE, focus());
    }

    /** Front cameras often have a fixed focus. */
    private int focus() {
        return Metering.mode(
                told.get(CameraCharacteristics.CONTROL_AF_AVAILABLE_MODES),
                CaptureRequest.CONTROL_AF_MODE_CONTINUOUS_PICTURE,
                CaptureRequest.CONTROL_AF_MODE_AUTO,
                CaptureRequest.CONTROL_AF_MODE_OFF);
    }

    /** Wait until light and focus are measured. After some seconds the photo is taken anyway. */
    void settle(Surface preview, String flash) {
        final BlockingQueue<Object> states = new LinkedBlockingQueue<Object>();
        CameraCaptureSession.CaptureCallback looks =
                new CameraCaptureSession.CaptureCallback() {
                    @Override
                    public void onCaptureCompleted(
                            CameraCaptureSession from,
                            CaptureRequest asked,
                            TotalCaptureResult result) {
                        states.add(
                                new Integer[] {
                                    result.get(CaptureResult.CONTROL_AE_STATE),
                                    result.get(CaptureResult.CONTROL_AF_STATE)
                                });
                    }
                };
        try {
            CaptureRequest.Builder request =
                    device.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW);
            request.addTarget(preview);
            light(request, flash);
            session.setRepeatingRequest(request.build(), looks, handler);
            boolean searches = focus() == CaptureRequest.CONTROL_AF_MODE_AUTO;
            if (searches) {
                request.set(
                        CaptureRequest.CONTROL_AF_TRIGGER,
                        CaptureRequest.CONTROL_AF_TRIGGER_START);
                session.capture(request.build(), looks, handler);
                request.set(
                        CaptureRequest.CONTROL_AF_TRIGGER,
                        CaptureRequest.CONTROL_AF_TRIGGER_IDLE);
            }
            Integer light = await(states, new Metering(false));
            if (Metering.needsFlash(flash, light)) {
                request.set(
                        CaptureRequest.CONTROL_AE_PRECAPTURE_TRIGGER,
                        CaptureRequest.CONTROL_AE_PRECAPTURE_TRIGGER_START);
                session.capture(request.build(), looks, handler);
                await(states, new Metering(true));
            }
        } catch (CameraAccessException refused) {
            throw refusal(refused);
        }
    }

    /** Return the last reported state of the light. */
    private static Integer await(BlockingQueue<Object> states, Metering metering) {
        long until = SystemClock.elapsedRealtime() + SETTLE_MS;
        Integer light = null;
        while (true) {
            long left = until - SystemClock.elapsedRealtime();
            Integer[] state = left <= 0 ? null : (Integer[]) await(states, left, false);
            if (state == null || metering.isDone(state[0], state[1])) {
                return state == null ? light : state[0];
            }
            light = state[0];
        }
    }

    private static Failure noPhoto() {
        return new Failure(Code.FAILED, "The camera failed to take the photo.");
    }

    Image capture(ImageReader pictures, String flash, int quality, int turn) {
        pictures.setOnImageAvailableListener(
                new ImageReader.OnImageAvailableListener() {
                    @Override
                    public void onImageAvailable(ImageReader from) {
                        answers.add(from.acquireNextImage());
                    }
                },
                handler);
        try {
            CaptureRequest.Builder request =
                    device.createCaptureRequest(CameraDevice.TEMPLATE_STILL_CAPTURE);
            request.addTarget(pictures.getSurface());
            light(request, flash);
            request.set(CaptureRequest.JPEG_QUALITY, (byte) quality);
            request.set(CaptureRequest.JPEG_ORIENTATION, turn);
            session.capture(
                    request.build(),
                    new CameraCaptureSession.CaptureCallback() {
                        @Override
                        public void onCaptureFailed(
                                CameraCaptureSession from,
                                CaptureRequest asked,
                                CaptureFailure failure) {
                            answers.add(noPhoto());
                        }

                        @Override
                        public void onCaptureBufferLost(
                                CameraCaptureSession from,
                                CaptureRequest asked,
                                Surface target,
                                long number) {
                            answers.add(noPhoto());
                        }
                    },
                    handler);
        } catch (CameraAccessException refused) {
            throw refusal(refused);
        }
        return (Image) await();
    }

    void film(Surface surface, boolean torch) {
        try {
            CaptureRequest.Builder request =
                    device.createCaptureRequest(CameraDevice.TEMPLATE_RECORD);
            request.addTarget(surface);
            if (torch) {
                request.set(CaptureRequest.FLASH_MODE, CaptureRequest.FLASH_MODE_TORCH);
            }
            session.setRepeatingRequest(request.build(), null, handler);
        } catch (CameraAccessException refused) {
            throw refusal(refused);
        }
    }

    /**
     * Rethrow the reason why the camera ended, if it has ended: another program may take a camera.
     */
    void check() {
        await(answers, 0, false);
    }

    void close() {
        device.close();
        thread.quitSafely();
        closed.run();
    }
}
