package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;
import static org.robolectric.Shadows.shadowOf;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import dev.handheld.helper.device.App;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowPackageManager;

@RunWith(RobolectricTestRunner.class)
public final class AndroidAppsTest {
    private final Context context = RuntimeEnvironment.getApplication();
    private final ShadowPackageManager phone = shadowOf(context.getPackageManager());
    private final AndroidApps apps =
            new AndroidApps(context, new AndroidPhone(context), new WindowDump());

    private final List<PackageInfo> installed = new ArrayList<PackageInfo>();

    private void install(String name, String label, long updated, int flags) {
        PackageInfo info = new PackageInfo();
        info.packageName = name;
        info.versionName = "1.2";
        info.versionCode = 3;
        info.lastUpdateTime = updated;
        info.applicationInfo = new ApplicationInfo();
        info.applicationInfo.packageName = name;
        info.applicationInfo.nonLocalizedLabel = label;
        info.applicationInfo.flags = flags;
        phone.installPackage(info);
        installed.add(info);
    }

    private List<String> told() {
        List<String> told = new ArrayList<String>();
        for (App one : apps.describe(installed)) {
            String version = one.versionName + " " + one.versionCode;
            String system = one.system ? " system" : "";
            told.add(one.packageName + " " + one.label + " " + version + system);
        }
        installed.clear();
        return told;
    }

    @Test
    public void appsAreToldWithTheirLabels() {
        install("org.notes", "Notes", 1, 0);
        install("org.notes.core", "Core", 1, ApplicationInfo.FLAG_SYSTEM);

        assertEquals(
                Arrays.asList("org.notes Notes 1.2 3", "org.notes.core Core 1.2 3 system"), told());
    }

    @Test
    public void aLabelIsReadAgainWhenTheAppIsAnotherOne() {
        install("org.notes", "Notes", 1, 0);
        told();
        install("org.notes", "Never looked at", 1, 0);
        assertEquals(Arrays.asList("org.notes Notes 1.2 3"), told());

        install("org.notes", "Notes 2", 2, 0);

        assertEquals(Arrays.asList("org.notes Notes 2 1.2 3"), told());
    }

    @Test
    public void anEndlessLabelIsCut() {
        StringBuilder label = new StringBuilder();
        for (int count = 0; count < 5000; count++) {
            label.append('x');
        }
        install("org.notes", label.toString(), 1, 0);

        assertEquals(Arrays.asList("org.notes " + label.substring(0, 1000) + " 1.2 3"), told());
    }

    @Test
    public void anAppIsLaunchedAsALauncherDoesIt() throws Exception {
        install("org.notes", "Notes", 1, 0);
        ComponentName main = new ComponentName("org.notes", "org.notes.Main");
        phone.addActivityIfNotPresent(main);
        IntentFilter filter = new IntentFilter(Intent.ACTION_MAIN);
        filter.addCategory(Intent.CATEGORY_LAUNCHER);
        phone.addIntentFilterForActivity(main, filter);

        Intent intent = apps.launcher("org.notes");

        Intent expected = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
        expected.setComponent(main);
        assertEquals(expected.toUri(0), new Intent(intent).setFlags(0).toUri(0));
        assertNull(intent.getPackage());
        assertEquals(
                Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_RESET_TASK_IF_NEEDED,
                intent.getFlags());
    }

    @Test
    public void anAppWithoutALauncherActivityIsRefused() {
        install("org.notes", "Notes", 1, 0);
        try {
            apps.launcher("org.notes");
            fail();
        } catch (Failure refused) {
            assertEquals(Code.NOT_LAUNCHABLE, refused.code);
        }
    }
}
