package dev.handheld.helper.commands;

import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.protocol.Job;

/** Waiting for an app to come to the front. */
final class Front {
    /** Without UiAutomation there are no events, so the foreground is polled. */
    private static final double LOOK_MS = 100;

    private Front() {}

    /** Its own task counts, also while Android shows a dialog in it. */
    static boolean isOf(String packageName, Foreground front) {
        return front != null
                && (packageName.equals(front.packageName) || packageName.equals(front.begunBy));
    }

    static boolean isSame(Foreground one, Foreground other) {
        return one == null || other == null
                ? one == other
                : one.packageName.equals(other.packageName) && one.activity.equals(other.activity);
    }

    /** Return what is in front as soon as it is the app, or at the given time; null for nothing. */
    static Foreground await(Job job, String packageName, double until) {
        while (true) {
            int mark = job.mark();
            // Read first: any later change then wakes the job.
            job.device.screen().changes();
            Foreground front = job.device.screen().foreground();
            double now = job.device.clock().now();
            if (isOf(packageName, front) || now >= until) {
                return front;
            }
            job.await(mark, Math.min(until, now + LOOK_MS));
        }
    }
}
