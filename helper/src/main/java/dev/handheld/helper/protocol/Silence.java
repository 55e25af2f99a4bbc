package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;

/**
 * Detects a host that disappeared silently. It has its own thread, which neither writes nor calls
 * Android: a write to such a host may block forever.
 */
final class Silence implements Runnable {
    private final Clock clock;
    private final Runnable noticed;
    private double lastByte;

    /** @param noticed called when the host has been silent for too long */
    Silence(Clock clock, Runnable noticed) {
        this.clock = clock;
        this.noticed = noticed;
        lastByte = clock.now();
    }

    synchronized void received() {
        lastByte = clock.now();
    }

    @Override
    public void run() {
        synchronized (this) {
            while (clock.now() < lastByte + Limits.SILENCE_MS) {
                clock.await(this, lastByte + Limits.SILENCE_MS);
            }
        }
        noticed.run();
    }
}
