package dev.handheld.helper.commands;

import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The common arguments of the commands that use a camera. */
final class CameraArguments {
    private static final int LARGEST = 20_000;

    private CameraArguments() {}

    static void check(Map<String, Object> with) {
        Arguments.text(with.get("camera"), "camera");
        size(with.get("size"), "size");
        Arguments.word(with.get("flash"), "flash", Arrays.asList("off", "on", "auto"));
    }

    static int[] size(Object value, String name) {
        List<?> sides = value instanceof List ? (List<?>) value : Arrays.asList();
        int[] size = new int[2];
        for (int one = 0; one < size.length && sides.size() == size.length; one++) {
            Object side = sides.get(one);
            if (side instanceof Long && (Long) side >= 1 && (Long) side <= LARGEST) {
                size[one] = ((Long) side).intValue();
            }
        }
        if (size[0] == 0 || size[1] == 0) {
            throw Arguments.bad("`" + name + "` is not a width and a height from 1 to 20000.");
        }
        return size;
    }

    static Camera find(Cameras cameras, Object id) {
        for (Camera camera : cameras.all()) {
            if (camera.id.equals(id)) {
                return camera;
            }
        }
        throw new Failure(Code.FAILED, "Camera not found: '" + id + "'.");
    }

    /** The squarest of the sizes that are small enough; the smallest if none is. */
    static int[] nearest(List<int[]> sizes, int[] wanted, int[] most) {
        int[] best = null;
        int[] smallest = null;
        for (int[] one : sizes) {
            boolean fits = most == null || (one[0] <= most[0] && one[1] <= most[1]);
            if (fits && (best == null || distance(one, wanted) < distance(best, wanted))) {
                best = one;
            }
            if (smallest == null || (long) one[0] * one[1] < (long) smallest[0] * smallest[1]) {
                smallest = one;
            }
        }
        if (smallest == null) {
            throw new Failure(Code.FAILED, "This camera does not do that.");
        }
        return best == null ? smallest : best;
    }

    private static int distance(int[] one, int[] wanted) {
        return Math.abs(one[0] - wanted[0]) + Math.abs(one[1] - wanted[1]);
    }
}
