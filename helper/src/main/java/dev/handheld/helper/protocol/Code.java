package dev.handheld.helper.protocol;

import java.util.Locale;

/** Why a call failed. The same words as `Code` in helper/protocol.py. */
public enum Code {
    BAD_CALL,
    UNSUPPORTED,
    BUSY,
    CANCELLED,
    OUT_OF_TIME,
    IN_USE,
    CLAIMED,
    AUTOMATION_HELD,
    LOCKED,
    INPUT_REFUSED,
    OUTSIDE_SCREEN,
    GONE,
    CHANGED,
    NOT_ACTIONABLE,
    NOT_EDITABLE,
    NO_FIELD,
    FIELD_LOST,
    OUTSIDE_TEXT,
    TEXT_NOT_FOUND,
    NO_WINDOWS,
    CAPTURE_FAILED,
    NOT_INSTALLED,
    NOT_LAUNCHABLE,
    IN_FRONT,
    OUTSIDE,
    FILE_FAILED,
    NO_COMPONENT,
    APP_REFUSED,
    APP_NOT_STARTED,
    APP_DIED,
    APP_THREW,
    NO_HANDLER,
    SEVERAL_HANDLERS,
    NO_SUBSCRIPTION,
    NOT_SENT,
    ONGOING,
    UNSEEN,
    BLOCKED,
    FAILED,
    INTERNAL;

    /** As it is on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
