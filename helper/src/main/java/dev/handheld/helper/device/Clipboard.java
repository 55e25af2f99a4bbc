package dev.handheld.helper.device;

import java.util.List;

/** The clipboard of the current user. `failed` where Android refuses. */
public interface Clipboard {
    /**
     * An extra of a clip that no keyboard shows: ClipDescription.EXTRA_IS_SENSITIVE, new in API 33;
     * its name is older.
     */
    String SENSITIVE = "android.content.extra.IS_SENSITIVE";
    /**
     * An extra of a clip that the phone does not show, as it otherwise does since API 33. Android
     * respects it in clips that the shell has set.
     */
    String NO_OVERLAY = "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY";

    /** Our own extra of a clip: it is on its way into a field and must not stay. */
    String PASSING = "dev.handheld.passing";

    /** The first item as text, or null when there is none. */
    String text();

    /** Copy a text with each of these extras. */
    void set(String text, List<String> extras);

    /** The current contents, to be restored later; null if they cannot be read. */
    Object keep();

    /**
     * Restore the result of {@link #keep}, with {@link #NO_OVERLAY}; null empties the clipboard.
     */
    void putBack(Object kept);

    /**
     * Empty it if it has a clip with {@link #PASSING}, which a killed program left; return whether
     * it had. False if that cannot be determined.
     */
    boolean dropPassing();
}
