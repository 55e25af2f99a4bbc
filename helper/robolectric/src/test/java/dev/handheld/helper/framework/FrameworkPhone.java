package dev.handheld.helper.framework;

import android.app.ActivityManager;
import android.app.IActivityManager;
import android.app.PendingIntent;
import android.app.Service;
import android.app.UiAutomation;
import android.content.ContentProvider;
import android.content.Intent;
import android.content.pm.ResolveInfo;
import android.os.Binder;
import android.view.ViewConfiguration;
import android.view.accessibility.AccessibilityManager;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityRecord;
import android.view.accessibility.AccessibilityWindowInfo;
import android.widget.AbsListView;
import android.widget.Adapter;
import android.widget.NumberPicker;
import android.widget.ScrollView;
import android.widget.TabHost;
import android.widget.Toast;
import dev.handheld.helper.Helper;
import dev.handheld.helper.compat.FrameworkDevice;
import dev.handheld.helper.device.Streams;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.LooperMode;
import org.robolectric.shadows.ShadowActivityManager;
import org.robolectric.shadows.ShadowAdapterView;
import org.robolectric.shadows.ShadowApplicationPackageManager;
import org.robolectric.shadows.ShadowBinder;
import org.robolectric.shadows.ShadowContextWrapper;
import org.robolectric.shadows.ShadowLinearLayout;
import org.robolectric.shadows.ShadowViewGroup;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.shadows.ShadowWindowManagerGlobal;

/** Runs as a test, because Robolectric prepares Android's classes for tests alone. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@Config(
        sdk = {28, 30, 33, 34, 35},
        qualifiers = "w360dp-h800dp-480dpi",
        shadows = {
            FrameworkPhone.OwnNode.class,
            FrameworkPhone.OwnWindow.class,
            FrameworkPhone.OwnRecord.class,
            FrameworkPhone.OwnAutomation.class,
            FrameworkPhone.OwnManager.class,
            FrameworkPhone.OwnConfiguration.class,
            FrameworkPhone.OwnList.class,
            FrameworkPhone.OwnScroll.class,
            FrameworkPhone.OwnTabs.class,
            FrameworkPhone.OwnTab.class,
            FrameworkPhone.OwnNumber.class,
            FrameworkPhone.OwnToast.class,
            FrameworkPhone.OwnService.class,
            FrameworkPhone.OwnProvider.class,
            FrameworkPhone.OwnIntent.class,
            FrameworkPhone.Activities.class,
            FrameworkPhone.Packages.class,
            FrameworkPhone.Transactions.class,
            FrameworkPhone.Root.class,
            InputRoute.Manager.class,
            InputRoute.Global.class
        })
public final class FrameworkPhone {
    // Nothing in place of Robolectric's own: these classes are Android's.

    @Implements(AccessibilityNodeInfo.class)
    public static final class OwnNode {}

    @Implements(AccessibilityWindowInfo.class)
    public static final class OwnWindow {}

    @Implements(AccessibilityRecord.class)
    public static final class OwnRecord {}

    @Implements(UiAutomation.class)
    public static final class OwnAutomation {}

    @Implements(AccessibilityManager.class)
    public static final class OwnManager {}

    @Implements(ViewConfiguration.class)
    public static final class OwnConfiguration {}

    // Robolectric assumes that the shadow of any view is its own class.

    @Implements(AbsListView.class)
    public static final class OwnList extends ShadowAdapterView<Adapter> {}

    @Implements(ScrollView.class)
    public static final class OwnScroll extends ShadowViewGroup {}

    @Implements(TabHost.class)
    public static final class OwnTabs extends ShadowViewGroup {}

    @Implements(TabHost.TabSpec.class)
    public static final class OwnTab {}

    @Implements(NumberPicker.class)
    public static final class OwnNumber extends ShadowLinearLayout {}

    @Implements(Toast.class)
    public static final class OwnToast {}

    @Implements(Service.class)
    public static final class OwnService extends ShadowContextWrapper {}

    @Implements(ContentProvider.class)
    public static final class OwnProvider {}

    @Implements(PendingIntent.class)
    public static final class OwnIntent {}

    @Implements(ActivityManager.class)
    public static final class Activities extends ShadowActivityManager {
        @Implementation
        protected static IActivityManager getService() {
            return InstalledApps.MANAGER;
        }
    }

    /** Robolectric answers this one for the current user alone. */
    @Implements(className = "android.app.ApplicationPackageManager", isInAndroidSdk = false)
    public static final class Packages extends ShadowApplicationPackageManager {
        @Implementation
        protected List<ResolveInfo> queryIntentContentProvidersAsUser(
                Intent intent, int flags, int user) {
            return queryIntentContentProviders(intent, flags);
        }
    }

    /** Since 31 Android looks whether a caller is read while Binder handles its call. */
    @Implements(Binder.class)
    public static final class Transactions extends ShadowBinder {
        @Implementation(minSdk = 31)
        protected static boolean isDirectlyHandlingTransaction() {
            return InstalledApps.isHandling();
        }
    }

    /** What the window manager answers, which Robolectric does not have since 34. */
    @Implements(className = "android.view.ViewRootImpl", isInAndroidSdk = false)
    public static final class Root extends ShadowViewRootImpl {
        @Implementation(minSdk = 34)
        protected boolean isInTouchMode() {
            return ShadowWindowManagerGlobal.getInTouchMode();
        }
    }

    @Test
    public void serve() throws Exception {
        String[] arguments = System.getProperty(FrameworkMain.ARGUMENTS).split("\n");
        SystemServices.install();
        PacedClock time = new PacedClock();
        time.start();
        Control control =
                new Control(time, new FileInputStream(arguments[1]), new FileOutputStream(arguments[2]));
        control.start();
        control.awaitStart();
        Helper.haltOnFault();
        int code =
                Helper.serve(
                        FrameworkDevice.open(time),
                        streams(),
                        arguments[4],
                        Arrays.copyOfRange(arguments, 5, arguments.length),
                        new File(arguments[3]));
        Runtime.getRuntime().halt(code);
    }

    private static Streams streams() {
        final InputStream input = new FileInputStream(FileDescriptor.in);
        final OutputStream output = new FileOutputStream(FileDescriptor.out);
        return new Streams() {
            @Override
            public InputStream input() {
                return input;
            }

            @Override
            public OutputStream output() {
                return output;
            }
        };
    }
}
