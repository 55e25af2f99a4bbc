package dev.handheld.helper.framework;

import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowSystemClock;

/**
 * Android's time on this phone, which Robolectric would let stand still. It passes as the machine's
 * time does while everybody waits, and almost stands still while the app or the helper is at work:
 * on a slow machine a finger takes as long, in Android's time, as on a fast one.
 */
final class PacedClock implements Clock, Threads {
    /** What the names of the helper's threads begin with. */
    private static final String HELPER = "handheld-";

    private static final int FRAME_MS = 16;
    private static final long TICK_MS = 2;

    /** Time passes even for those who are at work, since they may look at it until it is late. */
    private static final int WORKING_TICKS = 20;
    /**
     * Nobody looks at it for longer, so work that goes on is that of a busy machine: time almost
     * stands still, and no timeout expires.
     */
    private static final int BUSY_TICKS = 1000;

    /** A helper thread that waits. Guarded by its monitor. */
    private static final class Waiter {
        final Object monitor;
        final double until;
        boolean woken;

        Waiter(Object monitor, double until) {
            this.monitor = monitor;
            this.until = until;
        }
    }

    private final Handler main = Handler.createAsync(Looper.getMainLooper());
    private final List<Waiter> waiters = new ArrayList<Waiter>();

    /** Start the time. */
    void start() {
        // Otherwise every frame would move the clock on by itself.
        ShadowChoreographer.setPaused(true);
        ShadowChoreographer.setFrameDelay(Duration.ofMillis(FRAME_MS));
        daemon(
                        "pace",
                        new Runnable() {
                            @Override
                            public void run() {
                                pace();
                            }
                        })
                .start();
    }

    @Override
    public void start(String name, Runnable work) {
        daemon(HELPER + name, work).start();
    }

    private static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public double now() {
        return SystemClock.uptimeMillis();
    }

    @Override
    public void await(Object monitor, double until) {
        if (until <= now()) {
            return;
        }
        Waiter waiter = new Waiter(monitor, until);
        synchronized (this) {
            waiters.add(waiter);
        }
        while (!waiter.woken) {
            try {
                monitor.wait();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    @Override
    public void wake(Object monitor) {
        wake(monitor, Double.POSITIVE_INFINITY);
    }

    /** Wake the threads that wait until then at the latest. The caller holds the monitor. */
    private synchronized void wake(Object monitor, double latest) {
        for (Waiter waiter : new ArrayList<Waiter>(waiters)) {
            if (waiter.monitor == monitor && waiter.until <= latest) {
                waiter.woken = true;
                waiters.remove(waiter);
            }
        }
        monitor.notifyAll();
    }

    private void pace() {
        int ticks = 0;
        while (true) {
            try {
                Thread.sleep(TICK_MS);
            } catch (InterruptedException interrupted) {
                return;
            }
            ticks = isWorking() ? ticks + 1 : 0;
            if (ticks % (ticks < BUSY_TICKS ? WORKING_TICKS : BUSY_TICKS) == 0) {
                pass();
            }
        }
    }

    /** Whether the app or a thread of the helper is at work. */
    private static boolean isWorking() {
        Thread[] threads = new Thread[2 * Thread.activeCount()];
        int count = Thread.enumerate(threads);
        for (int i = 0; i < count; i++) {
            Thread.State state = threads[i].getState();
            boolean works = state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED;
            if (works && isWorker(threads[i])) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWorker(Thread thread) {
        String name = thread.getName();
        // The reader waits for bytes, which looks like work.
        return thread == Looper.getMainLooper().getThread()
                || name.startsWith(HELPER) && !name.equals(HELPER + "reader");
    }

    /** On the main thread: Robolectric's frames do not expect the time to pass beside them. */
    void advance(final long milliseconds) {
        FutureTask<Void> passed =
                new FutureTask<Void>(
                        new Runnable() {
                            @Override
                            public void run() {
                                ShadowSystemClock.advanceBy(Duration.ofMillis(milliseconds));
                            }
                        },
                        null);
        main.post(passed);
        try {
            passed.get();
        } catch (InterruptedException | ExecutionException problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** Let time pass, at most until the first helper thread is due, and wake those that are. */
    private void pass() {
        double left = TICK_MS;
        synchronized (this) {
            for (Waiter waiter : waiters) {
                left = Math.min(left, Math.ceil(waiter.until - now()));
            }
        }
        advance((long) Math.max(0, left));
        List<Waiter> due = new ArrayList<Waiter>();
        synchronized (this) {
            for (Waiter waiter : waiters) {
                if (waiter.until <= now()) {
                    due.add(waiter);
                }
            }
        }
        for (Waiter waiter : due) {
            synchronized (waiter.monitor) {
                wake(waiter.monitor, now());
            }
        }
    }
}
