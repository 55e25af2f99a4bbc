package dev.handheld.helper.device;

/** A finger on the screen. */
public final class Pointer {
    public final int id;
    public final double x;
    public final double y;

    public Pointer(int id, double x, double y) {
        this.id = id;
        this.x = x;
        this.y = y;
    }
}
