package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

@RunWith(RobolectricTestRunner.class)
public final class AndroidMediaTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void aFileThatIsTakenHasAnAddress() throws Exception {
        Bundle answer = new Bundle();
        answer.putParcelable(
                Intent.EXTRA_STREAM, Uri.parse("content://media/external_primary/file/7"));

        AndroidMedia.check(answer, folder.newFile().getPath());
    }

    @Test
    public void aFileThatIsNotTakenIsAFault() throws Exception {
        String path = folder.newFile().getPath();
        Bundle none = new Bundle();
        none.putParcelable(Intent.EXTRA_STREAM, null);
        for (Bundle answer : Arrays.asList(null, new Bundle(), none)) {
            try {
                AndroidMedia.check(answer, path);
                fail();
            } catch (IllegalStateException refused) {
                assertEquals("the media provider did not take it", refused.getMessage());
            }
        }
    }

    @Test
    public void whatIsGoneHasNoAddress() {
        AndroidMedia.check(new Bundle(), new File(folder.getRoot(), "gone").getPath());
    }

    @Test
    public void theBroadcastNamesTheFileAndTheUser() {
        String path = "/storage/emulated/10/Download/Größe 1 %.png";

        List<String> words = AndroidMedia.broadcast(path, 10);

        assertEquals("10", words.get(words.indexOf("--user") + 1));
        assertEquals(
                Intent.ACTION_MEDIA_SCANNER_SCAN_FILE, words.get(words.indexOf("-a") + 1));
        Uri data = Uri.parse(words.get(words.indexOf("-d") + 1));
        assertEquals(path, data.getPath());
        assertTrue(data.toString().startsWith("file:///storage/"));
        assertEquals(0x01000000, (int) Integer.decode(words.get(words.indexOf("-f") + 1)));
    }
}
