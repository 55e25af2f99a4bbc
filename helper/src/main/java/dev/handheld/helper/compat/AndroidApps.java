package dev.handheld.helper.compat;

import android.app.ActivityManager;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.Build;
import dev.handheld.helper.device.App;
import dev.handheld.helper.device.AppDetails;
import dev.handheld.helper.device.Apps;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The apps of the current user: every call passes that user, because a work profile would break it.
 */
final class AndroidApps implements Apps {
    private static final String MANAGER = "android.content.pm.PackageManager";
    private static final String ACTIVITIES = "android.app.IActivityManager";
    private static final int START_SUCCESS = 0;
    private static final int START_DELIVERED_TO_TOP = 3;
    static final int START_ABORTED = 102;
    private static final int USERS_APART = 100_000;
    private static final int LONGEST_LABEL = 1000;

    static final Hidden INSTALLED =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "getInstalledPackagesAsUser",
                            "the same in all versions",
                            "int",
                            "int"));
    static final Hidden UID =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "getPackageUidAsUser",
                            "the same in all versions",
                            "java.lang.String",
                            "int"));
    static final Hidden QUERY =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "queryIntentActivitiesAsUser",
                            "the same in all versions",
                            "android.content.Intent",
                            "int",
                            "int"));
    static final Hidden START =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "startActivityAsUser",
                            "the same in all versions",
                            "android.app.IApplicationThread",
                            "java.lang.String",
                            "android.content.Intent",
                            "java.lang.String",
                            "android.os.IBinder",
                            "java.lang.String",
                            "int",
                            "int",
                            "android.app.ProfilerInfo",
                            "android.os.Bundle",
                            "int"));
    static final Hidden STOP =
            Hidden.method(
                    Hidden.form(
                            ACTIVITIES,
                            "forceStopPackage",
                            "the same in all versions",
                            "java.lang.String",
                            "int"));
    static final Hidden COLLAPSE =
            Hidden.method(
                    Hidden.form(
                            "com.android.internal.statusbar.IStatusBarService",
                            "collapsePanels",
                            "the same in all versions"));

    private final AndroidPhone phone;
    private final WindowDump dump;
    private final PackageManager packages;
    private final ActivityManager activities;
    private final Packages details;
    private final Map<String, Label> labels = new HashMap<String, Label>();

    AndroidApps(Context context, AndroidPhone phone, WindowDump dump) {
        this.phone = phone;
        this.dump = dump;
        packages = context.getPackageManager();
        details = new Packages(context);
        activities = (ActivityManager) context.getSystemService(Context.ACTIVITY_SERVICE);
    }

    @Override
    public List<App> packages(Integer user) {
        int of = user == null ? phone.user() : user;
        try {
            return describe((List<?>) INSTALLED.call(packages, 0, of));
        } catch (SecurityException refused) {
            throw new Failure(Code.FAILED, "Android refuses it: " + refused.getMessage());
        }
    }

    List<App> describe(List<?> installed) {
        List<App> found = new ArrayList<App>();
        for (Object one : installed) {
            PackageInfo info = (PackageInfo) one;
            ApplicationInfo app = info.applicationInfo;
            if (app == null) {
                continue;
            }
            found.add(
                    new App(
                            info.packageName,
                            label(info, app),
                            info.versionName,
                            versionCode(info),
                            (app.flags & ApplicationInfo.FLAG_SYSTEM) != 0));
        }
        return found;
    }

    /** Reading a label opens the app's APK, so it is cached until the app changes. */
    private String label(PackageInfo info, ApplicationInfo app) {
        synchronized (labels) {
            Label kept = labels.get(info.packageName);
            if (kept != null && kept.since == info.lastUpdateTime) {
                return kept.text;
            }
        }
        Label fresh = new Label(label(app, packages), info.lastUpdateTime);
        synchronized (labels) {
            labels.put(info.packageName, fresh);
        }
        return fresh.text;
    }

    /**
     * In the phone's language. An endless label of one app must not use up the answer of the
     * others.
     */
    static String label(ApplicationInfo app, PackageManager packages) {
        return Text.cut(String.valueOf(app.loadLabel(packages)), LONGEST_LABEL);
    }

    /** A cached label. */
    private static final class Label {
        final String text;
        final long since;

        Label(String text, long since) {
            this.text = text;
            this.since = since;
        }
    }

    @SuppressWarnings("deprecation") // getLongVersionCode is new in API 28.
    static long versionCode(PackageInfo info) {
        return Build.VERSION.SDK_INT >= 28 ? info.getLongVersionCode() : info.versionCode;
    }

    @Override
    public Integer uid(String packageName) {
        try {
            return (Integer) UID.call(packages, packageName, phone.user());
        } catch (IllegalStateException missing) {
            if (missing.getCause() instanceof PackageManager.NameNotFoundException) {
                return null;
            }
            throw missing;
        }
    }

    @Override
    public int packagesOf(int uid) {
        String[] names = packages.getPackagesForUid(uid);
        return names == null ? 0 : names.length;
    }

    @Override
    public List<Integer> pids(String packageName) {
        List<Integer> found = new ArrayList<Integer>();
        List<ActivityManager.RunningAppProcessInfo> running = activities.getRunningAppProcesses();
        if (running == null) {
            return found;
        }
        Integer uid = uid(packageName);
        for (ActivityManager.RunningAppProcessInfo one : running) {
            boolean own = one.pkgList != null && Arrays.asList(one.pkgList).contains(packageName);
            // The same package of another user is another app; isolated processes have other uids.
            if (own && (uid == null || uid / USERS_APART == one.uid / USERS_APART)) {
                found.add(one.pid);
            }
        }
        return found;
    }

    @Override
    public AppDetails details(String packageName) {
        return details.read(packageName, phone.user());
    }

    @SuppressWarnings("deprecation") // The shell may read the tasks of all apps.
    @Override
    public boolean isInFront(String packageName) {
        if (dump.shows(packageName)) {
            return true;
        }
        List<ActivityManager.RunningTaskInfo> tasks = activities.getRunningTasks(1);
        return !tasks.isEmpty()
                && tasks.get(0).topActivity != null
                && packageName.equals(tasks.get(0).topActivity.getPackageName());
    }

    @Override
    public void launch(String packageName) {
        if (uid(packageName) == null) {
            throw new Failure(Code.NOT_INSTALLED, packageName + " is not installed.");
        }
        int code = start(launcher(packageName));
        if (code == START_ABORTED) {
            throw aborted();
        }
        if (code < START_SUCCESS || code > START_DELIVERED_TO_TOP) {
            throw new Failure(
                    Code.FAILED, "Android did not start " + packageName + " (code " + code + ").");
        }
    }

    /** A rule of the phone's maker ended the start. */
    static Failure aborted() {
        return new Failure(Code.FAILED, "Android did not start it (code " + START_ABORTED + ").")
                .with("aborted", true);
    }

    private int start(Intent intent) {
        try {
            return (Integer)
                    START.call(
                            Services.activities(),
                            null,
                            ShellContext.PACKAGE,
                            intent,
                            null,
                            null,
                            null,
                            0,
                            0,
                            null,
                            null,
                            phone.user());
        } catch (SecurityException refused) {
            throw new Failure(Code.FAILED, "Android refuses it: " + refused.getMessage());
        }
    }

    /** Return the intent that brings the app to the front. */
    Intent launcher(String packageName) {
        String[] categories = {Intent.CATEGORY_LAUNCHER, Intent.CATEGORY_LEANBACK_LAUNCHER};
        for (String category : categories) {
            Intent asked = new Intent(Intent.ACTION_MAIN).addCategory(category);
            asked.setPackage(packageName);
            List<?> found = (List<?>) QUERY.call(packages, asked, 0, phone.user());
            if (!found.isEmpty()) {
                ResolveInfo first = (ResolveInfo) found.get(0);
                // Exactly a launcher's intent, without the package: otherwise an app that is open
                // already would get its first screen again on top.
                asked.setPackage(null);
                asked.setClassName(packageName, first.activityInfo.name);
                asked.addFlags(
                        Intent.FLAG_ACTIVITY_NEW_TASK
                                | Intent.FLAG_ACTIVITY_RESET_TASK_IF_NEEDED);
                return asked;
            }
        }
        throw new Failure(Code.NOT_LAUNCHABLE, packageName + " has no launcher activity.");
    }

    @Override
    public void closePanels() {
        try {
            COLLAPSE.call(Services.statusBar());
        } catch (RuntimeException refused) {
            // Fails also where there is no status bar. The app was started anyway.
            AndroidPhone.note("Panels cannot be closed: " + refused.getMessage());
        }
    }

    @Override
    public void stop(String packageName) {
        STOP.call(Services.activities(), packageName, phone.user());
    }
}
