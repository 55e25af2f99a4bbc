package dev.handheld.helper.commands;

import dev.handheld.helper.device.Input;

/** One event of a gesture. */
final class Step {
    /** Milliseconds from the gesture's start. */
    final double time;
    final int finger;
    final Input.Touch action;
    final double x;
    final double y;
    /** At a requested point, not interpolated between two. */
    final boolean given;

    Step(double time, int finger, Input.Touch action, double x, double y, boolean given) {
        this.time = time;
        this.finger = finger;
        this.action = action;
        this.x = x;
        this.y = y;
        this.given = given;
    }

    /** The order of simultaneous events, as on Android: moves, then lifts, then new fingers. */
    boolean isBefore(Step other) {
        if (time != other.time) {
            return time < other.time;
        }
        if (action != other.action) {
            return order(action) < order(other.action);
        }
        return finger < other.finger;
    }

    private static int order(Input.Touch action) {
        return action == Input.Touch.MOVE ? 0 : action == Input.Touch.UP ? 1 : 2;
    }
}
