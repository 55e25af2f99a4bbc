package dev.handheld.helper.compat;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.accessibilityservice.IAccessibilityServiceClient;
import android.accessibilityservice.IAccessibilityServiceConnection;
import android.os.Binder;
import android.os.Build;
import android.os.IInterface;
import android.view.IWindowManager;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.IAccessibilityInteractionConnectionCallback;
import android.view.accessibility.IAccessibilityManager;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.robolectric.shadows.ShadowServiceManager;

/**
 * What Android's own UiAutomation, its connection and its client for views speak with: the window
 * manager, the accessibility manager, and one app with a root and some children.
 */
@SuppressWarnings("deprecation") // Made as the versions before 30 make them.
final class FakeAndroid {
    static final int WINDOW = 7;
    private static final int CONNECTION = 77;

    /** What the window manager was told to do with the screen. */
    final List<String> turns = Collections.synchronizedList(new ArrayList<String>());
    /** With how many others each view was wanted. */
    final List<Integer> prefetched = Collections.synchronizedList(new ArrayList<Integer>());

    volatile boolean locked;
    volatile boolean registered;
    /** Which child does not come, and who is told once it is asked for. */
    volatile int hanging = -1;
    final CountDownLatch hangs = new CountDownLatch(1);
    final CountDownLatch goesOn = new CountDownLatch(1);

    private final View view;
    private final int children;
    private AccessibilityServiceInfo info;

    FakeAndroid(View view, int children) {
        this.view = view;
        this.children = children;
        serve("window", IWindowManager.class, new Windows());
        serve("accessibility", IAccessibilityManager.class, new Manager());
    }

    private static <T extends IInterface> void serve(String name, Class<T> type, Answers answers) {
        ShadowServiceManager.addBinderService(name, type, make(type, answers));
    }

    private static <T> T make(Class<T> type, Answers answers) {
        ClassLoader loader = FakeAndroid.class.getClassLoader();
        return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, answers));
    }

    /** Nothing, false or 0 for whatever is not answered. */
    private abstract static class Answers implements InvocationHandler {
        private final Binder token = new Binder();

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Exception {
            if (method.getName().equals("asBinder")) {
                return token;
            }
            Object answer = answer(method.getName(), arguments);
            Class<?> type = method.getReturnType();
            if (answer != null || !type.isPrimitive() || type == void.class) {
                return answer;
            }
            return type == boolean.class ? (Object) false : type == long.class ? 0L : (Object) 0;
        }

        abstract Object answer(String name, Object[] arguments) throws Exception;
    }

    private final class Windows extends Answers {
        @Override
        Object answer(String name, Object[] arguments) {
            if (name.equals("isRotationFrozen")) {
                return locked;
            }
            if (name.equals("getDefaultDisplayRotation")) {
                return 1;
            }
            if (name.equals("freezeRotation") || name.equals("thawRotation")) {
                turns.add(name);
            }
            return null;
        }
    }

    private final class Manager extends Answers {
        @Override
        Object answer(String name, Object[] arguments) throws Exception {
            if (name.equals("registerUiTestAutomationService")) {
                if (registered) {
                    throw new IllegalStateException("UiAutomationService x already registered!");
                }
                registered = true;
                info = (AccessibilityServiceInfo) arguments[2];
                IAccessibilityServiceConnection app =
                        make(IAccessibilityServiceConnection.class, new App());
                ((IAccessibilityServiceClient) arguments[1]).init(app, CONNECTION, new Binder());
            } else if (name.equals("unregisterUiTestAutomationService")) {
                registered = false;
            }
            return null;
        }
    }

    private final class App extends Answers {
        @Override
        Object answer(String name, Object[] arguments) throws Exception {
            if (name.equals("getServiceInfo")) {
                return info;
            }
            if (!name.equals("findAccessibilityNodeInfoByAccessibilityId")) {
                return null;
            }
            // The window, the view, the question, who wants it, what comes with it, and more.
            long id = (Long) arguments[1];
            int question = (Integer) arguments[2];
            prefetched.add((Integer) arguments[4]);
            AccessibilityNodeInfo found = find((int) (id >> 32));
            IAccessibilityInteractionConnectionCallback wants =
                    (IAccessibilityInteractionConnectionCallback) arguments[3];
            if (Build.VERSION.SDK_INT >= 31) {
                wants.setFindAccessibilityNodeInfoResult(found, question);
            } else {
                wants.setFindAccessibilityNodeInfosResult(
                        found == null ? null : Collections.singletonList(found), question);
            }
            return new String[] {"org.notes"};
        }
    }

    private AccessibilityNodeInfo find(int child) throws Exception {
        if (child >= 0 && child == hanging) {
            hangs.countDown();
            goesOn.await();
            return null;
        }
        AccessibilityNodeInfo found = AccessibilityNodeInfo.obtain(view);
        found.setPackageName("org.notes");
        found.setSourceNodeId((long) child << 32 | viewId(), WINDOW);
        for (int one = 0; child < 0 && one < children; one++) {
            found.addChild(view, one);
        }
        return found;
    }

    private long viewId() {
        return view.getAccessibilityViewId();
    }
}
