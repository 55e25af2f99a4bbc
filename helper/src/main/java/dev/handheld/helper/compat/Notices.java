package dev.handheld.helper.compat;

import android.app.Notification;
import android.os.Build;
import android.os.Parcelable;
import android.os.SystemClock;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.device.Notice;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Keeps the last toasts and new notifications, which Android reports by events alone:
 * NotificationManagerService (frameworks/base/services/core/java/com/android/server/notification/)
 * for notifications, without updates and without what the lock screen hides; Toast and, since 30,
 * ToastPresenter (frameworks/base/core/java/android/widget/) for toasts.
 */
final class Notices {
    private static final int MOST = 8;
    private static final int LONGEST = 1000;
    /** Until 29 the class is `android.widget.Toast$TN`. */
    private static final String TOAST = "android.widget.Toast";

    private static final int MOST_HEARD = 50;
    /** Since then the shell may listen to notifications. */
    private static final int LISTENERS = 29;

    /** A notification with its actions. */
    static final class Heard {
        final Notification notification;
        final String packageName;
        final long at;

        Heard(Notification notification, String packageName, long at) {
            this.notification = notification;
            this.packageName = packageName;
            this.at = at;
        }
    }

    private final Deque<Notice> kept = new ArrayDeque<Notice>();
    private final Deque<Heard> heard = new ArrayDeque<Heard>();
    private long heardCount;
    private boolean whole = Build.VERSION.SDK_INT < LISTENERS;
    private volatile Runnable listener;

    synchronized List<Notice> all() {
        return new ArrayList<Notice>(kept);
    }

    /** Notifications with their actions, oldest first. */
    synchronized List<Heard> heard() {
        return new ArrayList<Heard>(heard);
    }

    /** How many of them there have been. */
    synchronized long heardCount() {
        return heardCount;
    }

    /** Keep the actions, too: nothing else reports them. */
    synchronized void keepWhole() {
        whole = true;
    }

    void listen(Runnable changed) {
        listener = changed;
    }

    void keep(AccessibilityEvent event) {
        keepWords(event);
        Runnable changed = listener;
        if (keepIntents(event) && changed != null) {
            changed.run();
        }
    }

    private synchronized boolean keepIntents(AccessibilityEvent event) {
        Parcelable data = event.getParcelableData();
        if (!whole || !(data instanceof Notification)) {
            return false;
        }
        String owner = words(event.getPackageName());
        heard.add(new Heard((Notification) data, owner, System.currentTimeMillis()));
        heardCount++;
        if (heard.size() > MOST_HEARD) {
            heard.remove();
        }
        return true;
    }

    private synchronized void keepWords(AccessibilityEvent event) {
        Notice read;
        long now = SystemClock.uptimeMillis();
        long at = kept.isEmpty() ? now : Math.max(now, kept.peekLast().at + 1);
        try {
            read = read(event, at);
        } catch (RuntimeException broken) {
            // An app's own classes in a notification cannot be unpacked here.
            AndroidPhone.note("A notification cannot be read: " + broken);
            return;
        }
        if (read == null) {
            return;
        }
        // A repetition: an app that repeats itself must not displace others.
        for (Iterator<Notice> each = kept.iterator(); each.hasNext(); ) {
            if (isSame(each.next(), read)) {
                each.remove();
            }
        }
        kept.add(read);
        if (kept.size() > MOST) {
            kept.remove();
        }
    }

    private static boolean isSame(Notice one, Notice other) {
        return one.toast == other.toast
                && equal(one.packageName, other.packageName)
                && equal(one.title, other.title)
                && equal(one.text, other.text);
    }

    private static boolean equal(String one, String other) {
        return one == null ? other == null : one.equals(other);
    }

    /** Null for any other class of event source. */
    static Notice read(AccessibilityEvent event, long at) {
        String name = String.valueOf(event.getClassName());
        String owner = words(event.getPackageName());
        if (name.startsWith(TOAST)) {
            return new Notice(at, true, owner, null, spoken(event));
        }
        Parcelable data = event.getParcelableData();
        if (data instanceof Notification) {
            Notification posted = (Notification) data;
            if (posted.extras != null) {
                String title = words(posted.extras.getCharSequence(Notification.EXTRA_TITLE));
                String text = words(posted.extras.getCharSequence(Notification.EXTRA_TEXT));
                return new Notice(at, false, owner, title, text == null ? spoken(event) : text);
            }
        }
        return name.equals(Notification.class.getName())
                ? new Notice(at, false, owner, null, spoken(event))
                : null;
    }

    private static String spoken(AccessibilityEvent event) {
        StringBuilder all = new StringBuilder();
        for (CharSequence part : event.getText()) {
            if (part != null && all.length() < LONGEST) {
                all.append(all.length() == 0 ? "" : " ").append(words(part));
            }
        }
        return all.length() == 0 ? null : Text.cut(all.toString(), LONGEST);
    }

    private static String words(CharSequence text) {
        return text == null ? null : Text.cut(text.toString(), LONGEST);
    }
}
