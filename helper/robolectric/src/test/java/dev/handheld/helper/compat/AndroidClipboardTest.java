package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.net.Uri;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@RunWith(RobolectricTestRunner.class)
public final class AndroidClipboardTest {
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

        clipboard.set("ä😀", false);

        assertEquals("ä😀", clipboard.text());
        assertNull(manager.getPrimaryClip().getDescription().getExtras());
    }

    @Test
    public void aSensitiveTextIsFlagged() {
        clipboard.set("secret", true);

        assertTrue(
                manager.getPrimaryClip()
                        .getDescription()
                        .getExtras()
                        .getBoolean("android.content.extra.IS_SENSITIVE"));
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
        clipboard.set("before", false);
        Object kept = clipboard.keep();
        clipboard.set("p", true);

        clipboard.putBack(kept);

        assertEquals("before", clipboard.text());
    }

    @Test
    public void nothingComesBackAsNothing() {
        Object kept = clipboard.keep();
        clipboard.set("p", true);

        clipboard.putBack(kept);

        assertNull(clipboard.text());
    }
}
