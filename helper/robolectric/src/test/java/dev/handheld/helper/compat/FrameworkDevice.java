package dev.handheld.helper.compat;

import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Threads;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.robolectric.RuntimeEnvironment;

/**
 * The helper's own device, in the app's process because there is no other one here. Only its clock
 * and its threads are another's.
 */
public final class FrameworkDevice {
    private FrameworkDevice() {}

    public static <T extends Clock & Threads> Device open(final T time)
            throws ReflectiveOperationException {
        Constructor<AndroidDevice> make =
                AndroidDevice.class.getDeclaredConstructor(ShellContext.class);
        make.setAccessible(true);
        final Device device = make.newInstance(new ShellContext(RuntimeEnvironment.getApplication()));
        return (Device)
                Proxy.newProxyInstance(
                        FrameworkDevice.class.getClassLoader(),
                        new Class<?>[] {Device.class},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] arguments)
                                    throws Throwable {
                                if (method.getReturnType() == Clock.class
                                        || method.getReturnType() == Threads.class) {
                                    return time;
                                }
                                try {
                                    return method.invoke(device, arguments);
                                } catch (InvocationTargetException thrown) {
                                    throw thrown.getCause();
                                }
                            }
                        });
    }
}
