package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;

/** Looks at the clock: budgets, a silent host, a hold on UiAutomation that nobody needs. */
final class Watch implements Runnable {
    private final Clock clock;
    private final Calls calls;
    private final Hold hold;
    private final Runnable silent;
    private double lastByte;
    private double next;

    /** @param silent told when the host has said nothing for too long */
    Watch(Clock clock, Calls calls, Hold hold, Runnable silent) {
        this.clock = clock;
        this.calls = calls;
        this.hold = hold;
        this.silent = silent;
        lastByte = clock.now();
    }

    synchronized void heard() {
        lastByte = clock.now();
    }

    /** There is a deadline; it is looked at then at the latest. */
    synchronized void sooner(double deadline) {
        if (deadline < next) {
            next = deadline;
            clock.wake(this);
        }
    }

    @Override
    public void run() {
        while (look()) {
            synchronized (this) {
                if (clock.now() < next) {
                    clock.await(this, next);
                }
            }
        }
    }

    private boolean look() {
        double now = clock.now();
        synchronized (this) {
            next = lastByte + Limits.SILENCE_MS;
            if (now >= next) {
                silent.run();
                return false;
            }
        }
        // The hold is looked at with every deadline, so one taken since is found in time.
        sooner(hold.watch(now));
        sooner(calls.watch(now));
        return true;
    }
}
