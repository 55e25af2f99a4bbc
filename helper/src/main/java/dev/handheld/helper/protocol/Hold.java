package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;

/** Our hold on UiAutomation: taken at the first need, let go of when nobody needs it. */
public final class Hold {
    private final Device device;
    /** Held while Android is asked, which may take seconds; the watch must not wait for that. */
    private final Object asking = new Object();
    private boolean held;
    private double lastNeed;

    Hold(Device device) {
        this.device = device;
    }

    /** Throws `automation_held` when another program has it. */
    public void need() {
        synchronized (asking) {
            synchronized (this) {
                lastNeed = device.clock().now();
                if (held) {
                    return;
                }
            }
            device.automation().take();
            synchronized (this) {
                held = true;
            }
        }
    }

    /** Whether it was held. */
    public boolean release() {
        synchronized (asking) {
            synchronized (this) {
                if (!held) {
                    return false;
                }
                held = false;
            }
            device.automation().release();
            return true;
        }
    }

    /** Let go of it if it is idle by now; when to look again. */
    double watch(double now) {
        synchronized (this) {
            double idle = lastNeed + Limits.IDLE_RELEASE_MS;
            if (!held || now < idle) {
                return held ? idle : Double.POSITIVE_INFINITY;
            }
        }
        release();
        return Double.POSITIVE_INFINITY;
    }
}
