package dev.handheld.helper.compat;

import dev.handheld.helper.device.Device;

/** The phone that this program runs on. */
public final class AndroidDevice {
    private AndroidDevice() {}

    /** Make the process able to speak with Android's services, then say what it can do. */
    public static Device open() {
        throw new UnsupportedOperationException("There is no way to Android's services yet.");
    }
}
