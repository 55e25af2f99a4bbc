package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Notification;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.device.Notice;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

/** Events for toasts and notifications, made as Android makes them. */
@RunWith(RobolectricTestRunner.class)
public final class NoticesTest {
    private final Notices notices = new Notices();

    private static AccessibilityEvent event(String name, String... texts) {
        AccessibilityEvent event =
                AccessibilityEvent.obtain(AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED);
        event.setPackageName("com.x");
        event.setClassName(name);
        for (String text : texts) {
            event.getText().add(text);
        }
        return event;
    }

    private static AccessibilityEvent posted(String title, String text, String ticker) {
        Notification.Builder builder =
                new Notification.Builder(RuntimeEnvironment.getApplication(), "channel");
        builder.setContentTitle(title).setContentText(text);
        AccessibilityEvent event =
                ticker == null
                        ? event(Notification.class.getName())
                        : event(Notification.class.getName(), ticker);
        event.setParcelableData(builder.build());
        return event;
    }

    private List<String> kept() {
        List<String> all = new ArrayList<String>();
        long last = -1;
        for (Notice one : notices.all()) {
            assertTrue(one.at > last);
            last = one.at;
            all.add((one.toast ? "toast " : "") + one.packageName + " " + one.title + " " + one.text);
        }
        return all;
    }

    @Test
    public void aToastHasItsText() {
        notices.keep(event("android.widget.Toast", "Saved"));
        notices.keep(event("android.widget.Toast$TN", "Not", "saved"));
        assertEquals("[toast com.x null Saved, toast com.x null Not saved]", kept().toString());
    }

    @Test
    public void aNotificationHasItsTitleAndText() {
        notices.keep(posted("Bank", "Code 1234", "Bank: Code"));
        assertEquals("[com.x Bank Code 1234]", kept().toString());
    }

    @Test
    public void aNotificationWithoutTextHasItsTicker() {
        notices.keep(posted("Bank", null, "Bank calls"));
        assertEquals("[com.x Bank Bank calls]", kept().toString());
    }

    @Test
    public void aNotificationThatTheLockScreenHidesHasNoWords() {
        notices.keep(event(Notification.class.getName()));
        assertEquals("[com.x null null]", kept().toString());
    }

    @Test
    public void anythingElseIsNoNotice() {
        assertNull(Notices.read(event("com.x.Banner", "Hello"), 1));
        notices.keep(event("com.x.Banner", "Hello"));
        assertTrue(kept().isEmpty());
    }

    @Test
    public void onlyTheLastEightAreKeptAndNoneTwice() {
        for (int number = 0; number < 12; number++) {
            notices.keep(event("android.widget.Toast", "t" + number));
        }
        notices.keep(event("android.widget.Toast", "t5"));
        assertEquals(8, kept().size());
        assertEquals("toast com.x null t5", kept().get(7));
        assertFalse(kept().subList(0, 7).contains("toast com.x null t5"));
    }

    private static AccessibilityEvent changed(int type, int types) {
        AccessibilityEvent event = AccessibilityEvent.obtain(type);
        event.setContentChangeTypes(types);
        return event;
    }

    @Test
    public void changesOfATextAloneCanBeLeftOut() {
        Tickers tickers = new Tickers();
        int content = AccessibilityEvent.TYPE_WINDOW_CONTENT_CHANGED;
        int text = AccessibilityEvent.CONTENT_CHANGE_TYPE_TEXT;
        assertTrue(Tickers.SOURCE.isThere());
        tickers.add(changed(content, text));
        tickers.add(changed(content, text | AccessibilityEvent.CONTENT_CHANGE_TYPE_SUBTREE));
        tickers.add(changed(content, AccessibilityEvent.CONTENT_CHANGE_TYPE_UNDEFINED));
        tickers.add(changed(AccessibilityEvent.TYPE_VIEW_CLICKED, 0));
        assertEquals(1, tickers.within(2000).size());
        assertEquals(4, tickers.changes());
        assertEquals(3, tickers.changesWithout(tickers.within(2000)));
    }
}
