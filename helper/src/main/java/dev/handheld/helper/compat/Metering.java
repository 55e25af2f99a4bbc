package dev.handheld.helper.compat;

import android.hardware.camera2.CameraMetadata;

/**
 * Decides from a camera's reports on light and focus whether a photo can be taken. Null stands for
 * a camera that does not report one.
 */
final class Metering {
    /** Whether the flash is metered, too, by a flash before the photo. */
    private final boolean withFlash;
    private boolean measuring;

    Metering(boolean withFlash) {
        this.withFlash = withFlash;
    }

    /** Whether a photo can be taken after this picture. */
    boolean isDone(Integer light, Integer focus) {
        measuring |= is(light, CameraMetadata.CONTROL_AE_STATE_PRECAPTURE);
        return isLit(light) && isFocused(focus) && (measuring || light == null || !withFlash);
    }

    /** Whether the flash will fire: in automatic mode only the camera itself knows. */
    static boolean needsFlash(String flash, Integer light) {
        return "on".equals(flash)
                || "auto".equals(flash)
                        && is(light, CameraMetadata.CONTROL_AE_STATE_FLASH_REQUIRED);
    }

    private static boolean isLit(Integer light) {
        return light == null
                || is(light, CameraMetadata.CONTROL_AE_STATE_CONVERGED)
                || is(light, CameraMetadata.CONTROL_AE_STATE_FLASH_REQUIRED)
                || is(light, CameraMetadata.CONTROL_AE_STATE_LOCKED);
    }

    /** Also true for a focus that gave up: a wall without a pattern has no focus. */
    private static boolean isFocused(Integer focus) {
        return focus == null
                || !is(focus, CameraMetadata.CONTROL_AF_STATE_PASSIVE_SCAN)
                        && !is(focus, CameraMetadata.CONTROL_AF_STATE_ACTIVE_SCAN);
    }

    private static boolean is(Integer state, int other) {
        return state != null && state == other;
    }

    /** The first of the wanted modes that the camera has; the last one if it has none of them. */
    static int mode(int[] available, int... wanted) {
        for (int mode : wanted) {
            for (int each : available == null ? new int[0] : available) {
                if (each == mode) {
                    return mode;
                }
            }
        }
        return wanted[wanted.length - 1];
    }
}
