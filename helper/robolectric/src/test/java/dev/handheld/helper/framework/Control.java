package dev.handheld.helper.framework;

import android.os.Handler;
import android.os.Looper;
import android.os.MessageQueue;
import android.util.PrintStreamPrinter;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.protocol.JsonReader;
import dev.handheld.helper.protocol.JsonWriter;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.robolectric.Robolectric;
import org.robolectric.android.controller.ActivityController;

/** What a test may ask of this phone beside the helper: one JSON object per line, both ways. */
final class Control extends Thread {
    private static final int IDLE_SECONDS = 300;
    private static final long STEP_MS = 4;
    private static final long LISTENER_MS = 100;
    private static volatile Page page;

    private final PacedClock time;
    private final BufferedReader input;
    private final OutputStream output;
    private final Handler main = new Handler(Looper.getMainLooper());
    private final CountDownLatch wanted = new CountDownLatch(1);
    private ActivityController<Page> shown;

    Control(PacedClock time, InputStream input, OutputStream output) {
        super("control");
        this.time = time;
        setDaemon(true);
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        this.output = output;
    }

    /** Until somebody wants a helper: it ends by itself when nobody speaks with it. */
    void awaitStart() throws InterruptedException {
        wanted.await();
    }

    static void heard(AccessibilityEvent event) {
        EventRecord.add(event, page);
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
            case "install":
                return InstalledApps.install((String) request.get("file"));
            case "call as":
                InstalledApps.callAs(((Long) request.get("uid")).intValue());
                return null;
            case "running services":
                return InstalledApps.running();
            case "elapse":
                elapse((Long) request.get("ms"));
                return null;
            case "linger":
                SystemServices.lingerOnce();
                return null;
            case "trial":
                Page.widget = map(request.get("widget"));
                show("trial");
                return new Trial(this).run((List<?>) request.get("steps"));
            case "state":
                return state((String) request.get("view"));
            case "events":
                return EventRecord.take();
            case "log":
                // A listener hears of a touch a little later: the view posts the click.
                elapse(LISTENER_MS);
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
                        ActivityController<Page> before = shown;
                        shown = null;
                        if (before != null) {
                            before.pause().stop().destroy();
                            WindowList.closeAll();
                        }
                        Page.next = name;
                        shown = Robolectric.buildActivity(Page.class).setup().visible();
                        page = shown.get();
                    }
                });
        idle();
        Page.takeLog();
        EventRecord.clear();
    }

    Page page() {
        return shown.get();
    }

    /** Let time pass: quickly, unless there is a helper, which would miss the host's signs. */
    synchronized void elapse(long milliseconds) throws InterruptedException {
        double until = time.now() + milliseconds;
        while (time.now() < until) {
            if (wanted.getCount() > 0) {
                time.advance((long) Math.min(STEP_MS, until - time.now()));
                // What is due by now; an app that moves something is never idle.
                time.advance(0);
            } else {
                time.await(this, until);
            }
        }
    }

    private Object state(final String name) throws Exception {
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

    void run(final Work work) throws Exception {
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
        if (!done.await(IDLE_SECONDS, TimeUnit.SECONDS)) {
            Looper.getMainLooper().dump(new PrintStreamPrinter(System.err), "");
            throw new IllegalStateException("The app is not idle.");
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
