package dev.handheld.helper.compat;

import static org.junit.Assert.assertArrayEquals;

import dev.handheld.helper.Helper;
import org.junit.Test;

public final class AndroidDeviceTest {
    @Test
    public void theShellStartsItAsTheHostDoes() {
        String[] given = {"host=desk", "pid=7", "client="};

        assertArrayEquals(
                new String[] {
                    "/system/bin/app_process",
                    "/",
                    "--nice-name=handheld",
                    "dev.handheld.helper.Helper",
                    "host=desk",
                    "pid=7",
                    "client=",
                },
                AndroidDevice.command(Helper.class.getName(), given));
    }
}
