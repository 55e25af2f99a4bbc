package dev.handheld.helper.commands;

import dev.handheld.helper.device.Input;

/** The steps of one finger: down, a move every 10 ms, up. */
final class FingerSteps {
    static final int INTERVAL_MS = 10;

    private final int finger;
    private final double[][] points;
    private final double right;
    private final double bottom;
    /** The last point that the finger has left. */
    private int from;
    private boolean begun;
    private boolean over;
    private double tick = Double.NaN;

    /** @param right the last column; no finger goes beyond it, nor beyond `bottom` */
    FingerSteps(int finger, double[][] points, double right, double bottom) {
        this.finger = finger;
        this.points = points;
        this.right = right;
        this.bottom = bottom;
    }

    private double x(int point) {
        return Math.min(points[point][0], right);
    }

    private double y(int point) {
        return Math.min(points[point][1], bottom);
    }

    /** Return the next step; null when it is done. */
    Step next() {
        if (!begun) {
            begun = true;
            return at(0, Input.Touch.DOWN);
        }
        while (from + 1 < points.length) {
            int to = from + 1;
            if (x(from) == x(to) && y(from) == y(to)) {
                from = to;
                continue;
            }
            double begin = points[from][2];
            double end = points[to][2];
            if (Double.isNaN(tick)) {
                tick = (Math.floor(begin / INTERVAL_MS) + 1) * INTERVAL_MS;
            }
            if (tick < end) {
                double share = (tick - begin) / (end - begin);
                double x = x(from) + (x(to) - x(from)) * share;
                double y = y(from) + (y(to) - y(from)) * share;
                Step step = new Step(tick, finger, Input.Touch.MOVE, x, y, false);
                tick += INTERVAL_MS;
                return step;
            }
            tick = Double.NaN;
            from = to;
            return at(to, Input.Touch.MOVE);
        }
        if (over) {
            return null;
        }
        over = true;
        return at(points.length - 1, Input.Touch.UP);
    }

    private Step at(int point, Input.Touch action) {
        return new Step(points[point][2], finger, action, x(point), y(point), true);
    }
}
