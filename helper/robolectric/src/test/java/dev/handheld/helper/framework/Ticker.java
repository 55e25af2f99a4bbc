package dev.handheld.helper.framework;

import java.time.Duration;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowSystemClock;

/** Lets Android's clock run as the machine's does; Robolectric would let it stand still. */
final class Ticker {
    private static final int FRAME_MS = 16;

    private Ticker() {}

    static void start() {
        // Frames come with the time that passes; otherwise each would move the clock on.
        ShadowChoreographer.setPaused(true);
        ShadowChoreographer.setFrameDelay(Duration.ofMillis(FRAME_MS));
        Thread thread =
                new Thread("ticker") {
                    @Override
                    public void run() {
                        long last = System.nanoTime();
                        while (true) {
                            try {
                                Thread.sleep(4);
                            } catch (InterruptedException interrupted) {
                                return;
                            }
                            long passed = (System.nanoTime() - last) / 1_000_000;
                            last += passed * 1_000_000;
                            ShadowSystemClock.advanceBy(Duration.ofMillis(passed));
                        }
                    }
                };
        thread.setDaemon(true);
        thread.start();
    }
}
