package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Arguments;
import java.util.List;

/** The strokes of a call: for each finger points of x, y and milliseconds. */
final class Strokes {
    static final int FINGERS = 10;
    static final int POINTS = 20_000;
    static final int LONGEST_MS = 60_000;

    private Strokes() {}

    static double[][][] read(Object value) {
        List<?> strokes = list(value);
        if (strokes.isEmpty() || strokes.size() > FINGERS) {
            throw Arguments.bad("`strokes` is not a list of 1 to " + FINGERS + " strokes.");
        }
        double[][][] read = new double[strokes.size()][][];
        for (int finger = 0; finger < read.length; finger++) {
            List<?> points = list(strokes.get(finger));
            if (points.isEmpty() || points.size() > POINTS) {
                throw Arguments.bad("A stroke has no points, or more than " + POINTS + ".");
            }
            read[finger] = stroke(points);
        }
        return read;
    }

    private static double[][] stroke(List<?> points) {
        double[][] stroke = new double[points.size()][3];
        double last = 0;
        for (int place = 0; place < stroke.length; place++) {
            if (!(points.get(place) instanceof List) || ((List<?>) points.get(place)).size() != 3) {
                throw Arguments.bad("A point is not [x, y, t_ms].");
            }
            List<?> point = (List<?>) points.get(place);
            for (int part = 0; part < 3; part++) {
                if (!Arguments.isNumber(point.get(part))) {
                    throw Arguments.bad("A point is not three numbers.");
                }
                stroke[place][part] = Arguments.number(point.get(part));
            }
            double time = stroke[place][2];
            if (time < last || time > LONGEST_MS) {
                throw Arguments.bad("Times fall, or are beyond " + LONGEST_MS + " ms.");
            }
            last = time;
        }
        return stroke;
    }

    private static List<?> list(Object value) {
        if (!(value instanceof List)) {
            throw Arguments.bad("`strokes` is not a list of lists.");
        }
        return (List<?>) value;
    }

    static void checkDuration(Object value) {
        if (!Arguments.isNumber(value)
                || Arguments.number(value) < 1
                || Arguments.number(value) > LONGEST_MS) {
            throw Arguments.bad("`duration_ms` is not 1 to " + LONGEST_MS + ".");
        }
    }
}
