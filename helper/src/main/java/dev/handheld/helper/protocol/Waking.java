package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Input;

/** The screen before an action: it is switched on if the call has `wake`. */
final class Waking {
    private static final double WAKE_MS = 1000;
    private static final double LOOK_MS = 20;

    private Waking() {}

    /** Switch the screen on if the call asks for it, and note what the action will meet. */
    static void begin(Job job, boolean wake) {
        Device device = job.device;
        if (!device.phone().isAwake()) {
            if (wake) {
                wakeUp(job);
            }
            job.conditions.put(wake ? "woken" : "dark", true);
        }
        if (device.phone().isLocked()) {
            job.conditions.put("locked", true);
        }
    }

    /**
     * Wake the screen; the lock screen stays. The key is the second choice: some phones refuse
     * injected keys.
     */
    private static void wakeUp(Job job) {
        Device device = job.device;
        if (device.phone().wakeUp() && comesOn(job)) {
            return;
        }
        device.input().check();
        device.input().key(Input.KEYCODE_WAKEUP, 0);
        if (!comesOn(job)) {
            String message = "The screen is off and did not come on within a second.";
            throw new Failure(Code.FAILED, message);
        }
    }

    private static boolean comesOn(Job job) {
        Device device = job.device;
        double until = device.clock().now() + WAKE_MS;
        while (!device.phone().isAwake()) {
            if (device.clock().now() >= until) {
                return false;
            }
            job.sleep(LOOK_MS);
        }
        return true;
    }
}
