package dev.handheld.helper.device;

import java.util.List;

/** A notification. Its texts are those of the app, uncut; null where it has none. */
public final class Posted {
    /** A button of a notification. */
    public static final class Action {
        public final String title;
        /** It has an input that takes any text. */
        public final boolean takesText;
        /** The app gave something to send. */
        public final boolean does;
        /** It starts an activity. */
        public final boolean opens;
        /** The app wants the phone to be unlocked for it. */
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

    /** What a tap on it does. */
    public enum Tap {
        NOTHING,
        ACTIVITY,
        OTHER
    }

    /** Android's name of it; of one that came in an event nobody knows it. */
    public final String key;

    public final String packageName;
    public final String label;
    /** In ms, by the phone's clock. */
    public final long posted;

    public final Tap tap;
    /** Only its app removes it. */
    public final boolean ongoing;
    /** A person can remove it. */
    public final boolean clearable;

    public final String category;
    /** Null for one that is in no group. */
    public final String group;

    public final List<Action> actions;
    /** For the code that created this. */
    public final Object own;

    public String title;
    public String text;
    public String bigText;
    public String subText;
    /** Why not all of it could be read; null where it was. */
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
