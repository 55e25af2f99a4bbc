package dev.handheld.helper.protocol;

/** The protocol's numbers, the same as in helper/protocol.py. */
public final class Limits {
    public static final String GREETING = "HANDHELD 1\n";
    /** Of a frame's length field. */
    public static final int FRAME = 4 * 1024 * 1024;
    /** Of one DATA frame. */
    public static final int DATA = 64 * 1024;
    /** All DATA of one answer together. */
    public static final int ANSWER = 16 * 1024 * 1024;
    public static final int OPEN_CALLS = 32;
    /** How many calls the work lane runs concurrently. */
    public static final int WORK_LANE = 8;
    public static final double SILENCE_MS = 20_000;
    /** UiAutomation is released after this long without a call that needs it. */
    public static final double IDLE_RELEASE_MS = 600_000;
    /** The longest time in a call's `then`. */
    public static final long THEN_MS = 60_000;
    /** The part of the budget that is kept for reading the screen after the action. */
    public static final double THEN_READ_MS = 10_000;
    /** Texts that changed in this time before an action are expected to change after it. */
    public static final long TICKER_MS = 2000;
    public static final long BUDGET_MS = 6 * 60 * 60 * 1000;
    /** UTF-16 units of a text for the clipboard. */
    public static final int CLIPBOARD = 250_000;

    /** Language tags of the system. */
    public static final int LANGUAGES = 20;
    /** The longest wait for a fresh fix of the location. */
    public static final long FIX_MS = 60_000;

    /** The newest notifications that are listed. */
    public static final int NOTIFICATIONS = 300;
    /** UTF-16 units of a reply to a notification. */
    public static final int REPLY = 10_000;
    /** The longest snooze of a notification: a week. */
    public static final long SNOOZE_MS = 7L * 24 * 60 * 60 * 1000;

    /** Rows of a table in one answer. */
    public static final int QUERY_ROWS = 20_000;
    /** UTF-16 units of all texts in one answer, and of one text. */
    public static final int QUERY_UNITS = 2_000_000;

    public static final int CELL_UNITS = 5_000;

    /** The longest video. */
    public static final long VIDEO_MS = 60_000;

    /** The largest number of a claim. */
    public static final long EPOCH = 1L << 53;
    /** How long an accepted helper waits for the former one to end. */
    public static final double TAKE_OVER_MS = 3000;

    /** Bytes of what hosts left changed. */
    public static final int LEFT = 2000;
    /** How long an unfinished jar stays: no push takes that long. */
    public static final long UNFINISHED_MS = 10 * 60 * 1000;

    private Limits() {}
}
