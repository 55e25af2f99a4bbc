package dev.handheld.helper.compat;

import dev.handheld.helper.device.Device;
import java.lang.reflect.Constructor;
import org.robolectric.RuntimeEnvironment;

/** The helper's own device, in the process of the app: there is no other one here. */
public final class FrameworkDevice {
    private FrameworkDevice() {}

    public static Device open() throws ReflectiveOperationException {
        Constructor<AndroidDevice> make =
                AndroidDevice.class.getDeclaredConstructor(ShellContext.class);
        make.setAccessible(true);
        return make.newInstance(new ShellContext(RuntimeEnvironment.getApplication()));
    }
}
