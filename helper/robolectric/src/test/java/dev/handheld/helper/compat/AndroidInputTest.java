package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.MotionEvent;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/**
 * What is injected, and what becomes of Android's answer. On 34 alone: the class that is looked for
 * first is on the class path here, in older versions as well.
 */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 34, shadows = AndroidInputTest.Manager.class)
public final class AndroidInputTest {
    private static final List<String> injected = new ArrayList<String>();
    private static boolean taken;
    private static RuntimeException refusal;

    /** Android's side. */
    @Implements(className = "android.hardware.input.InputManagerGlobal", minSdk = 34)
    public static final class Manager {
        @Implementation
        protected boolean injectInputEvent(InputEvent event, int mode) {
            if (refusal != null) {
                throw refusal;
            }
            injected.add(name(event) + " mode " + mode);
            return taken;
        }
    }

    private static String name(InputEvent event) {
        if (event instanceof KeyEvent) {
            KeyEvent key = (KeyEvent) event;
            boolean down = key.getAction() == KeyEvent.ACTION_DOWN;
            return (down ? "key " : "key up ") + key.getKeyCode();
        }
        MotionEvent touch = (MotionEvent) event;
        assertEquals(InputDevice.SOURCE_TOUCHSCREEN, touch.getSource());
        boolean cancel = touch.getAction() == MotionEvent.ACTION_CANCEL;
        assertEquals(cancel ? MotionEvent.FLAG_CANCELED : 0, touch.getFlags());
        StringBuilder name = new StringBuilder(MotionEvent.actionToString(touch.getAction()));
        for (int finger = 0; finger < touch.getPointerCount(); finger++) {
            name.append(" ").append(touch.getPointerId(finger));
            name.append("@").append((int) touch.getX(finger));
            name.append(",").append((int) touch.getY(finger));
        }
        return name.toString();
    }

    private final AndroidInput input = new AndroidInput(new AndroidAutomation());

    @Before
    public void clear() {
        injected.clear();
        taken = true;
        refusal = null;
    }

    private boolean touch(Input.Touch action, int changed, Pointer... down) {
        return input.touch(action, changed, Arrays.asList(down), 0);
    }

    @Test
    public void theFirstTouchWaitsForAWindowTheLastForTheAppAndTheRestForNobody() {
        Pointer one = new Pointer(0, 10, 20);
        Pointer two = new Pointer(1, 30, 40);

        touch(Input.Touch.DOWN, 0, one);
        touch(Input.Touch.DOWN, 1, one, two);
        touch(Input.Touch.MOVE, 0, one, two);
        touch(Input.Touch.UP, 0, one, two);
        touch(Input.Touch.UP, 0, two);
        touch(Input.Touch.CANCEL, -1, one);

        assertEquals(
                Arrays.asList(
                        "ACTION_DOWN 0@10,20 mode 1",
                        "ACTION_POINTER_DOWN(1) 0@10,20 1@30,40 mode 0",
                        "ACTION_MOVE 0@10,20 1@30,40 mode 0",
                        "ACTION_POINTER_UP(0) 0@10,20 1@30,40 mode 0",
                        "ACTION_UP 1@30,40 mode 2",
                        "ACTION_CANCEL 0@10,20 mode 0"),
                injected);
    }

    @Test
    public void aTouchThatAndroidDoesNotTakeIsTold() {
        assertTrue(touch(Input.Touch.DOWN, 0, new Pointer(0, 10, 20)));
        taken = false;
        for (Input.Touch action : Input.Touch.values()) {
            assertFalse(touch(action, 0, new Pointer(0, 10, 20)));
        }
    }

    @Test
    public void aRefusalIsToldAndBelievedForAWhile() {
        input.check();
        refusal = new SecurityException("requires INJECT_EVENTS");
        for (int time = 0; time < 2; time++) {
            try {
                if (time == 0) {
                    touch(Input.Touch.DOWN, 0, new Pointer(0, 10, 20));
                } else {
                    input.check();
                }
                fail("It was refused.");
            } catch (Failure failure) {
                assertEquals(Code.INPUT_REFUSED, failure.code);
                assertEquals(Happened.NO, failure.happened);
                assertEquals("requires INJECT_EVENTS", failure.getMessage());
            }
        }
    }

    @Test
    public void aKeyGoesDownAndUp() {
        assertTrue(input.key(KeyEvent.KEYCODE_ENTER, 0));
        assertEquals(Arrays.asList("key 66 mode 2", "key up 66 mode 2"), injected);

        taken = false;
        assertFalse(input.key(KeyEvent.KEYCODE_ENTER, 0));
    }
}
