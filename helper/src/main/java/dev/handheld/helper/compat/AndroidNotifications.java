package dev.handheld.helper.compat;

import android.app.ActivityOptions;
import android.app.Notification;
import android.app.PendingIntent;
import android.app.RemoteInput;
import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import android.os.Bundle;
import android.os.HandlerThread;
import android.os.Looper;
import android.service.notification.NotificationListenerService;
import android.service.notification.StatusBarNotification;
import dev.handheld.helper.device.Notifications;
import dev.handheld.helper.device.Posted;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Notifications, received as a system listener: NotificationManagerService
 * (frameworks/base/services/core/java/com/android/server/notification/) accepts any process that
 * holds STATUS_BAR_SERVICE, which the shell does since Android 10. The listener ends with this
 * process. Where Android refuses it, notifications from accessibility events can be acted on.
 */
final class AndroidNotifications implements Notifications {
    private static final String LISTENER =
            "android.service.notification.NotificationListenerService";
    private static final ComponentName NAME =
            new ComponentName(ShellContext.PACKAGE, "dev.handheld.helper.Listener");
    private static final int EVERY_USER = -1;
    private static final String APP = "android.appInfo";

    static final Hidden REGISTER =
            Hidden.optionalMethod(
                    Hidden.form(
                            LISTENER,
                            "registerAsSystemService",
                            "the same in all versions; for the shell since 29",
                            "android.content.Context",
                            "android.content.ComponentName",
                            "int"));
    static final Hidden IS_ACTIVITY =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.app.PendingIntent",
                            "isActivity",
                            "the same in all versions; hidden until 30"));

    /** The current user's profiles, and the user itself. */
    static final Hidden PROFILES =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.os.UserManager",
                            "getEnabledProfileIds",
                            "the same in all versions",
                            "int"));

    private static final String OPTIONS = "android.app.ActivityOptions";
    private static final String ANY_OPTIONS = "android.app.ComponentOptions";
    private static final String STATUS_BAR = "com.android.internal.statusbar.";
    private static final int BLOCKED_SINCE = 29;

    /** How a sender lends the app its own permission to start activities from the background. */
    static final Hidden ALLOW_ALWAYS =
            Hidden.optionalField(
                    Hidden.form(
                            OPTIONS, "MODE_BACKGROUND_ACTIVITY_START_ALLOW_ALWAYS", "since 36"));
    static final Hidden ALLOW_BY_PERMISSION =
            Hidden.optionalMethod(
                    Hidden.form(
                            ANY_OPTIONS,
                            "setPendingIntentBackgroundActivityLaunchAllowedByPermission",
                            "33 to 35",
                            "boolean"));
    static final Hidden ALLOW =
            Hidden.optionalMethod(
                    Hidden.form(
                            ANY_OPTIONS,
                            "setPendingIntentBackgroundActivityLaunchAllowed",
                            "since 33",
                            "boolean"));

    static final Hidden VISIBILITY =
            Hidden.optionalMethod(
                    Hidden.form(
                            STATUS_BAR + "NotificationVisibility",
                            "obtain",
                            "since 28",
                            "java.lang.String",
                            "int",
                            "int",
                            "boolean"));
    static final Hidden CLICK =
            Hidden.optionalMethod(
                    Hidden.form(
                            STATUS_BAR + "IStatusBarService",
                            "onNotificationClick",
                            "since 28; for the shell since 29",
                            "java.lang.String",
                            STATUS_BAR + "NotificationVisibility"));

    private final Context context;
    private final AndroidPhone phone;
    private final Notices notices;
    private final PackageManager packages;
    private volatile Runnable changed;
    private Listener listener;
    private boolean refused;
    private long count;

    AndroidNotifications(Context context, AndroidPhone phone, Notices notices) {
        this.context = context;
        this.phone = phone;
        this.notices = notices;
        packages = context.getPackageManager();
    }

    @Override
    public void listen(Runnable heard) {
        changed = heard;
        notices.listen(heard);
    }

    @Override
    public synchronized boolean listens() {
        if (listener == null && !refused) {
            Listener made = new Listener();
            HandlerThread thread = new HandlerThread("handheld-notifications");
            thread.start();
            try {
                // A listener of a single user would hear nothing more after a switch to another
                // user.
                REGISTER.call(made, new Listening(context, thread.getLooper()), NAME, EVERY_USER);
                listener = made;
            } catch (RuntimeException closed) {
                // Android 9 and earlier refuse it, and so do some vendors.
                AndroidPhone.note("Notifications cannot be listened to: " + closed);
                thread.quit();
                refused = true;
                notices.keepWhole();
            }
        }
        return listener != null;
    }

    /** Delivers the listener's callbacks on a separate thread: the main thread is ours. */
    private static final class Listening extends ContextWrapper {
        private final Looper looper;

        Listening(Context context, Looper looper) {
            super(context);
            this.looper = looper;
        }

        @Override
        public Looper getMainLooper() {
            return looper;
        }
    }

    /** Counts Android's reports. */
    private final class Listener extends NotificationListenerService {
        @Override
        public void onNotificationPosted(StatusBarNotification posted) {
            told(posted);
        }

        @Override
        public void onNotificationRemoved(StatusBarNotification removed) {
            told(removed);
        }
    }

    private void told(StatusBarNotification of) {
        if (!isOf(users(), of)) {
            return;
        }
        synchronized (this) {
            count++;
        }
        Runnable heard = changed;
        if (heard != null) {
            heard.run();
        }
    }

    @Override
    public long count() {
        synchronized (this) {
            if (listener != null) {
                return count;
            }
        }
        return notices.heardCount();
    }

    @Override
    public long now() {
        return System.currentTimeMillis();
    }

    // Reading

    @Override
    public List<Posted> active() {
        Listener asked = listener();
        List<Posted> found;
        try {
            found = readAll(asked.getActiveNotifications());
        } catch (RuntimeException broken) {
            // A malformed notification of one app must not hide the others.
            AndroidPhone.note("Notifications are asked for one by one: " + broken);
            found = new ArrayList<Posted>();
            for (String key : asked.getCurrentRanking().getOrderedKeys()) {
                try {
                    found.addAll(readAll(asked.getActiveNotifications(new String[] {key})));
                } catch (RuntimeException odd) {
                    found.add(unread(key, owner(key), 0, null, odd));
                }
            }
        }
        Collections.sort(
                found,
                new Comparator<Posted>() {
                    @Override
                    public int compare(Posted one, Posted other) {
                        return Long.compare(other.posted, one.posted);
                    }
                });
        return found;
    }

    @SuppressWarnings("deprecation") // A listener of the system sees all users.
    private static boolean isOf(int[] users, StatusBarNotification one) {
        for (int user : users) {
            if (one.getUserId() == user) {
                return true;
            }
        }
        return one.getUserId() == EVERY_USER;
    }

    /** The current user and its profiles. Android shows their notifications to that user. */
    private int[] users() {
        int user = phone.user();
        int[] found = null;
        try {
            found = (int[]) PROFILES.call(context.getSystemService(Context.USER_SERVICE), user);
        } catch (RuntimeException refused) {
            AndroidPhone.note("The profiles of the user are not told: " + refused);
        }
        return found == null ? new int[] {user} : found;
    }

    List<Posted> readAll(StatusBarNotification[] all) {
        List<Posted> found = new ArrayList<Posted>();
        int[] users = users();
        for (StatusBarNotification one : all) {
            if (!isOf(users, one)) {
                continue;
            }
            try {
                found.add(read(one));
            } catch (RuntimeException odd) {
                found.add(
                        unread(
                                one.getKey(),
                                one.getPackageName(),
                                one.getPostTime(),
                                one.getNotification(),
                                odd));
            }
        }
        return found;
    }

    /** The part of Android's notification key after the user. */
    private static String owner(String key) {
        String[] parts = key.split("\\|", 3);
        return parts.length > 1 ? parts[1] : key;
    }

    /** A notification of which only the app is known. */
    private static Posted unread(
            String key, String owner, long at, Notification from, RuntimeException why) {
        Posted posted =
                new Posted(
                        key,
                        owner,
                        owner,
                        at,
                        Posted.Tap.NOTHING,
                        false,
                        true,
                        null,
                        null,
                        Collections.<Posted.Action>emptyList(),
                        from);
        posted.problem = String.valueOf(why);
        return posted;
    }

    @Override
    public boolean isThere(Posted posted) {
        for (StatusBarNotification one :
                listener().getActiveNotifications(new String[] {posted.key})) {
            if (one.getPostTime() == posted.posted) {
                return true;
            }
        }
        return false;
    }

    Posted read(StatusBarNotification posted) {
        String group = posted.isGroup() ? posted.getGroupKey() : null;
        Notification notification = posted.getNotification();
        return read(
                notification,
                posted.getKey(),
                posted.getPackageName(),
                posted.getPostTime(),
                posted.isClearable(),
                group);
    }

    @Override
    public List<Posted> heard() {
        List<Posted> found = new ArrayList<Posted>();
        for (Notices.Heard one : notices.heard()) {
            int fixed = Notification.FLAG_ONGOING_EVENT | Notification.FLAG_NO_CLEAR;
            boolean clearable = (one.notification.flags & fixed) == 0;
            found.add(0, read(one.notification, "", one.packageName, one.at, clearable, null));
        }
        return found;
    }

    private Posted read(
            Notification from,
            String key,
            String owner,
            long at,
            boolean clearable,
            String group) {
        Posted posted =
                new Posted(
                        key,
                        owner,
                        label(from, owner),
                        at,
                        tap(from.contentIntent),
                        (from.flags & Notification.FLAG_ONGOING_EVENT) != 0,
                        clearable,
                        from.category,
                        group,
                        actions(from),
                        from);
        try {
            posted.title = words(from.extras.getCharSequence(Notification.EXTRA_TITLE));
            posted.text = words(from.extras.getCharSequence(Notification.EXTRA_TEXT));
            posted.bigText = words(from.extras.getCharSequence(Notification.EXTRA_BIG_TEXT));
            posted.subText = words(from.extras.getCharSequence(Notification.EXTRA_SUB_TEXT));
            if (posted.bigText == null) {
                posted.bigText =
                        lines(from.extras.getCharSequenceArray(Notification.EXTRA_TEXT_LINES));
            }
        } catch (RuntimeException broken) {
            // An app's own classes in a notification cannot be unpacked here.
            posted.problem = String.valueOf(broken);
        }
        return posted;
    }

    private static Posted.Tap tap(PendingIntent intent) {
        if (intent == null) {
            return Posted.Tap.NOTHING;
        }
        return isActivity(intent) ? Posted.Tap.ACTIVITY : Posted.Tap.OTHER;
    }

    private static boolean isActivity(PendingIntent intent) {
        return IS_ACTIVITY.isThere() && (Boolean) IS_ACTIVITY.call(intent);
    }

    private static List<Posted.Action> actions(Notification from) {
        List<Posted.Action> found = new ArrayList<Posted.Action>();
        if (from.actions == null) {
            return found;
        }
        for (Notification.Action one : from.actions) {
            PendingIntent intent = one.actionIntent;
            boolean guarded = Build.VERSION.SDK_INT >= 31 && one.isAuthenticationRequired();
            found.add(
                    new Posted.Action(
                            words(one.title),
                            takesText(one),
                            intent != null,
                            intent != null && isActivity(intent),
                            guarded));
        }
        return found;
    }

    private static boolean takesText(Notification.Action action) {
        if (action.getRemoteInputs() != null) {
            for (RemoteInput input : action.getRemoteInputs()) {
                if (input.getAllowFreeFormInput()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Read from the notification itself, without asking Android. */
    private String label(Notification from, String owner) {
        try {
            Object app = from.extras.get(APP);
            ApplicationInfo info =
                    app instanceof ApplicationInfo
                            ? (ApplicationInfo) app
                            : packages.getApplicationInfo(owner, 0);
            return AndroidApps.label(info, packages);
        } catch (PackageManager.NameNotFoundException | RuntimeException unknown) {
            return owner;
        }
    }

    private static String words(CharSequence text) {
        return text == null ? null : text.toString();
    }

    private static String lines(CharSequence[] lines) {
        if (lines == null) {
            return null;
        }
        StringBuilder all = new StringBuilder();
        for (CharSequence line : lines) {
            all.append(all.length() == 0 ? "" : "\n").append(line);
        }
        return all.toString();
    }

    // Acting

    @Override
    public void open(Posted posted) {
        send(((Notification) posted.own).contentIntent, null);
    }

    @Override
    public void press(Posted posted, int action, String text) {
        Notification.Action pressed = ((Notification) posted.own).actions[action];
        send(pressed.actionIntent, text == null ? null : reply(pressed, text));
    }

    private static Intent reply(Notification.Action action, String text) {
        Bundle results = new Bundle();
        for (RemoteInput input : action.getRemoteInputs()) {
            if (input.getAllowFreeFormInput()) {
                results.putCharSequence(input.getResultKey(), text);
            }
        }
        Intent intent = new Intent().addFlags(Intent.FLAG_RECEIVER_FOREGROUND);
        RemoteInput.addResultsToIntent(action.getRemoteInputs(), intent, results);
        if (Build.VERSION.SDK_INT >= 28) {
            RemoteInput.setResultsSource(intent, RemoteInput.SOURCE_FREE_FORM_INPUT);
        }
        return intent;
    }

    private void send(PendingIntent intent, Intent more) {
        try {
            intent.send(context, 0, more, null, null, null, options());
        } catch (PendingIntent.CanceledException withdrawn) {
            throw new Failure(Code.FAILED, "The app has withdrawn what this would do.");
        }
    }

    /** From 29 to 32 there are no options for a sender. */
    @Override
    public boolean starts() {
        return Build.VERSION.SDK_INT < BLOCKED_SINCE || options() != null;
    }

    /**
     * The shell may start activities from the background. If it only sends an app's intent, Android
     * requires it to lend this right to the app explicitly.
     */
    static Bundle options() {
        ActivityOptions options = ActivityOptions.makeBasic();
        if (ALLOW_ALWAYS.isThere()) {
            options.setPendingIntentBackgroundActivityStartMode((Integer) ALLOW_ALWAYS.get(null));
        } else if (ALLOW_BY_PERMISSION.isThere()) {
            try {
                ALLOW.call(options, true);
                ALLOW_BY_PERMISSION.call(options, true);
            } catch (IllegalArgumentException another) {
                return null; // a class of that name that the options do not extend
            }
        } else {
            return null;
        }
        return options.toBundle();
    }

    @Override
    public void clicked(Posted posted) {
        try {
            CLICK.call(
                    Services.statusBar(),
                    posted.key,
                    VISIBILITY.call(null, posted.key, 0, 1, true));
        } catch (RuntimeException refused) {
            // It stays. Cancelling it would be worse, because its app would be told.
            AndroidPhone.note("An opened notification stays: " + refused);
        }
    }

    @Override
    public void cancel(Posted posted) {
        listener().cancelNotification(posted.key);
    }

    @Override
    public void snooze(Posted posted, long ms) {
        listener().snoozeNotification(posted.key, ms);
    }

    private synchronized Listener listener() {
        return listener;
    }
}
