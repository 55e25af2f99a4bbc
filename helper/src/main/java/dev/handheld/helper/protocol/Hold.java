package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;

/** The hold on UiAutomation: taken when a command first needs it, released when it is idle. */
public final class Hold {
    private final Device device;
    /** Locked while Android is asked, which may take seconds; the watch must not wait for that. */
    private final Object asking = new Object();
    private boolean held;
    private double lastNeed;

    Hold(Device device) {
        this.device = device;
    }

    /** Take it. Throws `automation_held` when another program has it. */
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

    /** Release it; return whether it was held. `failed` where Android refuses. */
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

    /** Release it if it is idle; return the time of the next check. */
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
