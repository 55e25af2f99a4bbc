package dev.handheld.helper.device;

import java.util.List;

/** The clipboard of the current user. What Android refuses: `failed`. */
public interface Clipboard {
    /**
     * An extra of a clip: no keyboard shows it. ClipDescription.EXTRA_IS_SENSITIVE, which is 33's;
     * the name is older.
     */
    String SENSITIVE = "android.content.extra.IS_SENSITIVE";
    /**
     * An extra of a clip: the phone does not show what was copied, as it does since 33. Heeded of
     * clips that the shell has set.
     */
    String NO_OVERLAY = "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY";

    /** An extra of a clip, of our own: it is on its way into a field, and not to stay. */
    String PASSING = "dev.handheld.passing";

    /** The first item as text, or null when there is none. */
    String text();

    /** Put a text there, each of these extras with it. */
    void set(String text, List<String> extras);

    /** Whatever is there, to be put back; null when it cannot be seen. */
    Object keep();

    /** Put back what {@link #keep} gave, with {@link #NO_OVERLAY}; null empties the clipboard. */
    void putBack(Object kept);

    /**
     * Empty it if it has a clip with {@link #PASSING}, which a program left that was killed; return
     * whether it had. Where that cannot be seen: false.
     */
    boolean dropPassing();
}
