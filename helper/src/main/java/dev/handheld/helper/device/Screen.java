package dev.handheld.helper.device;

import java.util.List;
import java.util.Set;

/** The screen's content. */
public interface Screen {
    /** The screen's size as it is turned now; also without UiAutomation. */
    Display display();

    /** The distances that two fingers need to scale something. */
    Scaling scaling();

    /** The windows, top first, read past the cache, which is cleared for the next reads. */
    List<Window> windows();

    /** The other displays that had windows when the windows were last read. */
    List<Integer> otherDisplays();

    /**
     * Add all views of a window; none when it gives no root. Blocks as long as its app does not
     * answer, so each window is read on its own thread, which can be abandoned. Ends before the
     * next view once no more is wanted.
     */
    void read(int window, Tree tree);

    /** Whether only the active window can be read. */
    boolean isDegraded();

    /**
     * The last window-state change, or null. While UiAutomation is not held, the activity that
     * Android names as the one in front.
     */
    Foreground foreground();

    /**
     * The number of changes that accessibility events reported. It never falls while this program
     * runs.
     */
    long changes();

    /**
     * The views of which only the text changed that recently, such as clocks and timers. The names
     * are for {@link #changesWithout} alone.
     */
    Set<String> tickers(long withinMs);

    /** The same number without the changes of these texts. */
    long changesWithout(Set<String> tickers);

    /** The last few toasts and new notifications while UiAutomation was held, oldest first. */
    List<Notice> notices();

    /**
     * Set the listener for changes, which any thread calls. Once, and before anything else.
     */
    void listen(Runnable changed);

    /** Titles of secure windows that are on the screen now. */
    List<String> secureWindows();

    /**
     * The screen, compressed, scaled down until neither side exceeds `maxSize` (0: not scaled). No
     * frame: `capture_failed`.
     */
    Picture capture(int maxSize, boolean png, int quality);
}
