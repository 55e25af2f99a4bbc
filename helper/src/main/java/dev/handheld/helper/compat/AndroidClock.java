package dev.handheld.helper.compat;

import android.os.SystemClock;
import dev.handheld.helper.device.Clock;

/** Uptime: it stops while the phone sleeps, as touches and apps do. */
public final class AndroidClock implements Clock {
    @Override
    public double now() {
        return SystemClock.uptimeMillis();
    }

    @Override
    public void await(Object monitor, double until) {
        double left = Math.ceil(until - now());
        if (left < 1) {
            return;
        }
        try {
            // Object.wait(0) means forever.
            monitor.wait(Double.isInfinite(left) ? 0 : (long) left);
        } catch (InterruptedException interrupted) {
            // Nobody interrupts our threads; a wait that ends early is checked again anyway.
            Thread.interrupted();
        }
    }

    @Override
    public void wake(Object monitor) {
        monitor.notifyAll();
    }
}
