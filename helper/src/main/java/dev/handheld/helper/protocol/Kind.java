package dev.handheld.helper.protocol;

/** The kinds of frames. */
public final class Kind {
    public static final int CALL = 1;
    public static final int CANCEL = 2;
    public static final int PING = 3;
    public static final int HELLO = 16;
    public static final int DATA = 17;
    public static final int REPLY = 18;
    public static final int ERROR = 19;
    public static final int PONG = 20;

    private Kind() {}
}
