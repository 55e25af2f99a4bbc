package dev.handheld.helper.compat;

import android.os.IBinder;

/** Android's services, as the shell reaches them. */
final class Services {
    static final Hidden SERVICE =
            Hidden.method(
                    Hidden.form(
                            "android.os.ServiceManager",
                            "getService",
                            "the same in all versions",
                            "java.lang.String"));
    static final Hidden ACTIVITIES =
            Hidden.method(
                    Hidden.form(
                            "android.app.ActivityManager", "getService", "the same since 26"));
    static final Hidden STATUS_BAR =
            Hidden.method(
                    Hidden.form(
                            "com.android.internal.statusbar.IStatusBarService$Stub",
                            "asInterface",
                            "the same in all versions",
                            "android.os.IBinder"));

    private Services() {}

    static IBinder find(String name) {
        return (IBinder) SERVICE.call(null, name);
    }

    /** The activity manager's own interface. */
    static Object activities() {
        return ACTIVITIES.call(null);
    }

    static Object statusBar() {
        return STATUS_BAR.call(null, find("statusbar"));
    }
}
