package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class HolderTest {
    private static final int SELF = 42;

    @Rule public final TemporaryFolder processes = new TemporaryFolder();

    private void runs(String number, String line) throws IOException {
        File folder = processes.newFolder(number);
        byte[] words = line.getBytes(StandardCharsets.UTF_8);
        Files.write(new File(folder, "cmdline").toPath(), words);
    }

    @Test
    public void aTestProgramIsNamed() throws IOException {
        runs("7", "/system/bin/surfaceflinger\0");
        runs("901", "app_process\0/\0com.wetest.uia2.Main\0");

        assertEquals(
                "another program, probably com.wetest.uia2.Main (process 901)",
                Holder.guess(processes.getRoot(), SELF));
    }

    @Test
    public void nobodyIsNamedWhoIsNotKnown() throws IOException {
        runs("7", "/system/bin/surfaceflinger\0");
        runs("" + SELF, "app_process\0uiautomator\0");
        processes.newFolder("self");
        processes.newFolder("8"); // gone since it was listed

        assertEquals("another program", Holder.guess(processes.getRoot(), SELF));
    }

    @Test
    public void aPhoneThatHidesItsProcessesTellsNothing() {
        File hidden = new File(processes.getRoot(), "none");

        assertEquals("another program", Holder.guess(hidden, SELF));
    }
}
