package dev.handheld.helper.device;

import java.util.List;
import java.util.Set;

/** What is to be seen. */
public interface Screen {
    /** As it is turned now; also without UiAutomation. */
    Display display();

    /** What two fingers need here to scale something. */
    Scaling scaling();

    /** The windows, top first, past the cache, which is cleared for what is read next. */
    List<Window> windows();

    /** The displays beside the phone's own that had windows when these were read last. */
    List<Integer> otherDisplays();

    /**
     * Add all that is in a window; nothing when it gives no root. Blocks as long as its app does
     * not answer, so it is called on a thread that can be left behind, one window per thread. Ends
     * before the next view once no more is wanted.
     */
    void read(int window, Tree tree);

    /** Whether only the active window can be read. */
    boolean isDegraded();

    /**
     * The last window-state change, or null. Where UiAutomation is not held Android's own word for
     * the activity in front.
     */
    Foreground foreground();

    /**
     * The number of changes reported by accessibility events: it never falls while this program
     * runs.
     */
    long changes();

    /**
     * The views of which the text, and nothing else, changed that recently: clocks, timers,
     * tickers. A name means nothing outside of {@link #changesWithout}.
     */
    Set<String> tickers(long withinMs);

    /** The same number without the changes of these texts. */
    long changesWithout(Set<String> tickers);

    /** The last toasts and new notifications while UiAutomation was held, oldest first: a few. */
    List<Notice> notices();

    /**
     * Set the listener for changes, which is called on any thread. Set once, before anything else.
     */
    void listen(Runnable changed);

    /** Titles of secure windows that are on the screen now. */
    List<String> secureWindows();

    /**
     * The screen, scaled down so that neither side exceeds `maxSize` (0: as it is), compressed. No
     * frame: `capture_failed`.
     */
    Picture capture(int maxSize, boolean png, int quality);
}
