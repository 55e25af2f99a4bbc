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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.shadows.ShadowWindowManagerGlobal;
import org.robolectric.util.ReflectionHelpers;

/** The windows that the app has open, topmost first, as system_server lists them. */
final class WindowList {
    private static final int ACTIVE = Integer.MAX_VALUE;
    private static final Set<Integer> shown = new HashSet<Integer>();
    /** The ViewRootImpl that was told so last. */
    private static Object hasFocus;
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

    /** A window of the app, with the ViewRootImpl that is Android's side of it. */
    static final class Root {
        final Object impl;
        final int number;
        final WindowManager.LayoutParams parameters;
        final Rect bounds;
        final int layer;
        final boolean focused;

        Root(
                Object impl,
                int number,
                WindowManager.LayoutParams parameters,
                Rect bounds,
                int layer,
                boolean focused) {
            this.impl = impl;
            this.number = number;
            this.parameters = parameters;
            this.bounds = bounds;
            this.layer = layer;
            this.focused = focused;
        }

        private boolean has(int flag) {
            return (parameters.flags & flag) != 0;
        }

        /** Whether a finger there is this window's: all of it is, while nothing beside may be touched. */
        boolean takes(int x, int y) {
            int beside =
                    WindowManager.LayoutParams.FLAG_NOT_TOUCH_MODAL
                            | WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE;
            return !has(WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE)
                    && (bounds.contains(x, y) || !has(beside));
        }
    }

    /** The topmost window that takes a finger there; null for none. */
    static Root at(int x, int y) throws Exception {
        for (Root root : roots()) {
            if (root.takes(x, y)) {
                return root;
            }
        }
        return null;
    }

    /** The window that gets keys; null for none. */
    static Root focused() throws Exception {
        for (Root root : roots()) {
            if (root.focused) {
                return root;
            }
        }
        return null;
    }

    /** What ActivityThread does with the windows that an activity left behind. */
    static void closeAll() throws Exception {
        Object global = global();
        for (Object impl : impls(global)) {
            Object view = field(impl, "mView");
            if (view != null) {
                global.getClass()
                        .getMethod("removeView", View.class, boolean.class)
                        .invoke(global, view, true);
            }
        }
    }

    private static Object global() throws ReflectiveOperationException {
        Class<?> type = Class.forName("android.view.WindowManagerGlobal");
        return type.getMethod("getInstance").invoke(null);
    }

    /** Topmost first. */
    private static List<Object> impls(Object global) throws ReflectiveOperationException {
        synchronized (field(global, "mLock")) {
            List<Object> impls = new ArrayList<Object>((List<?>) field(global, "mRoots"));
            Collections.reverse(impls);
            return impls;
        }
    }

    /**
     * The last touch was a finger's: no view of this new window gets the focus by itself. Before
     * the window is laid out for the first time.
     */
    static void startInTouchMode(int number) throws Exception {
        for (Root root : roots()) {
            if (root.number == number) {
                set(field(root.impl, "mAttachInfo"), "mInTouchMode");
                set(root.impl, "mAddedTouchMode");
                if (Build.VERSION.SDK_INT >= 33) {
                    set(root.impl, "mUpcomingInTouchMode");
                }
            }
        }
        // What Robolectric tells a window that is laid out or gets the focus.
        ReflectionHelpers.callStaticMethod(
                ShadowWindowManagerGlobal.class,
                "setInTouchMode",
                ReflectionHelpers.ClassParameter.from(boolean.class, true));
    }

    private static void set(Object target, String name) throws ReflectiveOperationException {
        Field field = target.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.setBoolean(target, true);
    }

    /**
     * What the window manager tells the windows when one comes or goes: that it can be seen, and
     * which of them has the focus. On the main thread.
     */
    static void update() throws Exception {
        for (Root root : roots()) {
            if (shown.add(root.number)) {
                Method tell =
                        root.impl.getClass().getDeclaredMethod("dispatchAppVisibility", boolean.class);
                tell.setAccessible(true);
                tell.invoke(root.impl, true);
                ((View) field(root.impl, "mView")).requestLayout();
            }
        }
        Root next = focused();
        Object impl = next == null ? null : next.impl;
        if (impl == hasFocus) {
            return;
        }
        if (hasFocus != null && field(hasFocus, "mView") != null) {
            shadow(hasFocus).callWindowFocusChanged(false);
        }
        hasFocus = impl;
        if (impl != null) {
            shadow(impl).callWindowFocusChanged(true);
        }
    }

    private static ShadowViewRootImpl shadow(Object impl) {
        return (ShadowViewRootImpl) Shadow.extract(impl);
    }

    private static List<AccessibilityWindowInfo> list() throws Exception {
        List<AccessibilityWindowInfo> found = new ArrayList<AccessibilityWindowInfo>();
        for (Root root : roots()) {
            // AccessibilityController lists no window that cannot be touched, such as a toast.
            if (!root.has(WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE)) {
                found.add(describe(root));
            }
        }
        return found;
    }

    private static List<Root> roots() throws Exception {
        List<Object> roots = impls(global());
        List<Root> found = new ArrayList<Root>();
        boolean focused = false;
        for (int place = 0; place < roots.size(); place++) {
            Object impl = roots.get(place);
            View view = (View) field(impl, "mView");
            Integer number =
                    SystemServices.numbers.get(((IInterface) field(impl, "mWindow")).asBinder());
            if (view == null || number == null || view.getVisibility() != View.VISIBLE) {
                continue;
            }
            WindowManager.LayoutParams parameters =
                    (WindowManager.LayoutParams) field(impl, "mWindowAttributes");
            boolean takesFocus =
                    (parameters.flags & WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE) == 0;
            found.add(
                    new Root(
                            impl,
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

    private static AccessibilityWindowInfo describe(Root root) throws Exception {
        AccessibilityWindowInfo window = AccessibilityWindowInfo.obtain();
        set(window, "setId", int.class, root.number);
        set(window, "setType", int.class, AccessibilityWindowInfo.TYPE_APPLICATION);
        set(window, "setLayer", int.class, root.layer);
        set(window, "setConnectionId", int.class, 1);
        set(window, "setActive", boolean.class, root.focused);
        set(window, "setFocused", boolean.class, root.focused);
        set(window, "setTitle", CharSequence.class, root.parameters.getTitle());
        if (Build.VERSION.SDK_INT < 29) {
            set(window, "setBoundsInScreen", Rect.class, root.bounds);
        } else {
            set(window, "setRegionInScreen", Region.class, new Region(root.bounds));
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
