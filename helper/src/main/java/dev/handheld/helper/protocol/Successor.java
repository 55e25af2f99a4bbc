package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;
import java.io.IOException;

/**
 * Notices that the phone has accepted another claim, or the same one on another stream. It has its
 * own thread, which neither writes nor calls Android.
 */
final class Successor implements Runnable {
    private static final double LOOK_MS = 100;

    private final Clock clock;
    private final ClaimFile file;
    private final Runnable noticed;
    private Claim claim;

    /** @param noticed called when another was accepted, or that can no longer be known */
    Successor(Clock clock, ClaimFile file, Runnable noticed) {
        this.clock = clock;
        this.file = file;
        this.noticed = noticed;
    }

    /** The claim that was accepted after ours; null while there is none. */
    synchronized Claim claim() {
        return claim;
    }

    @Override
    public void run() {
        synchronized (this) {
            try {
                while (claim == null) {
                    clock.await(this, clock.now() + LOOK_MS);
                    claim = file.later();
                }
            } catch (IOException problem) {
                System.err.println(problem);
            }
        }
        noticed.run();
    }
}
