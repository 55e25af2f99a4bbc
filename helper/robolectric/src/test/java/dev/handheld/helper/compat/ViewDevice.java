package dev.handheld.helper.compat;

import android.app.Activity;
import android.os.Build;
import android.os.Bundle;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.TextView;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.shadows.ShadowLooper;

/**
 * A phone of which the views of one activity are there: what is done to them goes into Android's
 * own code, keys through the window's dispatch.
 */
final class ViewDevice implements Nodes, InvocationHandler {
    final Device device = (Device) part(Device.class);
    /** As on phones whose maker forbids it. */
    boolean refusesKeys;

    private final Activity activity;
    private final View[] views;
    private double now;

    ViewDevice(Activity activity, View... views) {
        this.activity = activity;
        this.views = views;
    }

    static String key(View view) {
        return describe(view).key;
    }

    private static Node describe(View view) {
        return AndroidNodes.describe(view.createAccessibilityNodeInfo(), 0, 0);
    }

    /** Null for one that is gone. */
    private View view(String key) {
        for (View view : views) {
            if (view.isAttachedToWindow() && view.isShown() && key(view).equals(key)) {
                return view;
            }
        }
        return null;
    }

    private boolean perform(String key, int action, Bundle arguments) {
        View view = view(key);
        boolean done = view != null && view.performAccessibilityAction(action, arguments);
        ShadowLooper.idleMainLooper();
        return done;
    }

    @Override
    public Node find(String key) {
        View view = view(key);
        return view == null ? null : describe(view);
    }

    @Override
    public Node focusedField() {
        View focused = activity.getWindow().getDecorView().findFocus();
        return focused instanceof TextView ? find(key(focused)) : null;
    }

    @Override
    public boolean perform(String key, Action action) {
        boolean known = action != Action.IME_ENTER || Build.VERSION.SDK_INT >= 30;
        return known && perform(key, AndroidNodes.number(action), null);
    }

    @Override
    public boolean scrollTo(String key, int row, int column) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean setText(String key, String text) {
        Bundle arguments = new Bundle();
        arguments.putCharSequence(
                AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, text);
        return perform(key, AccessibilityNodeInfo.ACTION_SET_TEXT, arguments);
    }

    @Override
    public boolean setSelection(String key, int start, int end) {
        Bundle arguments = new Bundle();
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_START_INT, start);
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_END_INT, end);
        return perform(key, AccessibilityNodeInfo.ACTION_SET_SELECTION, arguments);
    }

    @Override
    public int[] selection(String key) {
        View view = view(key);
        if (view == null) {
            return null;
        }
        AccessibilityNodeInfo info = view.createAccessibilityNodeInfo();
        return new int[] {info.getTextSelectionStart(), info.getTextSelectionEnd()};
    }

    @Override
    public boolean isMultiLine(String key) {
        View view = view(key);
        return view != null && view.createAccessibilityNodeInfo().isMultiLine();
    }

    boolean press(int keyCode) {
        send(new KeyEvent(KeyEvent.ACTION_DOWN, keyCode));
        send(new KeyEvent(KeyEvent.ACTION_UP, keyCode));
        return true;
    }

    private void send(KeyEvent event) {
        activity.getWindow().getDecorView().dispatchKeyEvent(event);
        ShadowLooper.idleMainLooper();
    }

    private Object part(Class<?> kind) {
        return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, this);
    }

    /** What of the other parts is needed here. */
    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "nodes":
                return this;
            case "phone":
            case "automation":
            case "clock":
            case "input":
                return part(method.getReturnType());
            case "characters":
                List<String> characters = new ArrayList<String>();
                for (char one : ((String) arguments[0]).toCharArray()) {
                    characters.add(String.valueOf(one));
                }
                return characters;
            case "take":
                return null;
            case "now":
                return now;
            case "await":
                now = (Double) arguments[1];
                ShadowLooper.idleMainLooper();
                return null;
            case "check":
                if (refusesKeys) {
                    throw new Failure(Code.INPUT_REFUSED, "requires INJECT_EVENTS");
                }
                return null;
            case "key":
                return press((Integer) arguments[0]);
            case "type":
                char[] text = ((String) arguments[0]).toCharArray();
                for (KeyEvent event :
                        KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(text)) {
                    send(event);
                }
                return true;
            default:
                throw new UnsupportedOperationException(method.toString());
        }
    }
}
