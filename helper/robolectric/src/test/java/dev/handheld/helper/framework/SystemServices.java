package dev.handheld.helper.framework;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.accessibilityservice.IAccessibilityServiceClient;
import android.accessibilityservice.IAccessibilityServiceConnection;
import android.os.Binder;
import android.os.Handler;
import android.os.IBinder;
import android.os.IInterface;
import android.os.Looper;
import android.view.KeyEvent;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityManager;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.IAccessibilityInteractionConnection;
import android.view.accessibility.IAccessibilityInteractionConnectionCallback;
import android.view.accessibility.IAccessibilityManager;
import com.android.internal.os.IResultReceiver;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.shadows.ShadowServiceManager;

/**
 * The part of system_server between UiAutomation and an app's windows. On a phone this is
 * AccessibilityManagerService, which cannot run here: it passes questions on to the window that is
 * asked about, passes events to whoever listens, and lists the windows.
 */
final class SystemServices {
    private static final int CONNECTION = 1;

    /** By the number that their window got. */
    static final Map<Integer, IAccessibilityInteractionConnection> windows =
            new LinkedHashMap<Integer, IAccessibilityInteractionConnection>();

    static final Map<IBinder, Integer> numbers = new LinkedHashMap<IBinder, Integer>();

    private static IAccessibilityServiceClient client;
    private static AccessibilityServiceInfo info;
    private static int lastWindow;
    /** How many questions were passed on to windows. Guarded by `windows`, as is the next. */
    private static int passed;
    private static boolean lingers;

    private SystemServices() {}

    /**
     * Let the app, once it has answered the next question about a node, do nothing more before
     * another question is waiting: the two meet in it.
     */
    static void lingerOnce() {
        synchronized (windows) {
            lingers = true;
        }
    }

    static void install() throws ReflectiveOperationException {
        serve("accessibility", IAccessibilityManager.class.getName(), new Manager());
        serve("notification", "android.app.INotificationManager", new Toasts());
        serve("autofill", "android.view.autofill.IAutoFillManager", new NoAutofill());
        // Made before there was a service: it would stay without.
        Field made = AccessibilityManager.class.getDeclaredField("sInstance");
        made.setAccessible(true);
        made.set(null, null);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void serve(String name, String type, Answers answers)
            throws ClassNotFoundException {
        Class service = Class.forName(type);
        ShadowServiceManager.addBinderService(name, service, (IInterface) make(service, answers));
    }

    static Object make(Class<?> type, Answers answers) {
        ClassLoader loader = SystemServices.class.getClassLoader();
        return Proxy.newProxyInstance(loader, new Class<?>[] {type}, answers);
    }

    /** Nothing, false or 0 for whatever is not answered. */
    static class Answers implements InvocationHandler {
        private final Binder token = new Binder();

        @Override
        public final Object invoke(Object proxy, Method method, Object[] arguments)
                throws Throwable {
            if (method.getName().equals("asBinder")) {
                return token;
            }
            Object answer;
            try {
                answer = answer(method, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
            Class<?> type = method.getReturnType();
            if (answer != null || !type.isPrimitive() || type == void.class) {
                return answer;
            }
            return type == boolean.class
                    ? (Object) false
                    : type == long.class ? 0L : type == float.class ? 0f : (Object) 0;
        }

        Object answer(Method method, Object[] arguments) throws Exception {
            return null;
        }
    }

    /** A field asks for it as it is clicked, and waits for the answer. */
    private static final class NoAutofill extends Answers {
        @Override
        Object answer(Method method, Object[] arguments) throws Exception {
            for (Object one : arguments == null ? new Object[0] : arguments) {
                if (one instanceof IResultReceiver) {
                    ((IResultReceiver) one).send(0, null);
                }
            }
            return null;
        }
    }

    private static final class Manager extends Answers {
        @Override
        Object answer(Method method, Object[] arguments) throws Exception {
            switch (method.getName()) {
                case "addClient":
                    // Enabled, and every event is wanted by somebody.
                    return 1L << 32 | 0xFFFFFFFFL;
                case "registerUiTestAutomationService":
                    return register(arguments);
                case "unregisterUiTestAutomationService":
                    client = null;
                    return null;
                case "addAccessibilityInteractionConnection":
                    return add(arguments);
                case "removeAccessibilityInteractionConnection":
                    synchronized (windows) {
                        windows.remove(numbers.remove(((IInterface) arguments[0]).asBinder()));
                    }
                    updateWindows();
                    return null;
                case "sendAccessibilityEvent":
                    send((AccessibilityEvent) arguments[0]);
                    return null;
                default:
                    return null;
            }
        }

        private static Object register(Object[] arguments) throws Exception {
            if (client != null) {
                throw new IllegalStateException("UiAutomationService x already registered!");
            }
            client = (IAccessibilityServiceClient) arguments[1];
            info = (AccessibilityServiceInfo) arguments[2];
            Object connection = make(IAccessibilityServiceConnection.class, new Service());
            client.init((IAccessibilityServiceConnection) connection, CONNECTION, new Binder());
            return null;
        }

        private static Object add(Object[] arguments) throws Exception {
            int number;
            synchronized (windows) {
                number = ++lastWindow;
                numbers.put(((IInterface) arguments[0]).asBinder(), number);
                for (Object one : arguments) {
                    if (one instanceof IAccessibilityInteractionConnection) {
                        windows.put(number, (IAccessibilityInteractionConnection) one);
                    }
                }
            }
            // Not with the rest: the window's first frame may come before that.
            WindowList.startInTouchMode(number);
            updateWindows();
            return number;
        }

        /** When the window that comes or goes is done with that, and before the next frame. */
        private static void updateWindows() {
            Handler.createAsync(Looper.getMainLooper())
                    .post(
                            new Runnable() {
                                @Override
                                public void run() {
                                    try {
                                        WindowList.update();
                                    } catch (Exception problem) {
                                        throw new IllegalStateException(problem);
                                    }
                                }
                            });
        }

        private static void send(AccessibilityEvent event) throws Exception {
            Control.heard(event);
            IAccessibilityServiceClient listener = client;
            if (listener == null || (info.eventTypes & event.getEventType()) == 0) {
                return;
            }
            AccessibilityEvent copy = AccessibilityEvent.obtain(event);
            copy.setConnectionId(CONNECTION);
            copy.setSealed(true);
            listener.onAccessibilityEvent(copy, true);
        }
    }

    private static final class Service extends Answers {
        @Override
        Object answer(Method method, Object[] arguments) throws Exception {
            String name = method.getName();
            if (name.startsWith("find")
                    || name.equals("focusSearch")
                    || name.equals("performAccessibilityAction")) {
                boolean passed = pass(name, arguments);
                return method.getReturnType() == boolean.class
                        ? (Object) passed
                        : passed ? new String[] {Page.PACKAGE} : null;
            }
            switch (name) {
                case "getServiceInfo":
                    return info;
                case "setServiceInfo":
                    info = (AccessibilityServiceInfo) arguments[0];
                    return null;
                case "getWindows":
                    return WindowList.all(method.getReturnType());
                case "getWindow":
                    return WindowList.one((Integer) arguments[0]);
                case "performGlobalAction":
                    return press((Integer) arguments[0]);
                default:
                    return null;
            }
        }

        /** Back and home are keys to whoever has the focus; nothing else is known here. */
        private static boolean press(int action) {
            int[] codes = {0, KeyEvent.KEYCODE_BACK, KeyEvent.KEYCODE_HOME};
            if (action <= 0 || action >= codes.length) {
                return false;
            }
            InputRoute.press(codes[action]);
            return true;
        }

        /** A question about a window, as it is asked of the app that has it. */
        private static boolean pass(String name, Object[] given) throws Exception {
            IAccessibilityInteractionConnection window;
            synchronized (windows) {
                window = windows.get(WindowList.resolve((Integer) given[0]));
            }
            if (window == null) {
                return false;
            }
            if (name.equals("findAccessibilityNodeInfoByAccessibilityId")) {
                given[3] = lingering(given[3]);
            }
            List<Object> arguments = new ArrayList<Object>();
            int pid = android.os.Process.myPid();
            if (name.equals("performAccessibilityAction")) {
                arguments.addAll(Arrays.asList(given).subList(1, 6));
                arguments.addAll(Arrays.asList(flags(), pid, given[6]));
            } else if (name.equals("findAccessibilityNodeInfoByAccessibilityId")) {
                int flags = (Integer) given[4] | flags();
                arguments.addAll(Arrays.asList(given[1], null, given[2], given[3], flags, pid));
                arguments.addAll(Arrays.asList(given[5], null, null, given[6]));
            } else {
                arguments.addAll(Arrays.asList(given[1], given[2], null, given[3], given[4]));
                arguments.addAll(Arrays.asList(flags(), pid, given[5], null, null));
            }
            for (Method one : window.getClass().getMethods()) {
                if (one.getName().equals(name)) {
                    if (one.getParameterTypes().length < arguments.size()) {
                        // No matrix before 33.
                        arguments.remove(name.endsWith("ByAccessibilityId") ? 8 : 9);
                    }
                    one.setAccessible(true);
                    one.invoke(window, arguments.toArray());
                    synchronized (windows) {
                        passed++;
                        windows.notifyAll();
                    }
                    return true;
                }
            }
            throw new NoSuchMethodException(name);
        }

        /** Whoever gets the answer, and if the app shall linger, somebody who makes it. */
        private static Object lingering(final Object answered) {
            final int before;
            synchronized (windows) {
                if (!lingers) {
                    return answered;
                }
                lingers = false;
                before = passed;
            }
            return make(
                    IAccessibilityInteractionConnectionCallback.class,
                    new Answers() {
                        @Override
                        Object answer(Method method, Object[] arguments) throws Exception {
                            Object nothing = method.invoke(answered, arguments);
                            synchronized (windows) {
                                // This question is the first that is passed on after that.
                                while (passed < before + 2) {
                                    windows.wait();
                                }
                            }
                            return nothing;
                        }
                    });
        }

        /** What the helper asked for in its service info, as the windows are told. */
        private static int flags() throws ReflectiveOperationException {
            return constant(
                            "FLAG_SERVICE_REQUESTS_INCLUDE_NOT_IMPORTANT_VIEWS",
                            "FLAG_INCLUDE_NOT_IMPORTANT_VIEWS")
                    | constant("FLAG_SERVICE_REQUESTS_REPORT_VIEW_IDS", "FLAG_REPORT_VIEW_IDS");
        }

        private static int constant(String... names) throws ReflectiveOperationException {
            for (String name : names) {
                try {
                    Field field = AccessibilityNodeInfo.class.getDeclaredField(name);
                    field.setAccessible(true);
                    return field.getInt(null);
                } catch (NoSuchFieldException otherRelease) {
                    continue;
                }
            }
            throw new NoSuchFieldException(names[0]);
        }
    }
}
