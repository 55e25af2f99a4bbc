package dev.handheld.helper.framework;

import android.app.Activity;
import android.os.Handler;
import android.os.Looper;
import android.os.MessageQueue;
import android.view.View;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.protocol.JsonReader;
import dev.handheld.helper.protocol.JsonWriter;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.robolectric.Robolectric;
import org.robolectric.android.controller.ActivityController;

/** What a test may ask of this phone beside the helper: one JSON object per line, both ways. */
final class Control extends Thread {
    private static final List<Object> events = new ArrayList<Object>();

    private final BufferedReader input;
    private final OutputStream output;
    private final Handler main = new Handler(Looper.getMainLooper());
    private final CountDownLatch wanted = new CountDownLatch(1);
    private ActivityController<Page> shown;

    Control(InputStream input, OutputStream output) {
        super("control");
        setDaemon(true);
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        this.output = output;
    }

    /** Until somebody wants a helper: it ends by itself when nobody speaks with it. */
    void awaitStart() throws InterruptedException {
        wanted.await();
    }

    /** What the framework sent, by the name of the view it is about. */
    static void heard(AccessibilityEvent event) {
        synchronized (events) {
            events.add(AccessibilityEvent.eventTypeToString(event.getEventType()));
        }
    }

    @Override
    public void run() {
        try {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                Map<String, Object> reply = new LinkedHashMap<String, Object>();
                try {
                    reply.put("value", answer(map(JsonReader.value(line))));
                } catch (Throwable problem) {
                    problem.printStackTrace();
                    reply.put("error", String.valueOf(problem));
                }
                output.write(new JsonWriter().value(reply).raw('\n').bytes());
                output.flush();
            }
        } catch (Exception problem) {
            problem.printStackTrace();
        }
        Runtime.getRuntime().halt(3);
    }

    private Object answer(Map<String, Object> request) throws Exception {
        String what = (String) request.get("do");
        switch (what) {
            case "show":
                show((String) request.get("page"));
                return null;
            case "serve":
                wanted.countDown();
                return null;
            case "state":
                return state((String) request.get("view"));
            case "events":
                idle();
                synchronized (events) {
                    List<Object> heard = new ArrayList<Object>(events);
                    events.clear();
                    return heard;
                }
            case "log":
                idle();
                return Page.takeLog();
            default:
                throw new IllegalArgumentException(what);
        }
    }

    private void show(final String name) throws Exception {
        run(
                new Work() {
                    @Override
                    public void run() throws Exception {
                        if (shown != null) {
                            shown.pause().stop().destroy();
                        }
                        Page.next = name;
                        shown = Robolectric.buildActivity(Page.class).setup().visible();
                    }
                });
        // Its window is added by then.
        idle();
        run(
                new Work() {
                    @Override
                    public void run() throws Exception {
                        makeVisible(shown.get());
                        WindowList.updateFocus();
                    }
                });
        idle();
        Page.takeLog();
        synchronized (events) {
            events.clear();
        }
    }

    /** The window manager tells a window that it can be seen; here nobody else does. */
    static void makeVisible(Activity activity) throws Exception {
        View decor = activity.getWindow().getDecorView();
        Object root = View.class.getMethod("getViewRootImpl").invoke(decor);
        Method tell = root.getClass().getDeclaredMethod("dispatchAppVisibility", boolean.class);
        tell.setAccessible(true);
        tell.invoke(root, true);
        decor.requestLayout();
    }

    private Object state(final String name) throws Exception {
        idle();
        final Map<String, Object> state = new LinkedHashMap<String, Object>();
        run(
                new Work() {
                    @Override
                    public void run() {
                        ViewState.describe(shown.get().view(name), state);
                    }
                });
        return state;
    }

    /** Something for the app's main thread. */
    interface Work {
        void run() throws Exception;
    }

    private void run(final Work work) throws Exception {
        FutureTask<Void> task =
                new FutureTask<Void>(
                        new Callable<Void>() {
                            @Override
                            public Void call() throws Exception {
                                work.run();
                                return null;
                            }
                        });
        main.post(task);
        task.get();
    }

    /** Until the main thread has nothing left to do now. */
    private void idle() throws InterruptedException {
        final CountDownLatch done = new CountDownLatch(1);
        Looper.getMainLooper()
                .getQueue()
                .addIdleHandler(
                        new MessageQueue.IdleHandler() {
                            @Override
                            public boolean queueIdle() {
                                done.countDown();
                                return false;
                            }
                        });
        main.post(
                new Runnable() {
                    @Override
                    public void run() {}
                });
        done.await();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
