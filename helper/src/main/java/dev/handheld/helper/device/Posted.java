package dev.handheld.helper.device;

import java.util.List;

/** A notification. Its texts are the app's, uncut; null where it has none. */
public final class Posted {
    /** A button of a notification. */
    public static final class Action {
        public final String title;
        /** Whether it has an input that takes any text. */
        public final boolean takesText;
        /** Whether the app gave it an intent. */
        public final boolean does;
        /** Whether it starts an activity. */
        public final boolean opens;
        /** Whether the app wants the phone unlocked for it. */
        public final boolean guarded;

        public Action(
                String title, boolean takesText, boolean does, boolean opens, boolean guarded) {
            this.title = title;
            this.takesText = takesText;
            this.does = does;
            this.opens = opens;
            this.guarded = guarded;
        }
    }

    /** What a tap does. */
    public enum Tap {
        NOTHING,
        ACTIVITY,
        OTHER
    }

    /** Android's name of it; unknown if it came in an event. */
    public final String key;

    public final String packageName;
    public final String label;
    /** In ms, by the phone's clock. */
    public final long posted;

    public final Tap tap;
    /** Whether only its app removes it. */
    public final boolean ongoing;
    /** Whether a person can remove it. */
    public final boolean clearable;

    public final String category;
    /** Null without a group. */
    public final String group;

    public final List<Action> actions;
    /** For the code that created this object. */
    public final Object own;

    public String title;
    public String text;
    public String bigText;
    public String subText;
    /** Why a part could not be read; null if all was. */
    public String problem;

    public Posted(
            String key,
            String packageName,
            String label,
            long posted,
            Tap tap,
            boolean ongoing,
            boolean clearable,
            String category,
            String group,
            List<Action> actions,
            Object own) {
        this.key = key;
        this.packageName = packageName;
        this.label = label;
        this.posted = posted;
        this.tap = tap;
        this.ongoing = ongoing;
        this.clearable = clearable;
        this.category = category;
        this.group = group;
        this.actions = actions;
        this.own = own;
    }
}
