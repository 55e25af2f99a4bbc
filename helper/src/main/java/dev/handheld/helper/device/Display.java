package dev.handheld.helper.device;

/** The screen's size as it is turned now. */
public final class Display {
    public final int width;
    public final int height;
    /** dpi */
    public final int density;
    /** Quarter turns, 0 to 3. */
    public final int rotation;

    public Display(int width, int height, int density, int rotation) {
        this.width = width;
        this.height = height;
        this.density = density;
        this.rotation = rotation;
    }
}
