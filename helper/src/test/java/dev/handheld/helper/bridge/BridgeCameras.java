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
        bridge.call("video", id);
        throw new IllegalStateException("The world records nothing.");
    }
}
