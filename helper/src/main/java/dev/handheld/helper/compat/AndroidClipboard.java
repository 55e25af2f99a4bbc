package dev.handheld.helper.compat;

import android.content.ClipData;
import android.content.ClipDescription;
import android.content.ClipboardManager;
import android.content.Context;
import android.os.Build;
import android.os.PersistableBundle;
import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.Collections;
import java.util.List;

/**
 * The clipboard. The shell may also read and write it in the background
 * (frameworks/base/services/core/java/com/android/server/clipboard/ClipboardService.java). Since
 * API 31, Android shows the user that it was read; this is left unchanged.
 */
final class AndroidClipboard implements Clipboard {
    private final Context context;
    private final ClipboardManager manager;

    AndroidClipboard(Context context) {
        this.context = context;
        manager = (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
    }

    @Override
    public String text() {
        ClipData clip = clip();
        if (clip == null || clip.getItemCount() == 0) {
            return null;
        }
        ClipData.Item item = clip.getItemAt(0);
        if (item.getText() == null && item.getHtmlText() == null && item.getUri() != null) {
            // Its content would have to be requested from an app, which only apps can do.
            return item.getUri().toString();
        }
        CharSequence value = item.coerceToText(context);
        return value == null ? null : value.toString();
    }

    private ClipData clip() {
        try {
            return manager.getPrimaryClip();
        } catch (RuntimeException refused) {
            throw refusal(refused);
        }
    }

    private static Failure refusal(RuntimeException refused) {
        String words = "Android refuses the clipboard: " + refused.getMessage();
        return new Failure(Code.FAILED, words);
    }

    @Override
    public void set(String text, List<String> extras) {
        ClipData clip = ClipData.newPlainText(null, text);
        add(clip, extras);
        put(clip);
    }

    private static void add(ClipData clip, List<String> names) {
        PersistableBundle old = clip.getDescription().getExtras();
        PersistableBundle extras =
                old == null ? new PersistableBundle() : new PersistableBundle(old);
        for (String name : names) {
            extras.putBoolean(name, true);
        }
        clip.getDescription().setExtras(extras);
    }

    private void put(ClipData clip) {
        try {
            manager.setPrimaryClip(clip);
        } catch (RuntimeException refused) {
            throw refusal(refused);
        }
    }

    @Override
    public Object keep() {
        return clip();
    }

    @Override
    public void putBack(Object kept) {
        if (kept == null) {
            empty();
            return;
        }
        ClipData clip = (ClipData) kept;
        add(clip, Collections.singletonList(NO_OVERLAY));
        try {
            manager.setPrimaryClip(clip);
        } catch (RuntimeException refused) {
            // Only its own app may grant access to this URI. The text that replaced it must not
            // stay.
            AndroidPhone.note("The clipboard cannot be put back: " + refused.getMessage());
            empty();
        }
    }

    @Override
    public boolean dropPassing() {
        try {
            // Only the description: Android tells the user when a clip is read.
            ClipDescription about = manager.getPrimaryClipDescription();
            PersistableBundle extras = about == null ? null : about.getExtras();
            boolean passing = extras != null && extras.getBoolean(PASSING);
            if (passing) {
                empty();
            }
            return passing;
        } catch (RuntimeException refused) {
            AndroidPhone.note("The clipboard cannot be looked at: " + refused.getMessage());
            return false;
        }
    }

    private void empty() {
        if (Build.VERSION.SDK_INT >= 28) {
            manager.clearPrimaryClip();
        } else {
            // ClipboardManager.clearPrimaryClip is new in API 28; earlier, an empty text is the
            // closest replacement.
            put(ClipData.newPlainText(null, ""));
        }
    }
}
