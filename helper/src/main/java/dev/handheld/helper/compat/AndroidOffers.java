package dev.handheld.helper.compat;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ChangedPackages;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.os.TransactionTooLargeException;
import dev.handheld.helper.device.Component;
import dev.handheld.helper.device.Element;
import dev.handheld.helper.device.Offers;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The tools that apps declare, and calls to them. */
final class AndroidOffers implements Offers {
    private static final String ACTIVITIES = "android.app.IActivityManager";
    private static final String TEXT = "java.lang.String";
    private static final String CALLBACK = "mcp_callback";
    private static final int OWNER = 0;
    private static final int ALLOWED_MS = 15_000;
    private static final int ALLOWING_SECONDS = 3;

    static final Hidden START =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "startService",
                            "since 30, with an attribution tag",
                            "android.app.IApplicationThread",
                            "android.content.Intent",
                            TEXT,
                            "boolean",
                            TEXT,
                            TEXT,
                            "int"),
                    Hidden.form(
                            ACTIVITIES,
                            "startService",
                            "until 29",
                            "android.app.IApplicationThread",
                            "android.content.Intent",
                            TEXT,
                            "boolean",
                            TEXT,
                            "int"));

    private final AndroidPhone phone;
    private final PackageManager packages;
    private final Declarations declarations;
    private final Providers providers;

    AndroidOffers(Context context, AndroidPhone phone) {
        this.phone = phone;
        packages = context.getPackageManager();
        declarations = new Declarations(packages, phone);
        providers = new Providers(packages);
    }

    @Override
    public List<Component> services() {
        return declarations.services();
    }

    @Override
    public List<Component> providers() {
        return declarations.providers();
    }

    @Override
    public Element descriptor(Component service, int deepest, int longest) throws NoDescriptor {
        return declarations.descriptor(service, deepest, longest);
    }

    @Override
    public int sequence() {
        ChangedPackages all = packages.getChangedPackages(0);
        return all == null ? 0 : all.getSequenceNumber();
    }

    @Override
    public List<String> changedSince(int sequence) {
        if (phone.user() != OWNER || sequence > sequence()) {
            // Android counts for the user that this program belongs to, and anew after each boot.
            return null;
        }
        ChangedPackages since = packages.getChangedPackages(sequence);
        return since == null
                ? new ArrayList<String>()
                : new ArrayList<String>(since.getPackageNames());
    }

    @Override
    public Map<String, Object> call(
            String authority, String method, String arg, Map<String, Object> extras) {
        Bundle given = extras == null ? null : Bundles.write(extras);
        Bundle answer = providers.call(authority, phone.user(), method, arg, given);
        try {
            return answer == null ? null : Bundles.read(answer);
        } catch (RuntimeException unreadable) {
            // BaseBundle (frameworks/base/core/java/android/os/BaseBundle.java) before API 33: a
            // value of a class that only the app has hides the values after it.
            throw new Failure(Code.APP_THREW, unreadable.toString(), Happened.MAYBE);
        }
    }

    @Override
    public void start(
            String packageName, String className, Map<String, String> extras, Callback callback) {
        allow(packageName);
        Intent intent = new Intent().setClassName(packageName, className);
        for (Map.Entry<String, String> one : extras.entrySet()) {
            intent.putExtra(one.getKey(), one.getValue());
        }
        intent.putExtra(CALLBACK, new ServiceReply(callback).pending());
        ComponentName started = start(intent, false, phone.user());
        if (started != null && "?".equals(started.getPackageName())) {
            // The app still counts as in the background: then as a foreground service.
            started = start(intent, true, phone.user());
        }
        check(packageName, className, started);
    }

    /**
     * Return what Android started, or in place of its package the sign for why not; null if there
     * is no such service.
     */
    static ComponentName start(Intent intent, boolean foreground, int user) {
        String self = ShellContext.PACKAGE;
        try {
            Object started =
                    START.form() == 0
                            ? START.call(
                                    Services.activities(),
                                    null,
                                    intent,
                                    null,
                                    foreground,
                                    self,
                                    null,
                                    user)
                            : START.call(
                                    Services.activities(),
                                    null,
                                    intent,
                                    null,
                                    foreground,
                                    self,
                                    user);
            return (ComponentName) started;
        } catch (SecurityException closed) {
            throw new Failure(Code.APP_REFUSED, String.valueOf(closed.getMessage()));
        } catch (IllegalStateException refused) {
            if (refused.getCause() instanceof TransactionTooLargeException) {
                throw new Failure(Code.APP_NOT_STARTED, "The extras are too large for Android.");
            }
            throw refused;
        }
    }

    /**
     * Throw where the start was refused, which ActiveServices
     * (frameworks/base/services/core/java/com/android/server/am/ActiveServices.java) reports in
     * place of the package name.
     */
    private void check(String packageName, String className, ComponentName started) {
        if (started == null) {
            throw new Failure(Code.NO_COMPONENT, packageName + " has no " + className + ".")
                    .with("installed", declarations.isInstalled(packageName));
        }
        String code = started.getPackageName();
        if ("!".equals(code)) {
            String why = started.getClassName();
            // The name of a permission, or a message.
            String verb = why.indexOf(' ') < 0 ? " requires " : " is ";
            throw new Failure(Code.APP_REFUSED, className + verb + why + ".");
        }
        if ("!!".equals(code) || "?".equals(code)) {
            throw new Failure(Code.APP_NOT_STARTED, started.getClassName() + ".");
        }
    }

    /**
     * Allow an idle app to start a service for a moment. Without it the start may still be allowed.
     */
    private void allow(String packageName) {
        ProcessBuilder command =
                new ProcessBuilder(
                        "/system/bin/cmd",
                        "deviceidle",
                        "tempwhitelist",
                        "-u",
                        String.valueOf(phone.user()),
                        "-d",
                        String.valueOf(ALLOWED_MS),
                        packageName);
        command.redirectErrorStream(true);
        Process program = null;
        try {
            program = command.start();
            program.getOutputStream().close();
            program.waitFor(ALLOWING_SECONDS, TimeUnit.SECONDS);
        } catch (IOException | InterruptedException refused) {
            AndroidPhone.note("No place on the allow-list: " + refused.getMessage());
        } finally {
            if (program != null) {
                program.destroy();
            }
        }
    }

    /** The callback's intent. */
    static final class ServiceReply extends Replies {
        private final Callback callback;

        ServiceReply(Callback callback) {
            this.callback = callback;
        }

        @Override
        void received(int code, Intent intent) {
            Map<String, String> texts = new LinkedHashMap<String, String>();
            Bundle extras = intent == null ? null : intent.getExtras();
            Map<String, Object> all =
                    extras == null ? new LinkedHashMap<String, Object>() : read(extras);
            for (Map.Entry<String, Object> one : all.entrySet()) {
                if (one.getValue() instanceof String) {
                    texts.put(one.getKey(), (String) one.getValue());
                }
            }
            callback.replied(texts);
        }

        /**
         * BaseBundle before API 33: an unreadable value hides the values after it; those before it
         * stay.
         */
        private static Map<String, Object> read(Bundle extras) {
            try {
                return Bundles.read(extras);
            } catch (RuntimeException unreadable) {
                AndroidPhone.note("Not all of a reply can be read: " + unreadable.getMessage());
                return Bundles.read(extras);
            }
        }
    }
}
