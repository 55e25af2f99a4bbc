package dev.handheld.helper.device;

/** A window on the screen, without its content. */
public final class Window {
    public final int id;
    /** APPLICATION, INPUT_METHOD, SYSTEM, … or UNKNOWN(number). */
    public final String type;
    /** Null if only the root tells it. */
    public final String packageName;
    public final String title;
    public final int layer;
    public final boolean focused;

    public Window(
            int id, String type, String packageName, String title, int layer, boolean focused) {
        this.id = id;
        this.type = type;
        this.packageName = packageName;
        this.title = title;
        this.layer = layer;
        this.focused = focused;
    }
}
