package dev.handheld.helper.protocol;

import java.util.Locale;

/** Whether a failed call had an effect. */
public enum Happened {
    NO,
    PARTLY,
    MAYBE;

    /** As it is on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
