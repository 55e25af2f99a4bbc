package dev.handheld.helper.words.android;

import android.content.pm.ActivityInfo;
import android.content.pm.ApplicationInfo;
import android.content.pm.ComponentInfo;
import android.content.pm.FeatureInfo;
import android.content.pm.PackageInfo;
import android.content.pm.ParceledListSlice;
import android.content.pm.PermissionGroupInfo;
import android.content.pm.PermissionInfo;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.content.pm.UserInfo;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The installed packages, and what else the package service knows. */
final class Packages {
    private static final long SYSTEM_ONLY = 0x100000L;
    private static final int OWNER = 0x413;

    private final Map<String, PackageInfo> packages = new LinkedHashMap<>();
    private final Map<String, String> installers = new LinkedHashMap<>();
    private final Map<String, Boolean> stopped = new LinkedHashMap<>();
    private final List<FeatureInfo> features = new ArrayList<>();
    private final List<PermissionInfo> permissions = new ArrayList<>();
    private final List<String> libraries = new ArrayList<>();
    private final Map<String, Integer> enabled = new LinkedHashMap<>();

    void add(String[] fields) {
        if (fields[0].equals("+feature")) {
            FeatureInfo feature = new FeatureInfo();
            feature.name = fields[1].isEmpty() ? null : fields[1];
            feature.reqGlEsVersion = fields[1].isEmpty() ? Integer.decode(fields[2]) : 0;
            features.add(feature);
            return;
        }
        if (fields[0].equals("+library")) {
            libraries.add(fields[1]);
            return;
        }
        if (fields[0].equals("+permission")) {
            PermissionInfo permission = new PermissionInfo();
            permission.name = fields[1];
            permission.group = fields[2].isEmpty() ? null : fields[2];
            permission.protectionLevel = PermissionInfo.PROTECTION_DANGEROUS;
            permissions.add(permission);
            return;
        }
        PackageInfo info = new PackageInfo();
        info.packageName = fields[1];
        info.versionCode = Integer.parseInt(fields[5]);
        info.applicationInfo = new ApplicationInfo();
        info.applicationInfo.packageName = fields[1];
        info.applicationInfo.uid = Integer.parseInt(fields[2]);
        info.applicationInfo.flags = (fields[3].equals("1") ? ApplicationInfo.FLAG_SYSTEM : 0)
                | (fields[7].equals("1") ? ApplicationInfo.FLAG_STOPPED : 0);
        info.applicationInfo.enabled = fields[4].equals("1");
        String[] paths = fields[8].split(",");
        info.applicationInfo.sourceDir = info.applicationInfo.publicSourceDir = paths[0];
        if (paths.length > 1) {
            info.applicationInfo.splitSourceDirs = Arrays.copyOfRange(paths, 1, paths.length);
        }
        info.applicationInfo.processName = info.applicationInfo.taskAffinity = fields[1];
        info.applicationInfo.dataDir = "/data/user/0/" + fields[1];
        info.applicationInfo.nonLocalizedLabel = fields[9];
        info.applicationInfo.minSdkVersion = Integer.parseInt(fields[10]);
        info.applicationInfo.targetSdkVersion = Integer.parseInt(fields[11]);
        set(info.applicationInfo, "targetSandboxVersion", 1);
        set(info.applicationInfo, "versionCode", info.versionCode);
        set(info.applicationInfo, "longVersionCode", (long) info.versionCode);
        packages.put(fields[1], info);
        installers.put(fields[1], fields[6].isEmpty() ? null : fields[6]);
        stopped.put(fields[1], fields[7].equals("1"));
    }

    boolean has(String name) {
        return packages.containsKey(name);
    }

    private static void set(Object target, String name, Object value) {
        try {
            Field field = target.getClass().getField(name);
            field.set(target, value);
        } catch (ReflectiveOperationException e) {
            // This release has no such field.
        }
    }

    /** Null if it does not know. */
    Object answer(String name, String type, Object[] arguments) throws ReflectiveOperationException {
        switch (name) {
            case "getInstalledPackages":
                return listed(((Number) arguments[0]).longValue(), type);
            case "getAllPackages":
                return new ArrayList<>(packages.keySet());
            case "getPackageInfo":
                return packages.get((String) arguments[0]);
            case "getApplicationInfo":
                PackageInfo found = packages.get((String) arguments[0]);
                return found == null ? null : found.applicationInfo;
            case "getInstallerPackageName":
                return installers.get((String) arguments[0]);
            case "isPackageStoppedForUser":
                return stopped.get((String) arguments[0]);
            case "getSystemAvailableFeatures":
                return list(features, type);
            case "getAllPermissionGroups":
                return list(groups(), type);
            case "getPermissionGroupInfo":
                PermissionGroupInfo group = new PermissionGroupInfo();
                group.name = (String) arguments[0];
                return group;
            case "queryPermissionsByGroup":
                return list(grouped((String) arguments[0]), type);
            case "hasSystemFeature":
                return hasFeature((String) arguments[0]);
            case "getSystemSharedLibraryNames":
                return libraries.toArray(new String[0]);
            case "getSystemSharedLibraryNamesAndPaths":
                Map<String, String> paths = new LinkedHashMap<>();
                for (String library : libraries) {
                    paths.put(library, "/system/framework/" + library + ".jar");
                }
                return paths;
            case "getUserIds":
                return new int[] {0};
            case "getUsers":
                return new ArrayList<>(Arrays.asList(owner()));
            case "canSwitchUsers":
                return true;
            case "getUserInfo":
                return arguments[0].equals(0) ? owner() : null;
            case "getCurrentUser":
                return owner();
            case "isUserRunning":
                return arguments[0].equals(0);
            case "setApplicationEnabledSetting":
            case "setComponentEnabledSetting":
                enabled.put(arguments[0].toString(), (Integer) arguments[1]);
                return null;
            case "getApplicationEnabledSetting":
            case "getComponentEnabledSetting":
                return enabled.getOrDefault(arguments[0].toString(), 0);
            case "queryIntentActivities":
            case "queryIntentServices":
            case "queryIntentReceivers":
            case "queryInstrumentation":
            case "queryInstrumentationAsUser":
                return new ParceledListSlice<>(new ArrayList<ResolveInfo>());
            default:
                return null;
        }
    }

    private static UserInfo owner() {
        return new UserInfo(0, "Owner", OWNER);
    }

    private boolean hasFeature(String name) {
        for (FeatureInfo feature : features) {
            if (name.equals(feature.name)) {
                return true;
            }
        }
        return false;
    }

    private Object listed(long flags, String type) throws ReflectiveOperationException {
        List<PackageInfo> found = new ArrayList<>();
        for (PackageInfo each : packages.values()) {
            boolean system = (each.applicationInfo.flags & ApplicationInfo.FLAG_SYSTEM) != 0;
            if (system || (flags & SYSTEM_ONLY) == 0) {
                found.add(each);
            }
        }
        return list(found, type);
    }

    /** As that release wraps it. */
    private static Object list(List<?> found, String type) throws ReflectiveOperationException {
        if (type.equals("Ljava/util/List;")) {
            return found;
        }
        return Class.forName(className(type)).getConstructor(List.class).newInstance(found);
    }

    private List<PermissionGroupInfo> groups() {
        Map<String, PermissionGroupInfo> found = new TreeMap<>();
        for (PermissionInfo each : permissions) {
            if (each.group != null) {
                PermissionGroupInfo group = new PermissionGroupInfo();
                group.name = each.group;
                found.put(each.group, group);
            }
        }
        return new ArrayList<>(found.values());
    }

    private List<PermissionInfo> grouped(String group) {
        List<PermissionInfo> found = new ArrayList<>();
        for (PermissionInfo each : permissions) {
            if (group == null ? each.group == null : group.equals(each.group)) {
                found.add(each);
            }
        }
        return found;
    }

    /** @param fields kind, package, class, match, priority, whether it is a default */
    ResolveInfo resolve(String[] fields) {
        ResolveInfo info = new ResolveInfo();
        ComponentInfo component;
        if (fields[0].equals("service")) {
            component = info.serviceInfo = new ServiceInfo();
        } else {
            component = info.activityInfo = new ActivityInfo();
        }
        component.packageName = fields[1];
        component.name = fields[2];
        component.processName = fields[1];
        component.exported = true;
        component.applicationInfo = packages.get(fields[1]).applicationInfo;
        info.match = Integer.decode(fields[3]);
        info.priority = Integer.parseInt(fields[4]);
        info.isDefault = fields[5].equals("1");
        return info;
    }

    static String className(String type) {
        return type.substring(1, type.length() - 1).replace('/', '.');
    }
}
