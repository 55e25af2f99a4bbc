package dev.handheld.helper.device;

import java.util.List;

/** The notifications of the current user. */
public interface Notifications {
    /** Whether Android lets this program listen to them. It begins with the first question. */
    boolean listens();

    /**
     * How many were posted, changed or removed; where this program may not listen, how many new
     * ones came in events. It never falls while this program runs.
     */
    long count();

    /** What is there, newest first; only where this program listens. */
    List<Posted> active();

    /** Whether it is still there as it was posted then; only where this program listens. */
    boolean isThere(Posted posted);

    /** What came in events while UiAutomation was held, newest first: a few. */
    List<Posted> heard();

    /** The phone's clock, in ms. */
    long now();

    /**
     * Whether Android lets this program start the activity of an app's notification. Where it does
     * not, it reports the start as a success and shows nothing.
     */
    boolean starts();

    /** Do what a tap on it does in its app, without removing it. Withdrawn: `failed`. */
    void open(Posted posted);

    /**
     * Press one of its buttons, with a text for each of its inputs that take any; null for none.
     * Withdrawn: `failed`.
     */
    void press(Posted posted, int action, String text);

    /**
     * Tell Android that it was tapped and opened: Android removes it if a tap does that, and its
     * app does not hear that it was dismissed. Only where this program listens.
     */
    void clicked(Posted posted);

    /** Remove it, without waiting for it. Only where this program listens, as is `snooze`. */
    void cancel(Posted posted);

    /** Take it away for that long, without waiting for it. */
    void snooze(Posted posted, long ms);

    /** Set the listener for changes of the count, called on any thread. Once, before all else. */
    void listen(Runnable changed);
}
