package dev.handheld.helper.compat;

import android.content.Intent;
import android.net.Uri;
import android.os.Build;
import android.os.Bundle;
import dev.handheld.helper.device.Media;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/**
 * The media provider's index. Since API 30 it accepts a path in a call and answers when it has
 * scanned it
 * (packages/providers/MediaProvider/apex/framework/java/android/provider/MediaStore.java); before,
 * only the broadcast to MediaScannerReceiver is available from outside, which is not answered.
 */
final class AndroidMedia implements Media {
    private static final String AUTHORITY = "media";
    /** MediaStore.SCAN_FILE_CALL. */
    private static final String SCAN = "scan_file";
    private static final int CALL_SINCE = 30;
    /** Intent.FLAG_RECEIVER_INCLUDE_BACKGROUND: the provider may not be running. */
    private static final String IN_BACKGROUND = "0x01000000";

    private final Providers providers;
    private final AndroidPhone phone;

    AndroidMedia(Providers providers, AndroidPhone phone) {
        this.providers = providers;
        this.phone = phone;
    }

    @Override
    public void scan(String path) {
        if (Build.VERSION.SDK_INT < CALL_SINCE) {
            run(broadcast(path, phone.user()));
            return;
        }
        check(providers.call(AUTHORITY, phone.user(), SCAN, path, new Bundle()), path);
    }

    /** It answers with the file's URI in the index, and with none for a file that it rejects. */
    static void check(Bundle answer, String path) {
        boolean taken = answer != null && answer.get(Intent.EXTRA_STREAM) != null;
        if (!taken && new File(path).exists()) {
            throw new IllegalStateException("the media provider did not take it");
        }
    }

    static List<String> broadcast(String path, int user) {
        return Arrays.asList(
                "/system/bin/cmd",
                "activity",
                "broadcast",
                "--user",
                Integer.toString(user),
                "-a",
                "android.intent.action.MEDIA_SCANNER_SCAN_FILE",
                "-f",
                IN_BACKGROUND,
                "-d",
                Uri.fromFile(new File(path)).toString());
    }

    private static void run(List<String> command) {
        try {
            Process program =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (InputStream output = program.getInputStream()) {
                program.getOutputStream().close();
                while (output.read() >= 0) {
                    // Its output must not fill a pipe that nobody reads.
                }
            }
            int code = program.waitFor();
            if (code != 0) {
                throw new IllegalStateException("the broadcast ended with exit code " + code);
            }
        } catch (IOException refused) {
            throw new IllegalStateException(refused.getMessage());
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }
}
