package dev.handheld.helper.device;

/** What Android asks of two fingers before an app scales, as ScaleGestureDetector does; pixels. */
public final class Scaling {
    /** With less between them nothing is scaled, and a scaling that has begun ends. */
    public final int span;
    /** By more than this the distance between them changes before it begins. */
    public final int slop;

    public Scaling(int span, int slop) {
        this.span = span;
        this.slop = slop;
    }
}
