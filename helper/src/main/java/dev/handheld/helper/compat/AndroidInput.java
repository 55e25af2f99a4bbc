package dev.handheld.helper.compat;

import android.accessibilityservice.AccessibilityService;
import android.app.UiAutomation;
import android.os.Build;
import android.os.SystemClock;
import android.view.Display;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Injects touches and keys as the shell: InputManagerGlobal
 * (frameworks/base/core/java/android/hardware/input/InputManagerGlobal.java) since API 34,
 * InputManager (frameworks/base/core/java/android/hardware/input/InputManager.java) until 33.
 */
final class AndroidInput implements Input {
    private static final String GLOBAL = "android.hardware.input.InputManagerGlobal";
    private static final String MANAGER = "android.hardware.input.InputManager";
    /**
     * Asynchronous, which keeps the timing of a gesture. Until API 32, Android does not report a
     * refusal in this mode.
     */
    private static final int ASYNC = 0;
    /** Waits until the target window is known, and that it may receive the event. */
    private static final int WAIT_FOR_RESULT = 1;
    /** Waits until the app has handled it. */
    private static final int WAIT_FOR_FINISH = 2;
    /**
     * MotionEvent.FLAG_CANCELED, known since API 33. Since 36 InputDispatcher
     * (frameworks/native/services/inputflinger/dispatcher/InputDispatcher.cpp) accepts no CANCEL
     * without it.
     */
    private static final int FLAG_CANCELED = 0x20;
    /** How long to wait for a hanging app; Android itself would wait for 30 s. */
    private static final long ANSWER_MS = 2000;
    /** How long a refusal is assumed to last. */
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
    /**
     * Since 29 a key that names its display goes there: PhoneWindowManager
     * (frameworks/base/services/core/java/com/android/server/policy/PhoneWindowManager.java) brings
     * that display to the top first. Others go to the display with the focus.
     */
    static final Hidden SET_DISPLAY =
            Hidden.optionalMethod(
                    Hidden.form("android.view.KeyEvent", "setDisplayId", "since 29", "int"));

    private final AndroidAutomation automation;
    private final Clock clock = new AndroidClock();
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

    /**
     * Null when there was no answer in time: the event waits for the app, which may still handle
     * it.
     */
    private Boolean inject(final InputEvent event, final int mode) {
        try {
            if (mode == ASYNC) {
                return send(event, mode);
            }
            return Bounded.ask(
                    clock,
                    new Callable<Boolean>() {
                        @Override
                        public Boolean call() {
                            return send(event, mode);
                        }
                    },
                    ANSWER_MS);
        } catch (SecurityException vendor) {
            // It stays so until a setting is changed, on most phones until the next boot.
            refusedAt = SystemClock.uptimeMillis();
            refused = String.valueOf(vendor.getMessage());
            throw new Failure(Code.INPUT_REFUSED, refused);
        }
    }

    private static Boolean send(InputEvent event, int mode) {
        return (Boolean) INJECT.call(INSTANCE.call(null), event, mode);
    }

    @Override
    public boolean touch(Touch action, int changed, List<Pointer> down, double downTime) {
        MotionEvent event = event(action, changed, down, downTime);
        Boolean taken = inject(event, mode(action, down.size()));
        if (taken == null) {
            // The event is queued anyway: a slow app handles it later.
            AndroidPhone.note("A touch was not answered in time.");
            return true;
        }
        event.recycle();
        if (!taken) {
            AndroidPhone.note("Android refused a touch: " + action + ".");
        }
        return taken;
    }

    static MotionEvent event(Touch action, int changed, List<Pointer> down, double downTime) {
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
        return MotionEvent.obtain(
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
                action == Touch.CANCEL ? FLAG_CANCELED : 0);
    }

    /** The first event of a gesture shows whether there is a window, the last ends it. */
    private static int mode(Touch action, int count) {
        if (count > 1) {
            return ASYNC;
        }
        return action == Touch.DOWN
                ? WAIT_FOR_RESULT
                : action == Touch.UP ? WAIT_FOR_FINISH : ASYNC;
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
    public boolean key(int keyCode, int meta) {
        long now = SystemClock.uptimeMillis();
        Boolean down = inject(event(now, KeyEvent.ACTION_DOWN, keyCode, meta), WAIT_FOR_FINISH);
        Boolean up = inject(event(now, KeyEvent.ACTION_UP, keyCode, meta), WAIT_FOR_FINISH);
        return isTaken(down) & isTaken(up);
    }

    private static boolean isTaken(Boolean answer) {
        if (answer == null) {
            throw new Failure(
                    Code.FAILED,
                    "The app did not take the key within " + ANSWER_MS + " ms.",
                    Happened.MAYBE);
        }
        return answer;
    }

    private static KeyEvent event(long downTime, int action, int keyCode, int meta) {
        return here(
                new KeyEvent(
                        downTime,
                        SystemClock.uptimeMillis(),
                        action,
                        keyCode,
                        0,
                        meta,
                        KeyCharacterMap.VIRTUAL_KEYBOARD,
                        0,
                        0,
                        InputDevice.SOURCE_KEYBOARD));
    }

    /** For the phone's own display, which is the one that is read. */
    private static KeyEvent here(KeyEvent event) {
        if (Build.VERSION.SDK_INT >= 29 && SET_DISPLAY.isThere()) {
            SET_DISPLAY.call(event, Display.DEFAULT_DISPLAY);
        }
        return event;
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
            KeyEvent now = here(KeyEvent.changeTimeRepeat(one, SystemClock.uptimeMillis(), 0));
            if (!isTaken(inject(now, WAIT_FOR_FINISH))) {
                throw new Failure(Code.FAILED, "No window took the key.");
            }
        }
        return true;
    }

    @Override
    public boolean press(Button button) {
        int keyCode = keyCode(button);
        UiAutomation held = automation.get();
        if (keyCode != 0 && Displays.focused(held) != Display.DEFAULT_DISPLAY) {
            // Android performs these two as keys for the display with the focus.
            return key(keyCode, 0);
        }
        return held.performGlobalAction(number(button));
    }

    private static int keyCode(Button button) {
        return button == Button.BACK
                ? KeyEvent.KEYCODE_BACK
                : button == Button.HOME ? KeyEvent.KEYCODE_HOME : 0;
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
