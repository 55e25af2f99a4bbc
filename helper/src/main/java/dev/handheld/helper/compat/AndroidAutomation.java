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
import java.util.concurrent.atomic.AtomicLong;

/** Android's one UiAutomation, taken and let go of, and the events that it tells. */
final class AndroidAutomation implements Automation {
    private static final String CLASS = "android.app.UiAutomation";
    private static final String CONNECTION = "android.app.IUiAutomationConnection";
    private static final String OWN_CONNECTION = "android.app.UiAutomationConnection";

    /** Other accessibility services, such as a screen reader, go on beside it. */
    private static final int DONT_SUPPRESS = UiAutomation.FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES;

    /** What makes a screen another one: a toast alone does not. */
    private static final int EVENTS =
            AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED
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
                            "the same in all versions; who is told how the screen is turned"));
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
    /** Ours to hold, and to be taken again by whoever needs it next. */
    private boolean lost;
    private final AtomicLong changes = new AtomicLong();
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
            // Without the first of them there are no windows but the active one.
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
                            heard(event);
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
        // What was told before may be long over.
        foreground = null;
    }

    /** One that came half-way would be in the way of the next, and it would be our own. */
    private static void breakOff(Object made) {
        keepRotation(made);
        try {
            BREAK_OFF.call(made);
        } catch (RuntimeException neverMade) {
            AndroidPhone.note("UiAutomation was not taken: " + neverMade.getMessage());
        }
    }

    /**
     * A connection that ends writes back whether and how the screen was locked as it was made: the
     * owner may have turned or locked it otherwise since, and an app that lay on its side then
     * would leave the phone locked so. So its last words to the window manager go nowhere.
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

    /** Who asks again and again while another program has it would gather threads. */
    private static void quitThread(UiAutomation refused) {
        Object own = OWN_THREAD.isThere() ? OWN_THREAD.get(refused) : null;
        if (own instanceof HandlerThread) {
            ((HandlerThread) own).quit();
        }
    }

    static RuntimeException explained(RuntimeException refused) {
        for (Throwable one = refused; one != null; one = one.getCause()) {
            String words = String.valueOf(one.getMessage());
            // Until 30 it has no cause, and no other words than where Android itself is gone.
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

    /** Android lets go of it without a word, as at a change of user until 27. */
    synchronized void renew() {
        release();
        lost = true;
        take();
    }

    private static void disconnect(UiAutomation old, Object made, HandlerThread events) {
        try {
            old.setOnAccessibilityEventListener(null);
        } catch (RuntimeException deaf) {
            // It wants the connection, which Android may have ended: the rest is to be done still.
            AndroidPhone.note("UiAutomation's listener stays: " + deaf.getMessage());
        }
        keepRotation(made);
        try {
            DISCONNECT.call(old);
        } catch (RuntimeException gone) {
            AndroidPhone.note("UiAutomation was gone already: " + gone.getMessage());
        }
        events.quit();
    }

    private void heard(AccessibilityEvent event) {
        if (event.getEventType() == AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED
                && event.getPackageName() != null
                && event.getClassName() != null) {
            String name = event.getClassName().toString();
            // Dialogs, panels and keyboards tell a class of Android's here, which is no activity.
            if (!name.startsWith("android.")) {
                foreground = new Foreground(event.getPackageName().toString(), name, null);
            }
        }
        changes.incrementAndGet();
        Runnable told = listener;
        if (told != null) {
            told.run();
        }
    }

    /** The one that is held. */
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

    long changes() {
        return changes.get();
    }

    /** What the last change of a window told, or null. */
    Foreground foreground() {
        return foreground;
    }

    void listen(Runnable changed) {
        listener = changed;
    }

    /** The screen as it is; null when it is not held, or Android gives none. */
    Bitmap takeScreenshot() {
        UiAutomation held = getOrNull();
        try {
            return held == null ? null : held.takeScreenshot();
        } catch (RuntimeException broken) {
            AndroidPhone.note("UiAutomation gives no picture: " + broken);
            return null;
        }
    }

    /** Forget what was read: what comes next is asked of the apps. */
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
