package dev.handheld.helper.compat;

import android.app.Application;
import android.app.Instrumentation;
import android.content.ActivityNotFoundException;
import android.content.AttributionSource;
import android.content.ContentResolver;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.os.Build;
import android.os.Looper;

/**
 * The context of a program that is not an app: Android's services see it as the shell, under whose
 * uid it runs. Otherwise they take it for the system and refuse it. Set up as in ActivityThread
 * (frameworks/base/core/java/android/app/ActivityThread.java).
 */
final class ShellContext extends ContextWrapper {
    static final String PACKAGE = "com.android.shell";
    static final int UID = 2000;

    private static final String THREAD = "android.app.ActivityThread";

    static final Hidden MODULES =
            Hidden.optionalMethod(
                    Hidden.form(
                            THREAD,
                            "initializeMainlineModules",
                            "since 30; telephony finds its services by it"));
    static final Hidden NEW_THREAD =
            Hidden.constructor(Hidden.form(THREAD, "<init>", "the same in all versions"));
    static final Hidden CURRENT_THREAD =
            Hidden.field(
                    Hidden.form(THREAD, "sCurrentActivityThread", "the same in all versions"));
    static final Hidden SYSTEM_THREAD =
            Hidden.field(Hidden.form(THREAD, "mSystemThread", "the same in all versions"));
    static final Hidden SYSTEM_CONTEXT =
            Hidden.method(Hidden.form(THREAD, "getSystemContext", "the same in all versions"));
    static final Hidden CONFIGURATION =
            Hidden.optionalField(
                    Hidden.form(
                            THREAD,
                            "mConfigurationController",
                            "since 31; Samsung's getSystemContext needs it"));
    static final Hidden NEW_CONFIGURATION =
            Hidden.optionalConstructor(
                    Hidden.form(
                            "android.app.ConfigurationController",
                            "<init>",
                            "since 31",
                            "android.app.ActivityThreadInternal"));
    static final Hidden NEW_BINDING =
            Hidden.constructor(
                    Hidden.form(
                            THREAD + "$AppBindData", "<init>", "the same in all versions"));
    static final Hidden BINDING_INFO =
            Hidden.field(
                    Hidden.form(THREAD + "$AppBindData", "appInfo", "the same in all versions"));
    static final Hidden BINDING =
            Hidden.field(Hidden.form(THREAD, "mBoundApplication", "the same in all versions"));
    static final Hidden APPLICATION =
            Hidden.field(Hidden.form(THREAD, "mInitialApplication", "the same in all versions"));

    static final Hidden CLIPBOARD = owner("android.content.ClipboardManager");
    static final Hidden ACTIVITIES = owner("android.app.ActivityManager");
    static final Hidden POWER = owner("android.os.PowerManager");
    static final Hidden LOCATIONS = owner("android.location.LocationManager");
    static final Hidden STORAGE_STATS = owner("android.app.usage.StorageStatsManager");
    static final Hidden SUBSCRIPTIONS = owner("android.telephony.SubscriptionManager");
    /** Samsung's ClipboardManager contains another one. */
    static final Hidden SAMSUNG_CLIPBOARD =
            Hidden.optionalField(
                    Hidden.form(
                            "com.samsung.android.content.clipboard.SemClipboardManager",
                            "mContext",
                            "Samsung only"));

    private static final String SAMSUNG_CLIPBOARD_SERVICE = "semclipboard";

    private static Hidden owner(String className) {
        return Hidden.field(Hidden.form(className, "mContext", "the same in all versions"));
    }

    private final ContentResolver resolver;

    ShellContext(Context system) {
        super(system);
        resolver = new ShellResolver(this);
    }

    /**
     * Managers that pass the caller to Android were created for the system's context: they get this
     * one.
     */
    @Override
    public Object getSystemService(String name) {
        Object service = super.getSystemService(name);
        Hidden owner = owned(name);
        if (service != null && owner != null && owner.isThere()) {
            try {
                owner.set(service, this);
            } catch (IllegalArgumentException another) {
                // A vendor's own class in its place, which may not need it.
                AndroidPhone.note("The service " + name + " stays as it is: " + another);
            }
        }
        return service;
    }

    private static Hidden owned(String name) {
        switch (name) {
            case Context.CLIPBOARD_SERVICE:
                return CLIPBOARD;
            case Context.ACTIVITY_SERVICE:
                return ACTIVITIES;
            case Context.POWER_SERVICE:
                return POWER;
            case Context.STORAGE_STATS_SERVICE:
                return STORAGE_STATS;
            case Context.TELEPHONY_SUBSCRIPTION_SERVICE:
                return SUBSCRIPTIONS;
            case Context.LOCATION_SERVICE:
                return LOCATIONS;
            case SAMSUNG_CLIPBOARD_SERVICE:
                return SAMSUNG_CLIPBOARD;
            default:
                return null;
        }
    }

    /**
     * The current user, whose clipboard and SIMs are used; this process belongs to the first user.
     */
    @Override
    public int getUserId() {
        return AndroidPhone.currentUser();
    }

    /** Make this process one that Android's services accept. Once, on the main thread. */
    @SuppressWarnings("deprecation") // Intended for Android's own start of an app.
    static ShellContext prepare() {
        if (Looper.getMainLooper() == null) {
            Looper.prepareMainLooper();
        }
        meetModules();
        Object thread = NEW_THREAD.make();
        CURRENT_THREAD.set(null, thread);
        SYSTEM_THREAD.set(thread, true);
        if (CONFIGURATION.isThere() && NEW_CONFIGURATION.isThere()) {
            CONFIGURATION.set(thread, NEW_CONFIGURATION.make(thread));
        }
        ShellContext context = new ShellContext((Context) SYSTEM_CONTEXT.call(thread));
        if (!"ONYX".equalsIgnoreCase(Build.BRAND)) {
            // E-readers of that brand do not start with it.
            Object binding = NEW_BINDING.make();
            BINDING_INFO.set(binding, context.getApplicationInfo());
            BINDING.set(thread, binding);
        }
        try {
            // What telephony and the clipboard read to identify the caller.
            APPLICATION.set(
                    thread, Instrumentation.newApplication(Application.class, context));
        } catch (ReflectiveOperationException | RuntimeException without) {
            AndroidPhone.note("No application object: " + without);
        }
        return context;
    }

    /**
     * As at the start of every app: without it, SIMs and messages end in a NullPointerException.
     */
    static void meetModules() {
        if (!MODULES.isThere()) {
            return;
        }
        try {
            MODULES.call(null);
        } catch (RuntimeException without) {
            // Telephony is the first of them; the later ones are not needed here.
            AndroidPhone.note("Not all of Android's modules are known: " + without);
        }
    }

    @Override
    public ContentResolver getContentResolver() {
        return resolver;
    }

    /**
     * Nothing appears on the screen by itself. Until API 28 SmsManager
     * (frameworks/base/telephony/java/android/telephony/SmsManager.java) asks the user which SIM to
     * use as soon as a message is divided, even for an explicit SIM; it accepts this answer.
     */
    @Override
    public void startActivity(Intent intent) {
        throw new ActivityNotFoundException("The helper shows nothing: " + intent);
    }

    /**
     * As for an app built for this release. Android's compatibility behaviour for older apps costs
     * time and can fail: NotificationListenerService creates the views of every notification.
     */
    @Override
    public ApplicationInfo getApplicationInfo() {
        ApplicationInfo info = new ApplicationInfo();
        info.packageName = PACKAGE;
        info.uid = UID;
        info.targetSdkVersion = Build.VERSION.SDK_INT;
        return info;
    }

    @Override
    public String getPackageName() {
        return PACKAGE;
    }

    @Override
    public String getOpPackageName() {
        return PACKAGE;
    }

    /** Called since API 31. */
    @Override
    public AttributionSource getAttributionSource() {
        return new AttributionSource.Builder(UID).setPackageName(PACKAGE).build();
    }

    /** Called since API 34. */
    @Override
    public int getDeviceId() {
        return 0;
    }

    @Override
    public Context getApplicationContext() {
        return this;
    }

    @Override
    public Context createPackageContext(String packageName, int flags) {
        return this;
    }
}
