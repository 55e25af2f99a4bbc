package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Camera;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.device.Picture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The cameras of the test's world. */
final class BridgeCameras implements Cameras {
    private final Bridge bridge;

    BridgeCameras(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public List<Camera> all() {
        List<Camera> cameras = new ArrayList<Camera>();
        for (Map<String, Object> said : Bridge.maps(bridge.call("cameras"))) {
            cameras.add(
                    new Camera(
                            (String) said.get("id"),
                            (String) said.get("facing"),
                            (Boolean) said.get("flash"),
                            sizes(said.get("photo")),
                            sizes(said.get("video"))));
        }
        return cameras;
    }

    private static List<int[]> sizes(Object said) {
        List<int[]> sizes = new ArrayList<int[]>();
        for (Object one : (List<?>) said) {
            List<?> sides = (List<?>) one;
            int width = ((Number) sides.get(0)).intValue();
            sizes.add(new int[] {width, ((Number) sides.get(1)).intValue()});
        }
        return sizes;
    }

    @Override
    public Picture photo(String id, int[] size, int quality, String flash) {
        Object said = bridge.call("photo", id, Arrays.asList(size[0], size[1]), quality, flash);
        return new Picture(size[0], size[1], Base64.getDecoder().decode((String) said));
    }

    @Override
    public Recording record(String id, int[] size, String flash, boolean audio, String path) {
        bridge.call("film", id, Arrays.asList(size[0], size[1]), flash);
        return new Filming(id, size, path);
    }

    /** A video that the world writes once it has ended. */
    private final class Filming implements Recording {
        private final String id;
        private final int[] size;
        private final String path;
        private final double began = now();
        private long bytes;
        private byte[] thumbnail;

        Filming(String id, int[] size, String path) {
            this.id = id;
            this.size = size;
            this.path = path;
        }

        private double now() {
            return ((Number) bridge.call("now")).doubleValue();
        }

        @Override
        public long finish() {
            long lasted = Math.round(now() - began);
            List<Integer> sides = Arrays.asList(size[0], size[1]);
            List<?> said = (List<?>) bridge.call("end_video", id, sides, path, lasted);
            bytes = ((Number) said.get(0)).longValue();
            thumbnail = Base64.getDecoder().decode((String) said.get(1));
            return lasted;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public byte[] thumbnail() {
            return thumbnail;
        }

        @Override
        public void abort() {
            // Nothing was written yet.
        }
    }
}
