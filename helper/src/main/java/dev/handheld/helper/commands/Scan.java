package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Stopped;
import java.util.concurrent.atomic.AtomicBoolean;

/** Makes Android's media index scan a changed file: galleries read only the index. */
final class Scan {
    private static final double PATIENCE_MS = 2000;

    /** Whether it has not answered yet. */
    private final AtomicBoolean asked = new AtomicBoolean();

    /** The file operation has succeeded already, so a failure here is only logged. */
    void look(final Job job, final String path) {
        if (path.startsWith(".", path.lastIndexOf('/') + 1)) {
            return; // hidden from galleries, as are temporary files
        }
        if (!asked.compareAndSet(false, true)) {
            note(job, "it has not answered for another one"); // and blocks a thread
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
            return; // the file is in place, and that is the answer
        }
        if (asked.get()) {
            note(job, "it did not answer in time");
        }
    }

    private static void note(Job job, String reason) {
        job.device.phone().log("The media index does not know of a file yet: " + reason + ".");
    }
}
