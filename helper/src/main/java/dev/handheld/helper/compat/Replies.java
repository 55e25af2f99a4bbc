package dev.handheld.helper.compat;

import android.app.PendingIntent;
import android.content.IIntentReceiver;
import android.content.IIntentSender;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;

/**
 * A PendingIntent that is delivered here. One that Android creates would need an app to arrive in;
 * around our own IIntentSender (frameworks/base/core/java/android/content/IIntentSender.aidl)
 * Android passes the intent directly to us, in all releases.
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

    /** The PendingIntent for the replying app. */
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
            // It was sent by another program, and there is no caller here for an exception.
            AndroidPhone.note("A reply could not be read: " + broken);
        }
    }

    abstract void received(int code, Intent intent);
}
