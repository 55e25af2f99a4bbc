package dev.handheld.helper.framework;

import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.MotionEvent;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowInputManager;
import org.robolectric.shadows.ShadowInputManagerGlobal;

/**
 * Injected events go to the window at their place, or the one with the focus: on a phone the native
 * input dispatcher decides that, which a JVM does not have. From the window's ViewRootImpl on, with
 * all its stages, everything is Android's own.
 */
final class InputRoute {
    /** Asynchronous: on a phone input does not wait for the next frame, as messages do. */
    private static final Handler main = Handler.createAsync(Looper.getMainLooper());

    /** Where the finger went down: the whole gesture belongs to that window. */
    private static WindowList.Root touched;

    private InputRoute() {}

    /** Returns when the app has handled it, as INJECT_INPUT_EVENT_MODE_WAIT_FOR_FINISH does. */
    static boolean inject(final InputEvent event) {
        FutureTask<Boolean> task =
                new FutureTask<Boolean>(
                        new Callable<Boolean>() {
                            @Override
                            public Boolean call() throws Exception {
                                return dispatch(event);
                            }
                        });
        main.post(task);
        // After the message by which the window delivers it.
        FutureTask<Void> after = new FutureTask<Void>(new NoWork(), null);
        try {
            boolean routed = task.get();
            main.post(after);
            after.get();
            return routed;
        } catch (ExecutionException thrown) {
            throw new IllegalStateException(thrown.getCause());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Press and release a key. */
    static void press(int code) {
        long now = SystemClock.uptimeMillis();
        for (int action : new int[] {KeyEvent.ACTION_DOWN, KeyEvent.ACTION_UP}) {
            inject(
                    new KeyEvent(
                            now, now, action, code, 0, 0, -1, 0, 0, InputDevice.SOURCE_KEYBOARD));
        }
    }

    private static boolean dispatch(InputEvent event) throws Exception {
        WindowList.update();
        WindowList.Root root;
        InputEvent own = event;
        if (event instanceof MotionEvent) {
            MotionEvent motion = (MotionEvent) event;
            if (motion.getActionMasked() == MotionEvent.ACTION_DOWN) {
                touched = WindowList.at((int) motion.getX(), (int) motion.getY());
            }
            root = touched;
            if (root != null) {
                MotionEvent moved = MotionEvent.obtain(motion);
                moved.offsetLocation(-root.bounds.left, -root.bounds.top);
                own = moved;
            }
        } else {
            root = WindowList.focused();
        }
        if (root == null) {
            return false;
        }
        Method deliver = root.impl.getClass().getMethod("dispatchInputEvent", InputEvent.class);
        deliver.invoke(root.impl, own);
        return true;
    }

    private static final class NoWork implements Runnable {
        @Override
        public void run() {}
    }

    @Implements(value = android.hardware.input.InputManager.class)
    public static final class Manager extends ShadowInputManager {
        @Implementation(maxSdk = 33)
        protected boolean injectInputEvent(InputEvent event, int mode) {
            return inject(event);
        }
    }

    @Implements(
            className = "android.hardware.input.InputManagerGlobal",
            minSdk = 34,
            isInAndroidSdk = false)
    public static final class Global extends ShadowInputManagerGlobal {
        @Implementation
        protected boolean injectInputEvent(InputEvent event, int mode) {
            return inject(event);
        }
    }
}
