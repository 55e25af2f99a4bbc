package dev.handheld.helper.device;

import java.util.List;

/** The notifications of the current user. */
public interface Notifications {
    /** Whether Android lets this program listen to them. Listening begins with the first call. */
    boolean listens();

    /**
     * Count those that were posted, changed or removed; where this program may not listen, the new
     * ones that came in events. The count never falls while this program runs.
     */
    long count();

    /** The present ones, newest first; only where this program listens. */
    List<Posted> active();

    /** Whether that post is still there; only where this program listens. */
    boolean isThere(Posted posted);

    /** The last few that came in events while UiAutomation was held, newest first. */
    List<Posted> heard();

    /** The phone's clock, in ms. */
    long now();

    /**
     * Whether Android lets this program start the activity of an app's notification. Where it does
     * not, it reports the start as a success and shows nothing.
     */
    boolean starts();

    /** Open it as a tap does, without removing it. `failed` if its app has withdrawn it. */
    void open(Posted posted);

    /**
     * Press one of its buttons, with a text for each input that takes any; null for none. `failed`
     * if its app has withdrawn the button.
     */
    void press(Posted posted, int action, String text);

    /**
     * Tell Android that it was tapped and opened. Android then removes it if a tap does, without
     * telling its app that it was dismissed. Only where this program listens.
     */
    void clicked(Posted posted);

    /** Remove it without waiting. This and `snooze` only where this program listens. */
    void cancel(Posted posted);

    /** Hide it for that long, without waiting for that. */
    void snooze(Posted posted, long ms);

    /** Set the listener for changes of the count, which any thread calls. Once, and first. */
    void listen(Runnable changed);
}
