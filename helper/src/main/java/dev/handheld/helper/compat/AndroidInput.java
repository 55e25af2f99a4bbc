package dev.handheld.helper.compat;

import android.accessibilityservice.AccessibilityService;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.List;

/** Fingers and keys, injected as the shell. */
final class AndroidInput implements Input {
    private static final String GLOBAL = "android.hardware.input.InputManagerGlobal";
    private static final String MANAGER = "android.hardware.input.InputManager";
    /** Not waiting, so that a gesture keeps its time. */
    private static final int ASYNC = 0;
    /** Until the app has taken it. */
    private static final int WAIT_FOR_FINISH = 2;
    /** How long a refusal is believed without another try. */
    private static final long REFUSED_MS = 10_000;

    static final Hidden INSTANCE =
            Hidden.method(
                    Hidden.form(GLOBAL, "getInstance", "since 34"),
                    Hidden.form(MANAGER, "getInstance", "until 33"));
    static final Hidden INJECT =
            Hidden.method(
                    Hidden.form(
                            GLOBAL,
                            "injectInputEvent",
                            "since 34",
                            "android.view.InputEvent",
                            "int"),
                    Hidden.form(
                            MANAGER,
                            "injectInputEvent",
                            "until 33",
                            "android.view.InputEvent",
                            "int"));

    private final AndroidAutomation automation;
    private volatile String refused;
    private volatile long refusedAt;

    AndroidInput(AndroidAutomation automation) {
        this.automation = automation;
    }

    @Override
    public void check() {
        String words = refused;
        if (words != null && SystemClock.uptimeMillis() - refusedAt < REFUSED_MS) {
            throw new Failure(Code.INPUT_REFUSED, words);
        }
    }

    private boolean inject(InputEvent event, int mode) {
        try {
            return (Boolean) INJECT.call(INSTANCE.call(null), event, mode);
        } catch (SecurityException vendor) {
            // It stays so until a switch is turned, on most phones until the next start.
            refusedAt = SystemClock.uptimeMillis();
            refused = String.valueOf(vendor.getMessage());
            throw new Failure(Code.INPUT_REFUSED, refused);
        }
    }

    @Override
    public void touch(Touch action, int changed, List<Pointer> down, double downTime) {
        int count = down.size();
        MotionEvent.PointerProperties[] fingers = new MotionEvent.PointerProperties[count];
        MotionEvent.PointerCoords[] places = new MotionEvent.PointerCoords[count];
        for (int one = 0; one < count; one++) {
            Pointer finger = down.get(one);
            fingers[one] = new MotionEvent.PointerProperties();
            fingers[one].id = finger.id;
            fingers[one].toolType = MotionEvent.TOOL_TYPE_FINGER;
            places[one] = new MotionEvent.PointerCoords();
            places[one].x = (float) finger.x;
            places[one].y = (float) finger.y;
            places[one].pressure = 1;
            places[one].size = 1;
        }
        MotionEvent event =
                MotionEvent.obtain(
                        (long) downTime,
                        SystemClock.uptimeMillis(),
                        number(action, changed, count),
                        count,
                        fingers,
                        places,
                        0,
                        0,
                        1,
                        1,
                        0,
                        0,
                        InputDevice.SOURCE_TOUCHSCREEN,
                        0);
        boolean last = action == Touch.UP && count == 1;
        boolean taken = inject(event, last ? WAIT_FOR_FINISH : ASYNC);
        event.recycle();
        if (!taken && action == Touch.DOWN) {
            throw new Failure(Code.FAILED, "No window took the touch.");
        }
        if (!taken) {
            // It is on its way all the same: an app that is slow to answer takes it later.
            AndroidPhone.note("A touch was not answered in time.");
        }
    }

    private static int number(Touch action, int changed, int count) {
        int which = changed << MotionEvent.ACTION_POINTER_INDEX_SHIFT;
        switch (action) {
            case DOWN:
                return count == 1
                        ? MotionEvent.ACTION_DOWN
                        : MotionEvent.ACTION_POINTER_DOWN | which;
            case MOVE:
                return MotionEvent.ACTION_MOVE;
            case UP:
                return count == 1 ? MotionEvent.ACTION_UP : MotionEvent.ACTION_POINTER_UP | which;
            case CANCEL:
                return MotionEvent.ACTION_CANCEL;
            default:
                throw new AssertionError(action);
        }
    }

    @Override
    public boolean key(int keyCode) {
        long now = SystemClock.uptimeMillis();
        boolean down = inject(event(now, KeyEvent.ACTION_DOWN, keyCode), WAIT_FOR_FINISH);
        boolean up = inject(event(now, KeyEvent.ACTION_UP, keyCode), WAIT_FOR_FINISH);
        return down && up;
    }

    private static KeyEvent event(long downTime, int action, int keyCode) {
        return new KeyEvent(
                downTime,
                SystemClock.uptimeMillis(),
                action,
                keyCode,
                0,
                0,
                KeyCharacterMap.VIRTUAL_KEYBOARD,
                0,
                0,
                InputDevice.SOURCE_KEYBOARD);
    }

    @Override
    public boolean type(String character) {
        KeyEvent[] events =
                KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD)
                        .getEvents(character.toCharArray());
        if (events == null) {
            return false;
        }
        for (KeyEvent one : events) {
            if (!inject(KeyEvent.changeTimeRepeat(one, SystemClock.uptimeMillis(), 0),
                    WAIT_FOR_FINISH)) {
                throw new Failure(Code.FAILED, "No window took the key.");
            }
        }
        return true;
    }

    @Override
    public boolean press(Button button) {
        return automation.get().performGlobalAction(number(button));
    }

    private static int number(Button button) {
        switch (button) {
            case BACK:
                return AccessibilityService.GLOBAL_ACTION_BACK;
            case HOME:
                return AccessibilityService.GLOBAL_ACTION_HOME;
            case RECENTS:
                return AccessibilityService.GLOBAL_ACTION_RECENTS;
            case NOTIFICATIONS:
                return AccessibilityService.GLOBAL_ACTION_NOTIFICATIONS;
            case QUICK_SETTINGS:
                return AccessibilityService.GLOBAL_ACTION_QUICK_SETTINGS;
            default:
                throw new AssertionError(button);
        }
    }
}
