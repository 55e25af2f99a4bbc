package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.content.Context;
import android.content.res.Resources;
import android.os.SystemClock;
import android.view.MotionEvent;
import android.view.ScaleGestureDetector;
import android.view.ViewConfiguration;
import dev.handheld.helper.commands.Commands;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.device.Scaling;
import dev.handheld.helper.protocol.OneCommand;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowSystemClock;

/** The events of `pinch` before Android's own ScaleGestureDetector, as an app has it. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34}, shadows = PinchTest.AndroidsOwn.class)
public final class PinchTest {
    /** Replaces Robolectric's, which has a different slop, with nothing. */
    @Implements(ViewConfiguration.class)
    public static final class AndroidsOwn {}

    private static final String OLD = "w360dp-h640dp-xhdpi";
    private static final String PIXEL = "w411dp-h891dp-420dpi";
    private static final String LARGE = "w360dp-h780dp-xxhdpi";

    private final Context context = RuntimeEnvironment.getApplication();
    private final AndroidScreen screen =
            new AndroidScreen(context, new AndroidAutomation(), new WindowDump());

    /** An app that scales, and the way to it in place of Android's input dispatcher. */
    private static final class App
            implements Input, ScaleGestureDetector.OnScaleGestureListener {
        final ScaleGestureDetector detector;
        /** Between two looks at what moved; 0 where it sees every event. */
        final long frame;
        private MotionEvent waiting;
        private long next;
        int begun;
        double factor = 1;
        float focusX;
        float focusY;

        App(Context context, long frame) {
            detector = new ScaleGestureDetector(context, this);
            this.frame = frame;
        }

        @Override
        public boolean onScaleBegin(ScaleGestureDetector scaling) {
            begun++;
            return true;
        }

        @Override
        public boolean onScale(ScaleGestureDetector scaling) {
            factor *= scaling.getScaleFactor();
            focusX = scaling.getFocusX();
            focusY = scaling.getFocusY();
            return true;
        }

        @Override
        public void onScaleEnd(ScaleGestureDetector scaling) {}

        @Override
        public void check() {}

        @Override
        public boolean touch(Touch action, int changed, List<Pointer> down, double downTime) {
            MotionEvent event = AndroidInput.event(action, changed, down, downTime);
            if (action != Touch.MOVE || event.getEventTime() >= next) {
                look();
            }
            waiting = event;
            if (action != Touch.MOVE || frame == 0) {
                look();
            }
            return true;
        }

        /** Of what has moved since the last time the newest place alone is told. */
        private void look() {
            if (waiting != null) {
                detector.onTouchEvent(waiting);
                waiting = null;
                next = SystemClock.uptimeMillis() + frame;
            }
        }

        @Override
        public boolean key(int keyCode, int meta) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean type(String character) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean press(Button button) {
            throw new UnsupportedOperationException();
        }
    }

    /** Time passes when somebody waits. */
    private static final class Uptime implements Clock {
        @Override
        public double now() {
            return SystemClock.uptimeMillis();
        }

        @Override
        public void await(Object monitor, double until) {
            ShadowSystemClock.advanceBy(Duration.ofMillis((long) Math.ceil(until - now())));
        }

        @Override
        public void wake(Object monitor) {}
    }

    private Device device(Input input) {
        final Map<String, Object> parts = new HashMap<String, Object>();
        parts.put("screen", screen);
        parts.put("input", input);
        parts.put("clock", new Uptime());
        parts.put("phone", new AndroidPhone(context));
        return (Device)
                Proxy.newProxyInstance(
                        Device.class.getClassLoader(),
                        new Class<?>[] {Device.class},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] given) {
                                return parts.get(method.getName());
                            }
                        });
    }

    private void checkScales() {
        checkScales(0, 17, 300, 2000);
    }

    private void checkScales(long frame, long... durations) {
        Display display = screen.display();
        double x = display.width / 2;
        double y = display.height / 2;
        for (double scale : new double[] {0.5, 1.5, 2, 3, 5}) {
            for (long duration : durations) {
                App app = new App(context, frame);
                Map<String, Object> with = new HashMap<String, Object>();
                with.put("x", x);
                with.put("y", y);
                with.put("scale", scale);
                with.put("duration_ms", duration);
                Object reply =
                        OneCommand.run(device(app), Commands.all().get("pinch"), with)
                                .get("scale");
                double reached = (Double) reply;
                String what = "scale " + scale + " in " + duration + " ms";
                assertEquals(what, 1, app.begun);
                assertEquals(what, 1, app.factor / reached, 0.02);
                assertEquals(what, x, app.focusX, 1);
                assertEquals(what, y, app.focusY, 1);
                // Nothing in the middle of a phone keeps it from these.
                assertTrue(what, reached == scale || scale > 2.5 && reached > 2.5);
            }
        }
    }

    @Config(qualifiers = OLD)
    @Test
    public void anAppScalesByWhatTheReplySaysAt320Dpi() {
        checkScales();
    }

    @Config(qualifiers = PIXEL)
    @Test
    public void anAppScalesByWhatTheReplySaysAt420Dpi() {
        checkScales();
    }

    @Config(qualifiers = LARGE)
    @Test
    public void anAppScalesByWhatTheReplySaysAt480Dpi() {
        checkScales();
    }

    @Config(qualifiers = PIXEL)
    @Test
    public void anAppThatLooksOnceAFrameScalesByTheSame() {
        for (long frame : new long[] {8, 17, 33}) {
            checkScales(frame, 300, 2000);
        }
    }

    private void checkBounds() {
        Scaling scaling = screen.scaling();
        ViewConfiguration android = ViewConfiguration.get(context);
        Resources system = Resources.getSystem();
        int span = system.getIdentifier("config_minScalingSpan", "dimen", "android");
        assertEquals(context.getResources().getDimensionPixelSize(span), scaling.span);
        assertEquals(2 * android.getScaledTouchSlop(), scaling.slop);
        if (RuntimeEnvironment.getApiLevel() >= 29) {
            assertEquals(android.getScaledMinimumScalingSpan(), scaling.span);
        }
    }

    @Config(qualifiers = OLD)
    @Test
    public void theBoundsOfScalingAreTheAppsOwnAt320Dpi() {
        checkBounds();
    }

    @Config(qualifiers = PIXEL)
    @Test
    public void theBoundsOfScalingAreTheAppsOwnAt420Dpi() {
        checkBounds();
        assertEquals(446, screen.scaling().span);
    }
}
