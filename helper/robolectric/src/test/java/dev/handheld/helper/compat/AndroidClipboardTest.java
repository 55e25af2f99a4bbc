package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.net.Uri;
import android.os.PersistableBundle;
import dev.handheld.helper.device.Clipboard;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34, 35})
public final class AndroidClipboardTest {
    private static final List<String> NONE = Collections.emptyList();

    private ClipboardManager manager;
    private AndroidClipboard clipboard;

    @Before
    public void open() {
        Context context = RuntimeEnvironment.getApplication();
        manager = (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
        clipboard = new AndroidClipboard(context);
    }

    @Test
    public void aTextGoesInAndComesOut() {
        assertNull(clipboard.text());

        clipboard.set("ä😀", NONE);

        assertEquals("ä😀", clipboard.text());
    }

    private Set<String> extras() {
        PersistableBundle extras = manager.getPrimaryClip().getDescription().getExtras();
        Set<String> found = new TreeSet<String>();
        for (String name : extras.keySet()) {
            // As SystemUI reads the one and keyboards the other.
            if (extras.getBoolean(name, false)) {
                found.add(name);
            }
        }
        return found;
    }

    @Test
    public void aTextHasItsExtras() {
        clipboard.set("secret", Arrays.asList(Clipboard.SENSITIVE, Clipboard.NO_OVERLAY));

        assertEquals(
                new TreeSet<String>(
                        Arrays.asList(
                                "android.content.extra.IS_SENSITIVE",
                                "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY")),
                extras());
    }

    @Test
    public void whatComesBackKeepsItsExtrasAndIsNotShown() {
        ClipData secret = ClipData.newPlainText("label", "an owner's secret");
        PersistableBundle own = new PersistableBundle();
        own.putBoolean("android.content.extra.IS_SENSITIVE", true);
        secret.getDescription().setExtras(own);
        manager.setPrimaryClip(secret);
        Object kept = clipboard.keep();
        clipboard.set("p", NONE);

        clipboard.putBack(kept);

        assertEquals("an owner's secret", clipboard.text());
        assertEquals("label", manager.getPrimaryClip().getDescription().getLabel());
        assertEquals(
                new TreeSet<String>(
                        Arrays.asList(
                                "android.content.extra.IS_SENSITIVE",
                                "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY")),
                extras());
    }

    @Test
    public void onlyWhatIsOnItsWayIntoAFieldIsTakenAway() {
        assertFalse(clipboard.dropPassing());
        clipboard.set("an owner's", Arrays.asList(Clipboard.SENSITIVE, Clipboard.NO_OVERLAY));
        assertFalse(clipboard.dropPassing());
        assertEquals("an owner's", clipboard.text());

        clipboard.set("p", Arrays.asList(Clipboard.SENSITIVE, Clipboard.PASSING));

        assertTrue(clipboard.dropPassing());
        assertEquals("", String.valueOf(clipboard.text()).replace("null", ""));
    }

    @Test
    public void aLinkIsItsAddressAndMarkedUpTextItsWords() {
        manager.setPrimaryClip(ClipData.newRawUri("", Uri.parse("content://org.notes/1")));
        assertEquals("content://org.notes/1", clipboard.text());

        manager.setPrimaryClip(ClipData.newHtmlText("", "bold", "<b>bold</b>"));
        assertEquals("bold", clipboard.text());
    }

    @Test
    public void whatWasThereComesBack() {
        clipboard.set("before", NONE);
        Object kept = clipboard.keep();
        clipboard.set("p", NONE);

        clipboard.putBack(kept);

        assertEquals("before", clipboard.text());
    }

    @Test
    public void nothingComesBackAsNothing() {
        Object kept = clipboard.keep();
        clipboard.set("p", NONE);

        clipboard.putBack(kept);

        assertNull(clipboard.text());
    }
}
