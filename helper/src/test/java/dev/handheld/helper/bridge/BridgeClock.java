package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The world's time. It stands still until a test lets it pass. */
final class BridgeClock implements Clock {
    /** A thread that waits. Guarded by its monitor. */
    private static final class Waiter {
        final Object monitor;
        final double until;
        boolean woken;
        boolean due;

        Waiter(Object monitor, double until) {
            this.monitor = monitor;
            this.until = until;
        }
    }

    private final Bridge bridge;
    private final Map<Long, Waiter> waiters = new HashMap<Long, Waiter>();
    private long count;
    private double now;

    BridgeClock(Bridge bridge) {
        this.bridge = bridge;
    }

    /** The world says what time it is. */
    synchronized void set(double time) {
        now = Math.max(now, time);
    }

    @Override
    public synchronized double now() {
        return now;
    }

    @Override
    public void await(Object monitor, double until) {
        if (until <= now()) {
            return;
        }
        Waiter waiter = new Waiter(monitor, until);
        boolean finite = !Double.isInfinite(until);
        long number;
        synchronized (this) {
            number = ++count;
            waiters.put(number, waiter);
        }
        if (finite) {
            Map<String, Object> message = new LinkedHashMap<String, Object>();
            message.put("sleep", number);
            message.put("until", until);
            bridge.send(message);
        }
        bridge.leave();
        while (!waiter.woken) {
            try {
                monitor.wait();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
        synchronized (this) {
            waiters.remove(number);
        }
        if (finite && !waiter.due) {
            bridge.send("unsleep", number);
        }
    }

    @Override
    public void wake(Object monitor) {
        synchronized (this) {
            for (Waiter waiter : waiters.values()) {
                if (waiter.monitor == monitor) {
                    wake(waiter);
                }
            }
        }
        monitor.notifyAll();
    }

    private void wake(Waiter waiter) {
        if (!waiter.woken) {
            waiter.woken = true;
            bridge.enter();
        }
    }

    /** The world says that a time has come. */
    void due(long number) {
        Waiter waiter;
        synchronized (this) {
            waiter = waiters.get(number);
        }
        if (waiter == null) {
            return;
        }
        set(waiter.until);
        synchronized (waiter.monitor) {
            waiter.due = true;
            wake(waiter);
            waiter.monitor.notifyAll();
        }
    }
}
