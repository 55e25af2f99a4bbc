package dev.handheld.helper.device;

/** A picture of the screen, compressed. */
public final class Picture {
    public final int width;
    public final int height;
    public final byte[] data;

    public Picture(int width, int height, byte[] data) {
        this.width = width;
        this.height = height;
        this.data = data;
    }
}
