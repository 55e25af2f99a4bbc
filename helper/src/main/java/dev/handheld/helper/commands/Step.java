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
    /** At a point that was asked for, not on the way between two. */
    final boolean given;

    Step(double time, int finger, Input.Touch action, double x, double y, boolean given) {
        this.time = time;
        this.finger = finger;
        this.action = action;
        this.x = x;
        this.y = y;
        this.given = given;
    }

    /** At one moment, as Android has it: whoever is there moves, some go, others come. */
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
