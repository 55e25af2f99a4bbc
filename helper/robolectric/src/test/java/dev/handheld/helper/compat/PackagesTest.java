package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PermissionInfo;
import dev.handheld.helper.device.AppDetails;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TimeZone;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowPackageManager;

@RunWith(RobolectricTestRunner.class)
public final class PackagesTest {
    private static final String CAMERA = "org.notes.CAMERA";
    private static final String NETWORK = "org.notes.NETWORK";

    private final Context context = RuntimeEnvironment.getApplication();
    private final ShadowPackageManager phone = shadowOf(context.getPackageManager());
    private final Packages packages = new Packages(context);
    private final TimeZone zone = TimeZone.getDefault();

    @Before
    public void setZone() {
        TimeZone.setDefault(TimeZone.getTimeZone("GMT+1"));
        permission(CAMERA, PermissionInfo.PROTECTION_DANGEROUS);
        permission(NETWORK, PermissionInfo.PROTECTION_NORMAL);
    }

    @After
    public void restoreZone() {
        TimeZone.setDefault(zone);
    }

    private void permission(String name, int level) {
        PermissionInfo info = new PermissionInfo();
        info.name = name;
        info.protectionLevel = level;
        phone.addPermissionInfo(info);
    }

    private static PackageInfo notes() {
        PackageInfo info = new PackageInfo();
        info.packageName = "org.notes";
        info.versionName = "1.2";
        info.versionCode = 3;
        info.firstInstallTime = 1_700_000_000_000L;
        info.lastUpdateTime = 1_700_000_060_000L;
        info.applicationInfo = new ApplicationInfo();
        info.applicationInfo.packageName = info.packageName;
        info.applicationInfo.nonLocalizedLabel = "Notes";
        info.applicationInfo.flags = ApplicationInfo.FLAG_DEBUGGABLE;
        info.applicationInfo.enabled = true;
        info.applicationInfo.minSdkVersion = 26;
        info.applicationInfo.targetSdkVersion = 34;
        info.requestedPermissions = new String[] {CAMERA, NETWORK, "org.nobody.KNOWS"};
        info.requestedPermissionsFlags =
                new int[] {PackageInfo.REQUESTED_PERMISSION_GRANTED, 0, 0};
        return info;
    }

    @Test
    public void whatIsKnownOfAnAppIsTold() {
        PackageInfo info = notes();
        phone.installPackage(info);

        AppDetails told = packages.describe(info);

        assertEquals("org.notes Notes 1.2 3", name(told));
        assertFalse(told.app.system);
        assertTrue(told.enabled);
        assertTrue(told.debuggable);
        assertEquals(26, told.minSdk);
        assertEquals(34, told.targetSdk);
        assertEquals("2023-11-14 23:13:20", told.installedAt);
        assertEquals("2023-11-14 23:14:20", told.updatedAt);
        assertEquals("", told.signer);
    }

    private static String name(AppDetails told) {
        return told.app.packageName
                + " "
                + told.app.label
                + " "
                + told.app.versionName
                + " "
                + told.app.versionCode;
    }

    @Test
    public void permissionsAreToldWithTheirKindAndState() {
        PackageInfo info = notes();
        phone.installPackage(info);

        List<String> told = new ArrayList<String>();
        for (AppDetails.Permission one : packages.describe(info).permissions) {
            told.add(one.name + " " + one.granted + " " + one.runtime);
        }

        assertEquals(
                Arrays.asList(
                        CAMERA + " true true",
                        NETWORK + " false false",
                        "org.nobody.KNOWS false false"),
                told);
    }

    @Test
    public void anAppWithoutPermissionsHasNone() {
        PackageInfo info = notes();
        info.requestedPermissions = null;
        info.versionName = null;
        phone.installPackage(info);

        AppDetails told = packages.describe(info);

        assertTrue(told.permissions.isEmpty());
        assertNull(told.app.versionName);
    }

    @Test
    public void theAppThatInstalledItIsTold() {
        PackageInfo info = notes();
        phone.installPackage(info);
        assertNull(packages.describe(info).installer);

        context.getPackageManager().setInstallerPackageName("org.notes", "org.store");

        assertEquals("org.store", packages.describe(info).installer);
    }
}
