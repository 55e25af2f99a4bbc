package dev.handheld.helper.compat;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.app.UiAutomation;
import android.graphics.Bitmap;
import android.os.HandlerThread;
import android.os.Process;
import android.view.IWindowManager;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.device.Automation;
import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.File;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeoutException;

/**
 * Takes and releases Android's only UiAutomation, and receives its events. Hidden members:
 * frameworks/base/core/java/android/app/UiAutomation.java and UiAutomationConnection.java; the
 * cache: frameworks/base/core/java/android/view/accessibility/AccessibilityInteractionClient.java.
 */
final class AndroidAutomation implements Automation {
    private static final String CLASS = "android.app.UiAutomation";
    private static final String CONNECTION = "android.app.IUiAutomationConnection";
    private static final String OWN_CONNECTION = "android.app.UiAutomationConnection";

    /** Other accessibility services, such as a screen reader, keep running. */
    private static final int DONT_SUPPRESS = UiAutomation.FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES;

    /** The events that change a screen, and the one for toasts and notifications, which do not. */
    private static final int EVENTS =
            AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED
                    | AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED
                    | AccessibilityEvent.TYPE_WINDOWS_CHANGED
                    | AccessibilityEvent.TYPE_WINDOW_CONTENT_CHANGED
                    | AccessibilityEvent.TYPE_VIEW_SCROLLED
                    | AccessibilityEvent.TYPE_VIEW_TEXT_CHANGED
                    | AccessibilityEvent.TYPE_VIEW_FOCUSED
                    | AccessibilityEvent.TYPE_VIEW_CLICKED
                    | AccessibilityEvent.TYPE_VIEW_SELECTED;

    static final Hidden NEW =
            Hidden.constructor(
                    Hidden.form(
                            CLASS,
                            "<init>",
                            "the same in all versions; 34 has another with a Context beside it",
                            "android.os.Looper",
                            CONNECTION));
    static final Hidden NEW_CONNECTION =
            Hidden.constructor(
                    Hidden.form(OWN_CONNECTION, "<init>", "the same in all versions"));
    static final Hidden CONNECT =
            Hidden.method(Hidden.form(CLASS, "connect", "with flags since 24", "int"));
    static final Hidden DISCONNECT =
            Hidden.method(Hidden.form(CLASS, "disconnect", "the same in all versions"));
    static final Hidden CONNECTION_ID =
            Hidden.method(Hidden.form(CLASS, "getConnectionId", "the same in all versions"));
    static final Hidden BREAK_OFF =
            Hidden.method(Hidden.form(CONNECTION, "disconnect", "the same in all versions"));
    static final Hidden WINDOWS =
            Hidden.optionalField(
                    Hidden.form(
                            OWN_CONNECTION,
                            "mWindowManager",
                            "the same in all versions; restores the rotation on disconnect"));
    static final Hidden OWN_THREAD =
            Hidden.optionalField(Hidden.form(CLASS, "mRemoteCallbackThread", "since 28"));
    static final Hidden CLEAR_OWN_CACHE =
            Hidden.optionalMethod(Hidden.form(CLASS, "clearCache", "since 34"));
    static final Hidden CLEAR_CACHE =
            Hidden.method(
                    Hidden.form(
                            AndroidNodes.CLIENT,
                            "clearCache",
                            "since 33, of one connection",
                            "int"),
                    Hidden.form(AndroidNodes.CLIENT, "clearCache", "until 32, of all"));

    private UiAutomation automation;
    private Object connection;
    private HandlerThread thread;
    /** It counts as held but was disconnected: the next command takes it again. */
    private boolean lost;
    final Tickers tickers = new Tickers();
    final Notices notices = new Notices();
    private volatile Foreground foreground;
    private volatile Runnable listener;

    @Override
    public synchronized void take() {
        HandlerThread events = new HandlerThread("handheld-events");
        events.start();
        Object made = NEW_CONNECTION.make();
        UiAutomation fresh = (UiAutomation) NEW.make(events.getLooper(), made);
        try {
            CONNECT.call(fresh, DONT_SUPPRESS);
        } catch (RuntimeException refused) {
            breakOff(made);
            events.quit();
            quitThread(fresh);
            throw explained(refused);
        }
        try {
            AccessibilityServiceInfo info = fresh.getServiceInfo();
            if (info == null) {
                throw new IllegalStateException("UiAutomation has no settings.");
            }
            // Without the first flag only the active window is listed.
            info.flags |=
                    AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS
                            | AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS
                            | AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS;
            info.eventTypes = EVENTS;
            info.notificationTimeout = 0;
            fresh.setServiceInfo(info);
            fresh.setOnAccessibilityEventListener(
                    new UiAutomation.OnAccessibilityEventListener() {
                        @Override
                        public void onAccessibilityEvent(AccessibilityEvent event) {
                            received(event);
                        }
                    });
        } catch (RuntimeException broken) {
            disconnect(fresh, made, events);
            throw broken;
        }
        automation = fresh;
        connection = made;
        thread = events;
        lost = false;
        // Earlier events may be outdated.
        foreground = null;
    }

    /** A half-open connection would block the next one, and it would be our own. */
    private static void breakOff(Object made) {
        keepRotation(made);
        try {
            BREAK_OFF.call(made);
        } catch (RuntimeException neverMade) {
            AndroidPhone.note("UiAutomation was not taken: " + neverMade.getMessage());
        }
    }

    /**
     * Keep a disconnect from restoring the rotation. UiAutomationConnection
     * (frameworks/base/core/java/android/app/UiAutomationConnection.java, all releases) stores the
     * rotation lock when it connects and writes it back when it disconnects: the user may have
     * rotated or locked the screen since, and a landscape app at that time would leave the phone
     * locked in landscape. So its calls to the window manager are discarded.
     */
    private static void keepRotation(Object made) {
        InvocationHandler nobody =
                new InvocationHandler() {
                    @Override
                    public Object invoke(Object proxy, Method method, Object[] arguments) {
                        return null;
                    }
                };
        ClassLoader loader = AndroidAutomation.class.getClassLoader();
        Class<?>[] types = {IWindowManager.class};
        try {
            WINDOWS.set(made, Proxy.newProxyInstance(loader, types, nobody));
        } catch (RuntimeException without) {
            String why = without.getMessage();
            AndroidPhone.note("Letting go of UiAutomation may turn the screen: " + why);
        }
    }

    /** Quit its thread: repeated attempts while another program has it would accumulate threads. */
    private static void quitThread(UiAutomation refused) {
        Object own = OWN_THREAD.isThere() ? OWN_THREAD.get(refused) : null;
        if (own instanceof HandlerThread) {
            ((HandlerThread) own).quit();
        }
    }

    static RuntimeException explained(RuntimeException refused) {
        for (Throwable one = refused; one != null; one = one.getCause()) {
            String words = String.valueOf(one.getMessage());
            // UiAutomation.connect until API 30: a timeout has no cause, and the same message as
            // where Android itself is gone, which has one.
            boolean silent = words.startsWith("Error while connecting") && one.getCause() == null;
            if (silent || one instanceof TimeoutException) {
                return new Failure(
                        Code.FAILED,
                        "Android did not connect UiAutomation within 5 s: it is very busy, or its"
                                + " accessibility hangs.");
            }
            if (words.contains("already registered")) {
                return new Failure(
                        Code.AUTOMATION_HELD,
                        "Android's UiAutomation is held by "
                                + Holder.guess(new File("/proc"), Process.myPid())
                                + ".");
            }
        }
        return refused;
    }

    @Override
    public synchronized void release() {
        UiAutomation old = automation;
        Object made = connection;
        HandlerThread events = thread;
        automation = null;
        connection = null;
        thread = null;
        lost = false;
        if (old != null) {
            disconnect(old, made, events);
        }
    }

    /**
     * Take it again: Android may disconnect it silently, as at a change of user until API 27
     * (AccessibilityManagerService in
     * frameworks/base/services/accessibility/java/com/android/server/accessibility/).
     */
    synchronized void renew() {
        release();
        lost = true;
        take();
    }

    private static void disconnect(UiAutomation old, Object made, HandlerThread events) {
        try {
            old.setOnAccessibilityEventListener(null);
        } catch (RuntimeException deaf) {
            // It needs the connection, which Android may have closed: the rest must still be done.
            AndroidPhone.note("UiAutomation's listener stays: " + deaf.getMessage());
        }
        keepRotation(made);
        try {
            DISCONNECT.call(old);
        } catch (SecurityException refused) {
            String why = refused.getMessage();
            throw new Failure(Code.FAILED, "Android does not take UiAutomation back: " + why);
        } catch (RuntimeException gone) {
            AndroidPhone.note("UiAutomation was gone already: " + gone.getMessage());
        } finally {
            events.quit();
        }
    }

    private void received(AccessibilityEvent event) {
        if (event.getEventType() == AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED) {
            notices.keep(event);
            return;
        }
        if (event.getEventType() == AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED
                && event.getPackageName() != null
                && event.getClassName() != null) {
            String name = event.getClassName().toString();
            // Dialogs, panels and keyboards report a class of Android here, which is not an
            // activity.
            if (!name.startsWith("android.")) {
                foreground = new Foreground(event.getPackageName().toString(), name, null, null);
            }
        }
        tickers.add(event);
        Runnable changed = listener;
        if (changed != null) {
            changed.run();
        }
    }

    /** Return the UiAutomation that is held. */
    synchronized UiAutomation get() {
        if (automation == null && lost) {
            take();
        }
        if (automation == null) {
            throw new IllegalStateException("UiAutomation is not held.");
        }
        return automation;
    }

    synchronized UiAutomation getOrNull() {
        return automation;
    }

    int connection() {
        return (Integer) CONNECTION_ID.call(get());
    }

    /** The last window-state change, or null. */
    Foreground foreground() {
        return foreground;
    }

    void listen(Runnable changed) {
        listener = changed;
    }

    /** The screenshot; null when UiAutomation is not held, or Android gives none. */
    Bitmap takeScreenshot() {
        UiAutomation held = getOrNull();
        try {
            return held == null ? null : held.takeScreenshot();
        } catch (RuntimeException broken) {
            AndroidPhone.note("UiAutomation gives no picture: " + broken);
            return null;
        }
    }

    /**
     * Clear the caches: the next read asks the apps. AccessibilityInteractionClient has one cache
     * until API 32 and one per connection since 33.
     */
    void clearCache() {
        UiAutomation held = get();
        if (CLEAR_OWN_CACHE.isThere()) {
            CLEAR_OWN_CACHE.call(held);
        } else {
            Object client = AndroidNodes.INSTANCE.call(null);
            if (CLEAR_CACHE.form() == 0) {
                CLEAR_CACHE.call(client, connection());
            } else {
                CLEAR_CACHE.call(client);
            }
        }
    }
}
