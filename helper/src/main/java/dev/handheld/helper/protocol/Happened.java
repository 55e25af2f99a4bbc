package dev.handheld.helper.protocol;

import java.util.Locale;

/** Whether a call that failed had done something. */
public enum Happened {
    NO,
    PARTLY,
    MAYBE;

    /** As it is on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
