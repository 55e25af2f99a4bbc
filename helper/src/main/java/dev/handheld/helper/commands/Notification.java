package dev.handheld.helper.commands;

import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Posted;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import dev.handheld.helper.protocol.Text;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Compares a notification with what the host has seen, and acts on it. */
final class Notification extends Command {
    private static final List<String> DEEDS =
            Arrays.asList("open", "dismiss", "snooze", "press", "reply");
    /** How long a notification may take to disappear, and an app to come to the front. */
    private static final double GOES_MS = 2000;
    private static final double LOOK_MS = 50;

    Notification() {
        super("notification", Lane.TOUCH, false, true);
    }

    // Arguments

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "key", "expect", "do", "action", "text", "for_ms");
        Arguments.text(with.get("key"), "key");
        if (!(with.get("expect") instanceof Map)) {
            throw Arguments.bad("`expect` is not an object.");
        }
        checkExpected(Arguments.map(with.get("expect")));
        String deed = Arguments.word(with.get("do"), "do", DEEDS);
        checkAction(with.get("action"), deed);
        Object text = with.get("text");
        if (deed.equals("reply")) {
            if (Arguments.text(text, "text").length() > Limits.REPLY) {
                throw Arguments.bad("`text` has more than " + Limits.REPLY + " UTF-16 units.");
            }
        } else if (text != null) {
            throw Arguments.bad("`text` is not null.");
        }
        Object forMs = with.get("for_ms");
        if (deed.equals("snooze")) {
            if (Arguments.whole(forMs, "for_ms", Limits.SNOOZE_MS) < 1) {
                throw Arguments.bad("`for_ms` is not 1 to " + Limits.SNOOZE_MS + ".");
            }
        } else if (forMs != null) {
            throw Arguments.bad("`for_ms` is not null.");
        }
    }

    private static void checkExpected(Map<String, Object> expect) {
        Arguments.keys(expect, "package", "posted", "title", "text", "ongoing");
        Arguments.text(expect.get("package"), "package");
        Arguments.whole(expect.get("posted"), "posted", 1L << 53);
        for (String name : new String[] {"title", "text"}) {
            Object text = expect.get(name);
            if (text != null && !(text instanceof String)) {
                throw Arguments.bad("`" + name + "` is not null or a string.");
            }
        }
        if (!(expect.get("ongoing") instanceof Boolean)) {
            throw Arguments.bad("`ongoing` is not a boolean.");
        }
    }

    private static void checkAction(Object action, String deed) {
        if (action == null) {
            if (deed.equals("press")) {
                throw Arguments.bad("`action` is missing.");
            }
            return;
        }
        if (!deed.equals("press") && !deed.equals("reply")) {
            throw Arguments.bad("`action` is not null.");
        }
        if (!(action instanceof Map)) {
            throw Arguments.bad("`action` is not null or index and title.");
        }
        Map<String, Object> named = Arguments.map(action);
        Arguments.keys(named, "index", "title");
        Arguments.whole(named.get("index"), "index", Notifications.MOST_ACTIONS);
        if (!(named.get("title") instanceof String)) {
            throw Arguments.bad("`title` is not a string.");
        }
    }

    // Acting

    @Override
    public Answer run(Job job) {
        String deed = (String) job.with.get("do");
        boolean listens = job.device.notifications().listens();
        if (!listens && (deed.equals("dismiss") || deed.equals("snooze"))) {
            throw new Failure(
                    Code.UNSUPPORTED,
                    "This Android does not let the shell dismiss or snooze notifications."
                            + " open_notifications shows them.");
        }
        Posted posted = listens ? find(job) : findHeard(job);
        String front = null;
        switch (deed) {
            case "open":
                front = open(job, posted, listens);
                break;
            case "dismiss":
                if (posted.ongoing) {
                    throw new Failure(Code.ONGOING, "The notification is ongoing.");
                }
                job.happened(Happened.MAYBE);
                job.device.notifications().cancel(posted);
                awaitGone(job, posted);
                break;
            case "snooze":
                job.happened(Happened.MAYBE);
                job.device.notifications().snooze(posted, (Long) job.with.get("for_ms"));
                awaitGone(job, posted);
                break;
            default:
                press(job, posted);
                break;
        }
        return Answer.of("front", front);
    }

    private static Posted find(Job job) {
        for (Posted one : Notifications.listed(job)) {
            if (Text.mend(one.key).equals(job.with.get("key"))) {
                if (isSame(one, Arguments.map(job.with.get("expect")))) {
                    return one;
                }
                throw new Failure(Code.GONE, "The notification was replaced.");
            }
        }
        throw new Failure(Code.GONE, "The notification is gone.");
    }

    /**
     * Whether it is the same post, or another with the same words. The text of an ongoing one
     * counts time or progress.
     */
    private static boolean isSame(Posted found, Map<String, Object> expect) {
        if (Long.valueOf(found.posted).equals(expect.get("posted"))) {
            return true;
        }
        if (!Objects.equals(title(found), expect.get("title"))) {
            return false;
        }
        boolean moves = found.ongoing && Boolean.TRUE.equals(expect.get("ongoing"));
        return moves || Objects.equals(text(found), expect.get("text"));
    }

    /** Find it by its words: an event has no key. */
    private static Posted findHeard(Job job) {
        Notifications.hear(job, true);
        Map<String, Object> expect = Arguments.map(job.with.get("expect"));
        for (Posted one : job.device.notifications().heard()) {
            if (Objects.equals(one.packageName, expect.get("package"))
                    && Objects.equals(title(one), expect.get("title"))
                    && Objects.equals(text(one), expect.get("text"))) {
                return one;
            }
        }
        throw new Failure(Code.UNSEEN, "It was posted before this program listened.");
    }

    private static String title(Posted posted) {
        return Text.mend(Notifications.words(posted.title, Notifications.LONGEST_TITLE));
    }

    private static String text(Posted posted) {
        return Text.mend(Notifications.words(posted.text, Notifications.LONGEST_TEXT));
    }

    private static String open(Job job, Posted posted, boolean listens) {
        if (posted.tap == Posted.Tap.NOTHING) {
            throw new Failure(Code.NOT_ACTIONABLE, "The notification has no content intent.");
        }
        needUnlocked(job);
        boolean comes = posted.tap == Posted.Tap.ACTIVITY;
        Foreground before = comes ? startable(job) : null;
        job.device.notifications().open(posted);
        job.happened(Happened.MAYBE);
        job.device.apps().closePanels(); // it would cover the app
        Foreground front =
                comes ? awaitStarted(job, posted, before) : job.device.screen().foreground();
        if (listens) {
            // The system's panel does this after a tap.
            job.device.notifications().clicked(posted);
        }
        return front == null ? null : front.packageName;
    }

    /** Return what is in front before an activity is started. */
    private static Foreground startable(Job job) {
        if (!job.device.notifications().starts()) {
            throw new Failure(
                    Code.BLOCKED,
                    "This Android does not let the shell start what a notification opens.");
        }
        return job.device.screen().foreground();
    }

    /**
     * Android reports a start that it blocks as a success: only the screen shows the difference.
     */
    private static Foreground awaitStarted(Job job, Posted posted, Foreground before) {
        double until = Math.min(job.actUntil(), job.device.clock().now() + GOES_MS);
        Foreground front = Front.await(job, posted.packageName, until);
        if (Front.isOf(posted.packageName, front) || !Front.isSame(before, front)) {
            return front;
        }
        throw new Failure(
                Code.BLOCKED,
                "Nothing came to the front: Android blocked it as a start from the background, or"
                        + " the app shows nothing. The notification is still there.");
    }

    private static void awaitGone(Job job, Posted posted) {
        double until = job.device.clock().now() + GOES_MS;
        while (job.device.notifications().isThere(posted)) {
            if (job.device.clock().now() >= until) {
                job.happened(Happened.NO);
                throw new Failure(Code.FAILED, "Android kept the notification.");
            }
            job.sleep(LOOK_MS);
        }
    }

    private static void press(Job job, Posted posted) {
        String text = (String) job.with.get("text");
        List<Posted.Action> actions = Notifications.actions(posted);
        int place = place(job.with.get("action"), actions);
        if (text != null && (place < 0 || !actions.get(place).takesText)) {
            throw new Failure(Code.NOT_EDITABLE, "The action takes no text.");
        }
        Posted.Action action = actions.get(place);
        if (!action.does) {
            throw new Failure(Code.NOT_ACTIONABLE, "The action has no pending intent.");
        }
        if (action.opens || action.guarded) {
            needUnlocked(job);
        }
        Foreground before = action.opens ? startable(job) : null;
        job.device.notifications().press(posted, place, text);
        job.happened(Happened.MAYBE);
        if (action.opens) {
            job.device.apps().closePanels(); // it would cover the app
            awaitStarted(job, posted, before);
        }
    }

    /** The index of the requested action; -1 if no action accepts a text. */
    private static int place(Object wanted, List<Posted.Action> actions) {
        if (wanted == null) {
            for (int one = 0; one < actions.size(); one++) {
                if (actions.get(one).takesText) {
                    return one;
                }
            }
            return -1;
        }
        int index = (int) (long) (Long) Arguments.map(wanted).get("index");
        Object title = Arguments.map(wanted).get("title");
        if (index >= actions.size()
                || !Text.mend(Notifications.title(actions.get(index))).equals(title)) {
            throw new Failure(Code.CHANGED, "The action is another.");
        }
        return index;
    }

    private static void needUnlocked(Job job) {
        if (job.device.phone().isLocked()) {
            throw new Failure(Code.LOCKED, "The phone is locked.");
        }
    }
}
