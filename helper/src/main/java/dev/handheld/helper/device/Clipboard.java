package dev.handheld.helper.device;

/** The clipboard of the current user. What Android refuses: `failed`. */
public interface Clipboard {
    /** The first item as text, or null when there is none. */
    String text();

    /** Put a text there; a sensitive one is flagged so that no keyboard shows it. */
    void set(String text, boolean sensitive);

    /** Whatever is there, to be put back; null when it cannot be seen. */
    Object keep();

    /** Put back what {@link #keep} gave; null empties the clipboard. */
    void putBack(Object kept);
}
