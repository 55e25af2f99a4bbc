package dev.handheld.helper.compat;

import android.app.PendingIntent;
import android.content.IIntentReceiver;
import android.content.IIntentSender;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;

/**
 * A PendingIntent that comes back here. One that Android makes would need an app to arrive in;
 * around a sender of our own Android passes the intent straight on to us, in all versions.
 */
abstract class Replies extends IIntentSender.Stub {
    static final Hidden NEW =
            Hidden.constructor(
                    Hidden.form(
                            "android.app.PendingIntent",
                            "<init>",
                            "the same in all versions; not public until 30",
                            "android.content.IIntentSender"));

    private final PendingIntent pending = (PendingIntent) NEW.make(this);

    /** What to give to whoever is to reply. */
    PendingIntent pending() {
        return pending;
    }

    @Override
    public void send(
            int code,
            Intent intent,
            String resolvedType,
            IBinder allowList,
            IIntentReceiver finished,
            String requiredPermission,
            Bundle options) {
        try {
            received(code, intent);
        } catch (RuntimeException broken) {
            // It came from another program, and there is nobody here to throw it at.
            AndroidPhone.note("A reply could not be read: " + broken);
        }
    }

    abstract void received(int code, Intent intent);
}
