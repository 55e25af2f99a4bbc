package dev.handheld.helper.device;

import java.util.List;

/** A camera of the phone. */
public final class Camera {
    public final String id;
    /** One of front, back, external and unknown. */
    public final String facing;
    public final boolean flash;
    /** Width and height, the largest first. */
    public final List<int[]> photoSizes;
    public final List<int[]> videoSizes;

    public Camera(
            String id,
            String facing,
            boolean flash,
            List<int[]> photoSizes,
            List<int[]> videoSizes) {
        this.id = id;
        this.facing = facing;
        this.flash = flash;
        this.photoSizes = photoSizes;
        this.videoSizes = videoSizes;
    }
}
