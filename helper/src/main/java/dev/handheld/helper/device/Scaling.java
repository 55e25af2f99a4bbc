package dev.handheld.helper.device;

/** The distances in pixels that ScaleGestureDetector requires before an app scales. */
public final class Scaling {
    /** With fingers closer than this nothing is scaled, and a scaling that has begun ends. */
    public final int span;
    /** Scaling begins after the fingers' distance has changed by more than this. */
    public final int slop;

    public Scaling(int span, int slop) {
        this.span = span;
        this.slop = slop;
    }
}
