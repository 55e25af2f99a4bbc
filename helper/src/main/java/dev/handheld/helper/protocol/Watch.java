package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;

/** Watches deadlines: budgets of calls, and an idle hold on UiAutomation. */
final class Watch implements Runnable {
    private final Clock clock;
    private final Calls calls;
    private final Hold hold;
    private final Runnable broken;
    private double next = Double.POSITIVE_INFINITY;

    Watch(Clock clock, Calls calls, Hold hold, Runnable broken) {
        this.clock = clock;
        this.calls = calls;
        this.hold = hold;
        this.broken = broken;
    }

    /** Check at that time at the latest. */
    synchronized void sooner(double deadline) {
        if (deadline < next) {
            next = deadline;
            clock.wake(this);
        }
    }

    @Override
    public void run() {
        while (true) {
            double now = awaitNext();
            // The hold is checked with every deadline, so a new one is found in time.
            try {
                sooner(hold.watch(now));
            } catch (Failure refused) {
                broken.run(); // Android takes UiAutomation from a program that has ended.
            }
            sooner(calls.watch(now));
        }
    }

    private synchronized double awaitNext() {
        while (clock.now() < next) {
            clock.await(this, next);
        }
        next = Double.POSITIVE_INFINITY;
        return clock.now();
    }
}
