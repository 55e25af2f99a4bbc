package dev.handheld.helper.framework;

import android.graphics.Rect;
import android.graphics.Region;
import android.os.Build;
import android.os.IInterface;
import android.view.View;
import android.view.WindowManager;
import android.view.accessibility.AccessibilityWindowInfo;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The windows that the app has open, topmost first, as system_server lists them. */
final class WindowList {
    private static final int ACTIVE = Integer.MAX_VALUE;
    private static final int ANY = -2;

    private WindowList() {}

    static Object all(Class<?> wanted) throws Exception {
        List<AccessibilityWindowInfo> found = list();
        if (wanted == List.class) {
            return found;
        }
        // By display, since 30.
        Object byDisplay = wanted.getConstructor().newInstance();
        wanted.getMethod("put", int.class, Object.class).invoke(byDisplay, 0, found);
        return byDisplay;
    }

    static AccessibilityWindowInfo one(int id) throws Exception {
        for (AccessibilityWindowInfo window : list()) {
            if (window.getId() == id) {
                return window;
            }
        }
        return null;
    }

    /** The number of a window; of the active one where that or any is asked for. */
    static int resolve(int id) throws Exception {
        if (id != ACTIVE && id != ANY) {
            return id;
        }
        for (AccessibilityWindowInfo window : list()) {
            if (window.isActive()) {
                return window.getId();
            }
        }
        return id;
    }

    private static List<AccessibilityWindowInfo> list() throws Exception {
        Class<?> type = Class.forName("android.view.WindowManagerGlobal");
        Object global = type.getMethod("getInstance").invoke(null);
        List<?> roots;
        synchronized (field(global, "mLock")) {
            roots = new ArrayList<Object>((List<?>) field(global, "mRoots"));
        }
        Collections.reverse(roots);
        List<AccessibilityWindowInfo> found = new ArrayList<AccessibilityWindowInfo>();
        boolean focused = false;
        for (int place = 0; place < roots.size(); place++) {
            Object root = roots.get(place);
            View view = (View) field(root, "mView");
            Integer number =
                    SystemServices.numbers.get(((IInterface) field(root, "mWindow")).asBinder());
            if (view == null || number == null || view.getVisibility() != View.VISIBLE) {
                continue;
            }
            WindowManager.LayoutParams parameters =
                    (WindowManager.LayoutParams) field(root, "mWindowAttributes");
            boolean takesFocus =
                    (parameters.flags & WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE) == 0;
            found.add(
                    describe(
                            number,
                            parameters,
                            bounds(view),
                            roots.size() - place,
                            takesFocus && !focused));
            focused |= takesFocus;
        }
        return found;
    }

    private static Rect bounds(View view) {
        int[] at = new int[2];
        view.getLocationOnScreen(at);
        return new Rect(at[0], at[1], at[0] + view.getWidth(), at[1] + view.getHeight());
    }

    private static AccessibilityWindowInfo describe(
            int number,
            WindowManager.LayoutParams parameters,
            Rect bounds,
            int layer,
            boolean focused)
            throws Exception {
        AccessibilityWindowInfo window = AccessibilityWindowInfo.obtain();
        set(window, "setId", int.class, number);
        set(window, "setType", int.class, AccessibilityWindowInfo.TYPE_APPLICATION);
        set(window, "setLayer", int.class, layer);
        set(window, "setConnectionId", int.class, 1);
        set(window, "setActive", boolean.class, focused);
        set(window, "setFocused", boolean.class, focused);
        set(window, "setTitle", CharSequence.class, parameters.getTitle());
        if (Build.VERSION.SDK_INT < 29) {
            set(window, "setBoundsInScreen", Rect.class, bounds);
        } else {
            set(window, "setRegionInScreen", Region.class, new Region(bounds));
        }
        return window;
    }

    private static void set(Object target, String name, Class<?> type, Object value)
            throws ReflectiveOperationException {
        Method method = target.getClass().getMethod(name, type);
        method.setAccessible(true);
        method.invoke(target, value);
    }

    static Object field(Object target, String name) throws ReflectiveOperationException {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(target);
            } catch (NoSuchFieldException above) {
                continue;
            }
        }
        throw new NoSuchFieldException(name);
    }
}
