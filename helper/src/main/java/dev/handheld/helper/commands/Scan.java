package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Stopped;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has Android's media index look at a file that came or went: galleries look nowhere else. */
final class Scan {
    private static final double PATIENCE_MS = 2000;

    /** Whether it was asked and has not answered yet. */
    private final AtomicBoolean asked = new AtomicBoolean();

    /** The file is as it was left, whatever becomes of this: what goes wrong is logged. */
    void look(final Job job, final String path) {
        if (path.startsWith(".", path.lastIndexOf('/') + 1)) {
            return; // hidden from galleries, as are our own that wait to be renamed
        }
        if (!asked.compareAndSet(false, true)) {
            note(job, "it has not answered for another one"); // which holds a thread, and may stay
            return;
        }
        int mark = job.mark();
        Runnable work =
                new Runnable() {
                    @Override
                    public void run() {
                        try {
                            job.device.media().scan(path);
                        } catch (RuntimeException refused) {
                            note(job, refused.getMessage());
                        }
                        asked.set(false);
                        job.wake();
                    }
                };
        if (!job.fork(work)) {
            asked.set(false);
            note(job, "there are no threads left");
            return;
        }
        double until = job.device.clock().now() + PATIENCE_MS;
        try {
            while (asked.get() && job.await(mark, until)) {
                mark = job.mark();
            }
        } catch (Stopped late) {
            return; // the file is in its place, and that is the answer
        }
        if (asked.get()) {
            note(job, "it did not answer in time");
        }
    }

    private static void note(Job job, String reason) {
        job.device.phone().log("The media index does not know of a file yet: " + reason + ".");
    }
}
