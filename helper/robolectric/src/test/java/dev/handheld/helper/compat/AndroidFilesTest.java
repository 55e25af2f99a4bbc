package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.handheld.helper.device.OsError;
import java.io.File;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

/** Only operations without system calls, which Robolectric merely simulates. */
@RunWith(RobolectricTestRunner.class)
public final class AndroidFilesTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();
    private final AndroidFiles files = new AndroidFiles();

    @Test
    public void aFileIsToldByItsDigest() throws Exception {
        File file = folder.newFile();
        Files.write(file.toPath(), new byte[] {'a', 'b', 'c'});

        assertEquals(
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                files.sha256(file.getPath()));
    }

    @Test
    public void aFileThatIsNotThereHasNoDigest() {
        try {
            files.sha256(new File(folder.getRoot(), "none").getPath());
            fail();
        } catch (OsError missing) {
            assertEquals(OsError.ENOENT, missing.errno);
        }
    }

    @Test
    public void itsTimeIsNow() throws Exception {
        File file = folder.newFile();
        assertTrue(file.setLastModified(1_000_000));

        files.touch(file.getPath());

        assertTrue(file.lastModified() > 1_000_000_000_000L);
    }
}
