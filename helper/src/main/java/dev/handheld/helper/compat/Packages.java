package dev.handheld.helper.compat;

import android.app.usage.StorageStats;
import android.app.usage.StorageStatsManager;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.PermissionInfo;
import android.os.Build;
import android.os.UserHandle;
import dev.handheld.helper.device.App;
import dev.handheld.helper.device.AppDetails;
import dev.handheld.helper.protocol.Text;
import java.io.IOException;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;

/** Details of single apps from the package manager. */
final class Packages {
    private static final int MOST_PERMISSIONS = 1000;
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_VERSION = 1000;

    private final Context context;
    private final PackageManager packages;

    Packages(Context context) {
        this.context = context;
        packages = context.getPackageManager();
    }

    /** Null when it is not installed for that user. */
    AppDetails read(String packageName, int user) {
        PackageInfo info;
        try {
            info =
                    (PackageInfo)
                            Declarations.PACKAGE.call(packages, packageName, flags(), user);
        } catch (IllegalStateException missing) {
            if (missing.getCause() instanceof PackageManager.NameNotFoundException) {
                return null;
            }
            throw missing;
        }
        return info == null || info.applicationInfo == null ? null : describe(info);
    }

    @SuppressWarnings("deprecation") // GET_SIGNING_CERTIFICATES is new in API 28.
    private static int flags() {
        return PackageManager.GET_PERMISSIONS
                | (Build.VERSION.SDK_INT >= 28
                        ? PackageManager.GET_SIGNING_CERTIFICATES
                        : PackageManager.GET_SIGNATURES);
    }

    AppDetails describe(PackageInfo info) {
        ApplicationInfo app = info.applicationInfo;
        App told =
                new App(
                        info.packageName,
                        AndroidApps.label(app, packages),
                        info.versionName == null
                                ? null
                                : Text.cut(info.versionName, LONGEST_VERSION),
                        AndroidApps.versionCode(info),
                        (app.flags & ApplicationInfo.FLAG_SYSTEM) != 0);
        return new AppDetails(
                told,
                app.enabled,
                (app.flags & ApplicationInfo.FLAG_DEBUGGABLE) != 0,
                app.minSdkVersion,
                app.targetSdkVersion,
                installer(info.packageName),
                time(info.firstInstallTime),
                time(info.lastUpdateTime),
                Declarations.signer(info),
                sizes(app),
                permissions(info));
    }

    /** In the format that Android prints, in the phone's own zone. */
    private static String time(long since) {
        return new SimpleDateFormat("yyyy-MM-dd HH:mm:ss", Locale.ROOT).format(new Date(since));
    }

    @SuppressWarnings("deprecation") // Its successor is new in API 30.
    private String installer(String packageName) {
        try {
            return packages.getInstallerPackageName(packageName);
        } catch (IllegalArgumentException gone) {
            return null;
        }
    }

    /** Null where the shell may not ask, as before API 28. */
    private long[] sizes(ApplicationInfo app) {
        try {
            StorageStatsManager manager =
                    (StorageStatsManager)
                            context.getSystemService(Context.STORAGE_STATS_SERVICE);
            UserHandle user = UserHandle.getUserHandleForUid(app.uid);
            StorageStats stats =
                    manager.queryStatsForPackage(app.storageUuid, app.packageName, user);
            return new long[] {stats.getAppBytes(), stats.getDataBytes(), stats.getCacheBytes()};
        } catch (IOException | PackageManager.NameNotFoundException | RuntimeException refused) {
            AndroidPhone.note("The sizes of an app are not told: " + refused.getMessage());
            return null;
        }
    }

    private List<AppDetails.Permission> permissions(PackageInfo info) {
        List<AppDetails.Permission> found = new ArrayList<AppDetails.Permission>();
        String[] asked = info.requestedPermissions;
        int[] flags = info.requestedPermissionsFlags;
        if (asked == null) {
            return found;
        }
        for (int one = 0; one < Math.min(asked.length, MOST_PERMISSIONS); one++) {
            boolean granted =
                    flags != null
                            && one < flags.length
                            && (flags[one] & PackageInfo.REQUESTED_PERMISSION_GRANTED) != 0;
            found.add(
                    new AppDetails.Permission(
                            Text.cut(asked[one], LONGEST_NAME), granted, isRuntime(asked[one])));
        }
        return found;
    }

    @SuppressWarnings("deprecation") // Its successor is new in API 28.
    private boolean isRuntime(String permission) {
        try {
            PermissionInfo info = packages.getPermissionInfo(permission, 0);
            return (info.protectionLevel & PermissionInfo.PROTECTION_MASK_BASE)
                    == PermissionInfo.PROTECTION_DANGEROUS;
        } catch (PackageManager.NameNotFoundException unknown) {
            return false;
        }
    }
}
