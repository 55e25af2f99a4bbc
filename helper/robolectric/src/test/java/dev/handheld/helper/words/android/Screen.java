package dev.handheld.helper.words.android;

import android.graphics.Point;

/** The screen, and how the user wants it. */
final class Screen {
    private static final int WIDTH = 1080;
    private static final int HEIGHT = 2400;
    private static final int DENSITY = 420;
    private static final int LIGHT = 1;

    private final Point forced = new Point(WIDTH, HEIGHT);
    private int density = DENSITY;
    private int night = LIGHT;

    /** Null if it does not know. */
    Object answer(String name, Object[] arguments) {
        switch (name) {
            case "getInitialDisplaySize":
            case "getBaseDisplaySize":
                Point size = (Point) arguments[1];
                if (arguments[0].equals(0)) {
                    boolean initial = name.equals("getInitialDisplaySize");
                    size.set(initial ? WIDTH : forced.x, initial ? HEIGHT : forced.y);
                }
                return null;
            case "setForcedDisplaySize":
                forced.set((Integer) arguments[1], (Integer) arguments[2]);
                return null;
            case "clearForcedDisplaySize":
                forced.set(WIDTH, HEIGHT);
                return null;
            case "getInitialDisplayDensity":
                return arguments[0].equals(0) ? DENSITY : 0;
            case "getBaseDisplayDensity":
                return arguments[0].equals(0) ? density : 0;
            case "setForcedDisplayDensityForUser":
                density = (Integer) arguments[1];
                return null;
            case "clearForcedDisplayDensityForUser":
                density = DENSITY;
                return null;
            case "getNightMode":
                return night;
            case "setNightMode":
                night = (Integer) arguments[0];
                return null;
            default:
                return null;
        }
    }
}
