package dev.handheld.helper.compat;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.hardware.camera2.CameraMetadata;
import android.media.MediaCodec;
import android.media.MediaFormat;
import dev.handheld.helper.protocol.Failure;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;

@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34, 35})
public final class AndroidCamerasTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    private static final Integer CONVERGED = CameraMetadata.CONTROL_AE_STATE_CONVERGED;
    private static final Integer DARK = CameraMetadata.CONTROL_AE_STATE_FLASH_REQUIRED;
    private static final Integer SEARCHING = CameraMetadata.CONTROL_AE_STATE_SEARCHING;
    private static final Integer FLASHING = CameraMetadata.CONTROL_AE_STATE_PRECAPTURE;
    private static final Integer FOCUSED = CameraMetadata.CONTROL_AF_STATE_PASSIVE_FOCUSED;
    private static final Integer SCANNING = CameraMetadata.CONTROL_AF_STATE_PASSIVE_SCAN;

    // A photo

    @Test
    public void aPhotoWaitsForTheLightAndTheFocus() {
        Metering metering = new Metering(false);

        assertFalse(metering.isDone(SEARCHING, FOCUSED));
        assertFalse(metering.isDone(CONVERGED, SCANNING));
        assertTrue(metering.isDone(CONVERGED, FOCUSED));
        assertTrue(metering.isDone(CONVERGED, CameraMetadata.CONTROL_AF_STATE_INACTIVE));
        assertTrue(metering.isDone(null, null));
    }

    @Test
    public void aFlashIsMeasuredBeforeThePhoto() {
        Metering metering = new Metering(true);

        assertFalse("before the flash", metering.isDone(DARK, FOCUSED));
        assertFalse(metering.isDone(FLASHING, FOCUSED));
        assertTrue(metering.isDone(CONVERGED, FOCUSED));
    }

    @Test
    public void theCameraTellsWhetherTheFlashIsNeeded() {
        assertTrue(Metering.needsFlash("on", CONVERGED));
        assertTrue(Metering.needsFlash("auto", DARK));
        assertFalse(Metering.needsFlash("auto", CONVERGED));
        assertFalse(Metering.needsFlash("auto", null));
        assertFalse(Metering.needsFlash("off", DARK));
    }

    @Test
    public void aModeIsOneThatTheCameraHas() {
        int continuous = CameraMetadata.CONTROL_AF_MODE_CONTINUOUS_PICTURE;
        int fixed = CameraMetadata.CONTROL_AF_MODE_OFF;

        assertEquals(continuous, Metering.mode(new int[] {fixed, continuous}, continuous, fixed));
        assertEquals(fixed, Metering.mode(new int[] {fixed}, continuous, fixed));
        assertEquals(fixed, Metering.mode(null, continuous, fixed));
    }

    // A video

    private static MediaFormat pictures() {
        return MediaFormat.createVideoFormat(MediaFormat.MIMETYPE_VIDEO_AVC, 640, 480);
    }

    private static void write(Film film, int track, byte[] sample) {
        MediaCodec.BufferInfo info = new MediaCodec.BufferInfo();
        info.set(0, sample.length, 0, 0);
        film.write(track, ByteBuffer.wrap(sample), info);
    }

    @Test
    public void thisProcessWritesTheVideo() throws Exception {
        File path = new File(folder.getRoot(), "a.mp4");
        Film film = new Film(path.getPath(), 90, 1);

        int track = film.add(pictures());
        write(film, track, new byte[] {1, 2, 3});
        film.finish();
        film.close();

        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(path.toPath()));
    }

    @Test
    public void aVideoThatGotNothingIsAFault() throws Exception {
        Film film = new Film(new File(folder.getRoot(), "a.mp4").getPath(), 0, 2);
        try {
            film.finish();
            fail();
        } catch (Failure nothing) {
            assertEquals(
                    "The camera or the microphone gave nothing.", nothing.getMessage());
        }
        film.close();
    }

    @Test
    public void theFirstFaultIsTold() throws Exception {
        Film film = new Film(new File(folder.getRoot(), "a.mp4").getPath(), 0, 2);
        film.breakOff(new IllegalStateException("the microphone"));
        film.breakOff(new IllegalStateException("its consequence"));

        assertEquals("a format that came later", 0, film.add(pictures()));
        try {
            film.finish();
            fail();
        } catch (IllegalStateException first) {
            assertEquals("the microphone", first.getMessage());
        }
        film.close();
    }

    @Test
    public void aFileIsReadForAnotherProcess() throws Exception {
        File path = folder.newFile();
        Files.write(path.toPath(), new byte[] {1, 2, 3, 4});
        try (AndroidCameras.FileBytes bytes = new AndroidCameras.FileBytes(path.getPath())) {
            byte[] into = new byte[5];

            assertEquals(4, bytes.getSize());
            assertEquals(2, bytes.readAt(2, into, 1, 4));
            assertArrayEquals(new byte[] {0, 3, 4, 0, 0}, into);
            assertEquals("the end", -1, bytes.readAt(4, into, 0, 1));
            assertEquals(0, bytes.readAt(4, into, 0, 0));
        }
    }
}
