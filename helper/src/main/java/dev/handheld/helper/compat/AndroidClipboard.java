package dev.handheld.helper.compat;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.os.Build;
import android.os.PersistableBundle;
import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;

/** The clipboard, read and written as the shell, which may also do so in the background. */
final class AndroidClipboard implements Clipboard {
    /** ClipDescription.EXTRA_IS_SENSITIVE; its name is older than the constant, which is 33's. */
    private static final String SENSITIVE = "android.content.extra.IS_SENSITIVE";

    static final Hidden CONTEXT =
            Hidden.field(
                    Hidden.form(
                            "android.content.ClipboardManager",
                            "mContext",
                            "the same in all versions"));

    private final Context context;
    private final ClipboardManager manager;

    AndroidClipboard(Context context) {
        this.context = context;
        manager = (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
        // It was made for the system's context, under whose name the shell is refused.
        CONTEXT.set(manager, context);
    }

    @Override
    public String text() {
        ClipData clip = clip();
        if (clip == null || clip.getItemCount() == 0) {
            return null;
        }
        CharSequence said = clip.getItemAt(0).coerceToText(context);
        return said == null ? null : said.toString();
    }

    private ClipData clip() {
        try {
            return manager.getPrimaryClip();
        } catch (RuntimeException refused) {
            throw new Failure(Code.FAILED, "Android refuses the clipboard: " + refused.getMessage());
        }
    }

    @Override
    public void set(String text, boolean sensitive) {
        ClipData clip = ClipData.newPlainText(null, text);
        if (sensitive) {
            PersistableBundle extras = new PersistableBundle();
            extras.putBoolean(SENSITIVE, true);
            clip.getDescription().setExtras(extras);
        }
        put(clip);
    }

    private void put(ClipData clip) {
        try {
            manager.setPrimaryClip(clip);
        } catch (RuntimeException refused) {
            throw new Failure(Code.FAILED, "Android refuses the clipboard: " + refused.getMessage());
        }
    }

    @Override
    public Object keep() {
        return clip();
    }

    @Override
    public void putBack(Object kept) {
        if (kept != null) {
            put((ClipData) kept);
        } else if (Build.VERSION.SDK_INT >= 28) {
            manager.clearPrimaryClip();
        } else {
            // Before 28 nothing empties it; an empty text is the nearest.
            put(ClipData.newPlainText(null, ""));
        }
    }
}
