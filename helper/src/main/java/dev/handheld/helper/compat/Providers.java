package dev.handheld.helper.compat;

import android.content.AttributionSource;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.net.Uri;
import android.os.Binder;
import android.os.Bundle;
import android.os.DeadObjectException;
import android.os.IBinder;
import android.os.IInterface;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;

/**
 * ContentProvider.call from outside an app, as Android's own `content` program does it
 * (frameworks/base/cmds/content/src/com/android/commands/content/Content.java).
 */
final class Providers {
    private static final String ACTIVITIES = "android.app.IActivityManager";
    private static final String PROVIDER = "android.content.IContentProvider";
    private static final String TEXT = "java.lang.String";
    private static final String BUNDLE = "android.os.Bundle";
    private static final String BINDER = "android.os.IBinder";
    private static final String URI = "android.net.Uri";
    private static final String TEXTS = "[Ljava.lang.String;";
    private static final String CANCEL = "android.os.ICancellationSignal";

    /** Reads what a provider found, before it is closed. */
    interface Rows {
        void read(Cursor cursor);
    }

    static final Hidden OPEN =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "getContentProviderExternal",
                            "since 29, with a tag",
                            TEXT,
                            "int",
                            BINDER,
                            TEXT),
                    Hidden.form(
                            ACTIVITIES,
                            "getContentProviderExternal",
                            "until 28",
                            TEXT,
                            "int",
                            BINDER));
    static final Hidden CLOSE =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "removeContentProviderExternalAsUser",
                            "since 29",
                            TEXT,
                            BINDER,
                            "int"),
                    Hidden.form(
                            ACTIVITIES,
                            "removeContentProviderExternal",
                            "until 28",
                            TEXT,
                            BINDER));
    static final Hidden HELD =
            Hidden.field(
                    Hidden.form(
                            "android.app.ContentProviderHolder",
                            "provider",
                            "the same since 26"));
    static final Hidden CALL =
            Hidden.method(
                    Hidden.form(
                            PROVIDER,
                            "call",
                            "since 31: who calls is an object",
                            "android.content.AttributionSource",
                            TEXT,
                            TEXT,
                            TEXT,
                            BUNDLE),
                    Hidden.form(
                            PROVIDER,
                            "call",
                            "30: with an attribution tag",
                            TEXT,
                            TEXT,
                            TEXT,
                            TEXT,
                            TEXT,
                            BUNDLE),
                    Hidden.form(
                            PROVIDER,
                            "call",
                            "29: with the authority",
                            TEXT,
                            TEXT,
                            TEXT,
                            TEXT,
                            BUNDLE),
                    Hidden.form(PROVIDER, "call", "until 28", TEXT, TEXT, TEXT, BUNDLE));

    static final Hidden QUERY =
            Hidden.method(
                    Hidden.form(
                            PROVIDER,
                            "query",
                            "since 31: who asks is an object",
                            "android.content.AttributionSource",
                            URI,
                            TEXTS,
                            BUNDLE,
                            CANCEL),
                    Hidden.form(
                            PROVIDER,
                            "query",
                            "30: with an attribution tag",
                            TEXT,
                            TEXT,
                            URI,
                            TEXTS,
                            BUNDLE,
                            CANCEL),
                    Hidden.form(
                            PROVIDER, "query", "until 29", TEXT, URI, TEXTS, BUNDLE, CANCEL));

    static final Hidden RESOLVE =
            Hidden.method(
                    Hidden.form(
                            "android.content.pm.PackageManager",
                            "resolveContentProviderAsUser",
                            "the same in all versions",
                            TEXT,
                            "int",
                            "int"));

    private final PackageManager packages;

    Providers(PackageManager packages) {
        this.packages = packages;
    }

    /** Rows of a table. A refusal while reading is reported like one at the start. */
    void query(Uri uri, int user, String[] columns, Bundle wishes, Rows rows) {
        String authority = uri.getAuthority();
        IBinder token = new Binder();
        Object provider = open(authority, user, token);
        try {
            Cursor cursor = select(provider, uri, columns, wishes);
            if (cursor == null) {
                throw new Failure(Code.APP_THREW, "The provider answered with nothing.");
            }
            try {
                rows.read(cursor);
            } finally {
                cursor.close();
            }
        } catch (Failure failure) {
            throw failure;
        } catch (SecurityException closed) {
            throw new Failure(Code.APP_REFUSED, String.valueOf(closed));
        } catch (RuntimeException thrown) {
            // Reading changes nothing, whatever its outcome.
            Failure failure = failed(authority, ((IInterface) provider).asBinder(), thrown);
            throw new Failure(failure.code, failure.getMessage());
        } finally {
            close(authority, user, token);
        }
    }

    private static Cursor select(Object provider, Uri uri, String[] columns, Bundle wishes) {
        String self = ShellContext.PACKAGE;
        switch (QUERY.form()) {
            case 0:
                return (Cursor) QUERY.call(provider, source(), uri, columns, wishes, null);
            case 1:
                return (Cursor) QUERY.call(provider, self, null, uri, columns, wishes, null);
            default:
                return (Cursor) QUERY.call(provider, self, uri, columns, wishes, null);
        }
    }

    private static AttributionSource source() {
        return new AttributionSource.Builder(ShellContext.UID)
                .setPackageName(ShellContext.PACKAGE)
                .build();
    }

    private Object open(String authority, int user, IBinder token) {
        Object provider;
        try {
            provider = find(authority, user, token);
        } catch (SecurityException closed) {
            // A provider that is not exported, or that requires a permission.
            throw new Failure(Code.APP_REFUSED, String.valueOf(closed.getMessage()));
        }
        if (provider == null) {
            throw missing(authority, user);
        }
        return provider;
    }

    /** Null is the app's own null. */
    Bundle call(String authority, int user, String method, String arg, Bundle extras) {
        IBinder token = new Binder();
        Object provider = open(authority, user, token);
        try {
            return ask(provider, authority, method, arg, extras);
        } catch (RuntimeException thrown) {
            throw failed(authority, ((IInterface) provider).asBinder(), thrown);
        } finally {
            close(authority, user, token);
        }
    }

    /** Android returns none for two reasons, and does not report which one applies. */
    private Failure missing(String authority, int user) {
        if (RESOLVE.call(packages, authority, 0, user) != null) {
            return new Failure(
                    Code.APP_NOT_STARTED, "Android did not start the app of " + authority + ".");
        }
        return new Failure(Code.NO_COMPONENT, "No app has a provider " + authority + ".")
                .with("installed", false);
    }

    /**
     * Open for as long as the token lives or until it is closed; null when Android returns none.
     */
    static Object find(String authority, int user, IBinder token) {
        Object holder =
                OPEN.form() == 0
                        ? OPEN.call(Services.activities(), authority, user, token, "handheld")
                        : OPEN.call(Services.activities(), authority, user, token);
        return holder == null ? null : HELD.get(holder);
    }

    private static Bundle ask(
            Object provider, String authority, String method, String arg, Bundle extras) {
        String self = ShellContext.PACKAGE;
        switch (CALL.form()) {
            case 0:
                return (Bundle) CALL.call(provider, source(), authority, method, arg, extras);
            case 1:
                return (Bundle) CALL.call(provider, self, null, authority, method, arg, extras);
            case 2:
                return (Bundle) CALL.call(provider, self, authority, method, arg, extras);
            default:
                return (Bundle) CALL.call(provider, self, method, arg, extras);
        }
    }

    /** The exception that Android passed on: the app's own, or that there was no answer. */
    static Failure failed(String authority, IBinder provider, RuntimeException thrown) {
        if (thrown.getCause() instanceof DeadObjectException) {
            if (provider.pingBinder()) {
                // For a reply over binder's size limit, the caller learns nothing else.
                return new Failure(
                        Code.APP_THREW,
                        "android.os.TransactionTooLargeException: the answer is too large.",
                        Happened.MAYBE);
            }
            return new Failure(
                    Code.APP_DIED,
                    "The process of " + authority + " ended before it had answered.",
                    Happened.MAYBE);
        }
        Throwable problem = thrown.getCause() == null ? thrown : thrown.getCause();
        return new Failure(Code.APP_THREW, String.valueOf(problem), Happened.MAYBE);
    }

    private static void close(String authority, int user, IBinder token) {
        try {
            if (CLOSE.form() == 0) {
                CLOSE.call(Services.activities(), authority, token, user);
            } else {
                CLOSE.call(Services.activities(), authority, token);
            }
        } catch (RuntimeException gone) {
            AndroidPhone.note("A provider could not be closed: " + gone.getMessage());
        }
    }
}
