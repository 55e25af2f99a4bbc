package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.app.UiAutomation;
import android.util.SparseArray;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Which display keys and buttons are for, while a window of a second one has the focus. */
@RunWith(RobolectricTestRunner.class)
@Config(
        sdk = 34,
        shadows = {
            DisplaysTest.TwoDisplays.class,
            DisplaysTest.Manager.class,
            AndroidAutomationTest.OwnNode.class,
            AndroidAutomationTest.OwnManager.class
        })
public final class DisplaysTest {
    private static final int SECOND = 7;
    private static final List<String> done = new ArrayList<String>();
    private static int focused;

    @Implements(UiAutomation.class)
    public static final class TwoDisplays {
        @Implementation
        protected SparseArray<List<AccessibilityWindowInfo>> getWindowsOnAllDisplays() {
            SparseArray<List<AccessibilityWindowInfo>> all =
                    new SparseArray<List<AccessibilityWindowInfo>>();
            for (int display : new int[] {0, SECOND}) {
                AccessibilityWindowInfo window = new AccessibilityWindowInfo();
                ReflectionHelpers.callInstanceMethod(
                        window,
                        "setFocused",
                        ClassParameter.from(boolean.class, display == focused));
                all.put(display, Collections.singletonList(window));
            }
            return all;
        }

        @Implementation
        protected boolean performGlobalAction(int action) {
            done.add("action " + action);
            return true;
        }

        @Implementation
        protected AccessibilityNodeInfo findFocus(int focus) {
            return null;
        }
    }

    @Implements(className = "android.hardware.input.InputManagerGlobal", minSdk = 34)
    public static final class Manager {
        @Implementation
        protected boolean injectInputEvent(InputEvent event, int mode) {
            KeyEvent key = (KeyEvent) event;
            int display = ReflectionHelpers.callInstanceMethod(key, "getDisplayId");
            done.add((key.getAction() == 0 ? "down " : "up ") + key.getKeyCode() + "@" + display);
            return true;
        }
    }

    private final FakeAndroid android =
            new FakeAndroid(new View(RuntimeEnvironment.getApplication()), 3);
    private final AndroidAutomation automation = new AndroidAutomation();
    private final AndroidInput input = new AndroidInput(automation);

    @Before
    public void take() {
        done.clear();
        focused = SECOND;
        automation.take();
    }

    @After
    public void letGo() {
        automation.release();
    }

    @Test
    public void keysNameThePhonesOwnDisplay() {
        assertTrue(input.key(KeyEvent.KEYCODE_ENTER, 0));
        assertTrue(input.type("a"));
        assertEquals(Arrays.asList("down 66@0", "up 66@0", "down 29@0", "up 29@0"), done);
    }

    @Test
    public void backAndHomeAreKeysOnlyWhileAnotherDisplayHasTheFocus() {
        input.press(Input.Button.BACK);
        input.press(Input.Button.HOME);
        input.press(Input.Button.RECENTS);
        focused = 0;
        input.press(Input.Button.BACK);
        assertEquals(
                Arrays.asList("down 4@0", "up 4@0", "down 3@0", "up 3@0", "action 3", "action 1"),
                done);
    }

    @Test
    public void aFieldOnAnotherDisplayIsNotTheFocusedOne() {
        try {
            new AndroidNodes(automation).focusedField();
            fail("It has the focus.");
        } catch (Failure failure) {
            assertSame(Code.NO_FIELD, failure.code);
            assertEquals(Collections.singletonList(SECOND), failure.data().get("displays"));
        }
        focused = 0;
        assertEquals(null, new AndroidNodes(automation).focusedField());
    }

    @Test
    @Config(sdk = 28)
    public void beforeAndroid11NothingTellsOfOtherDisplays() {
        assertEquals(0, Displays.focused(automation.get()));
    }
}
