package dev.handheld.helper.compat;

import android.os.IBinder;
import android.os.Process;
import android.os.RemoteException;
import android.system.ErrnoException;
import android.system.Os;
import dev.handheld.helper.device.Apps;
import dev.handheld.helper.device.Automation;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.DaemonThreads;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Intents;
import dev.handheld.helper.device.Locales;
import dev.handheld.helper.device.Locations;
import dev.handheld.helper.device.Media;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.device.Notifications;
import dev.handheld.helper.device.Offers;
import dev.handheld.helper.device.Phone;
import dev.handheld.helper.device.Screen;
import dev.handheld.helper.device.Sms;
import dev.handheld.helper.device.Tables;
import dev.handheld.helper.device.Threads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The phone that this program runs on. */
public final class AndroidDevice implements Device {
    private static final int ANDROID_GONE = 3;
    private static final String PROGRAM = "/system/bin/app_process";

    /** Kept: a collected binder delivers no death notification. */
    private static IBinder android;

    private final Clock clock = new AndroidClock();
    private final Threads threads = new DaemonThreads();
    private final AndroidPhone phone;
    private final AndroidAutomation automation = new AndroidAutomation();
    private final AndroidScreen screen;
    private final Nodes nodes = new AndroidNodes(automation);
    private final Input input = new AndroidInput(automation);
    private final Apps apps;
    private final Intents intents;
    private final Files files = new AndroidFiles();
    private final Media media;
    private final Offers offers;
    private final ShellContext context;
    private final Notifications notifications;
    private final Tables tables;
    private Clipboard clipboard;
    private Sms sms;
    private final Locales locales = new AndroidLocales();
    private Locations locations;
    private Cameras cameras;

    private AndroidDevice(ShellContext context) {
        this.context = context;
        phone = new AndroidPhone(context);
        WindowDump dump = new WindowDump();
        screen = new AndroidScreen(context, automation, dump);
        apps = new AndroidApps(context, phone, dump);
        intents = new AndroidIntents(context, phone);
        offers = new AndroidOffers(context, phone);
        notifications = new AndroidNotifications(context, phone, automation.notices);
        Providers providers = new Providers(context.getPackageManager());
        media = new AndroidMedia(providers, phone);
        tables = new AndroidTables(providers, phone);
    }

    /** Connect the process to Android's services. */
    public static Device open() {
        endWithAndroid();
        return new AndroidDevice(ShellContext.prepare());
    }

    /** When Android itself restarts, none of its objects work any more. */
    private static void endWithAndroid() {
        android = Services.find("activity");
        if (android == null) {
            throw new IllegalStateException("Android has not started yet.");
        }
        try {
            android.linkToDeath(
                    new IBinder.DeathRecipient() {
                        @Override
                        public void binderDied() {
                            Runtime.getRuntime().halt(ANDROID_GONE);
                        }
                    },
                    0);
        } catch (RemoteException gone) {
            throw new IllegalStateException("Android is starting anew.");
        }
    }

    /**
     * Where adb runs as root, restart as the shell user, as the rest of Android expects; it has
     * enough permissions. The program is started again because Android already knows this process
     * as root: newer kernels use the credentials of the process that opened the binder device. To
     * be called first.
     *
     * <p>The supplementary groups stay: adbd gives the shell's groups to root as well, and Android
     * has no call to set them.
     */
    @SuppressWarnings("deprecation") // Not for apps; this is not an app.
    public static void dropRoot(String program, String[] arguments) {
        if (Process.myUid() != 0) {
            return;
        }
        try {
            Os.setgid(ShellContext.UID);
            Os.setuid(ShellContext.UID);
        } catch (ErrnoException refused) {
            throw new IllegalStateException("Root cannot be dropped: " + refused.getMessage());
        }
        try {
            Os.execve(PROGRAM, command(program, arguments), Os.environ());
        } catch (ErrnoException refused) {
            AndroidPhone.note("Root is dropped for this thread alone: " + refused.getMessage());
        }
    }

    /** Rebuild the command line that the host uses. */
    static String[] command(String program, String[] arguments) {
        List<String> words = new ArrayList<String>();
        words.addAll(Arrays.asList(PROGRAM, "/", "--nice-name=handheld", program));
        words.addAll(Arrays.asList(arguments));
        return words.toArray(new String[0]);
    }

    @Override
    public Phone phone() {
        return phone;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Threads threads() {
        return threads;
    }

    @Override
    public Automation automation() {
        return automation;
    }

    @Override
    public Screen screen() {
        return screen;
    }

    @Override
    public Nodes nodes() {
        return nodes;
    }

    @Override
    public Input input() {
        return input;
    }

    /** Created on first use: a vendor's broken clipboard must not affect the rest. */
    @Override
    public synchronized Clipboard clipboard() {
        if (clipboard == null) {
            clipboard = new AndroidClipboard(context);
        }
        return clipboard;
    }

    @Override
    public Apps apps() {
        return apps;
    }

    @Override
    public Intents intents() {
        return intents;
    }

    @Override
    public Files files() {
        return files;
    }

    @Override
    public Media media() {
        return media;
    }

    @Override
    public Offers offers() {
        return offers;
    }

    @Override
    public synchronized Sms sms() {
        if (sms == null) {
            sms = new AndroidSms(context);
        }
        return sms;
    }

    @Override
    public Locales locales() {
        return locales;
    }

    @Override
    public synchronized Locations locations() {
        if (locations == null) {
            locations = new AndroidLocations(context);
        }
        return locations;
    }

    @Override
    public Notifications notifications() {
        return notifications;
    }

    @Override
    public synchronized Cameras cameras() {
        if (cameras == null) {
            cameras = new AndroidCameras(context, screen);
        }
        return cameras;
    }

    @Override
    public Tables tables() {
        return tables;
    }
}
