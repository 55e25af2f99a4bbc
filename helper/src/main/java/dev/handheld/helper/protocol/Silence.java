package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;

/**
 * Notices a host that has gone without a word. On a thread of its own that neither writes nor asks
 * Android anything: to a host that is gone a write may take for ever.
 */
final class Silence implements Runnable {
    private final Clock clock;
    private final Runnable noticed;
    private double lastByte;

    /** @param noticed told when the host has said nothing for too long */
    Silence(Clock clock, Runnable noticed) {
        this.clock = clock;
        this.noticed = noticed;
        lastByte = clock.now();
    }

    synchronized void heard() {
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
