package dev.handheld.helper.compat;

import android.app.ActivityManager;
import android.app.UiAutomation;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.res.Resources;
import android.graphics.Bitmap;
import android.os.Build;
import android.os.SystemClock;
import android.util.DisplayMetrics;
import android.util.SparseArray;
import android.util.TypedValue;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Notice;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.device.Scaling;
import dev.handheld.helper.device.Screen;
import dev.handheld.helper.device.Tree;
import dev.handheld.helper.device.Window;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the screen by accessibility and takes screenshots. */
final class AndroidScreen implements Screen {
    private static final int DEEPEST = 200;
    private static final int MOST_NODES = 20_000;
    private static final String[] TYPES = {
        null,
        "APPLICATION",
        "INPUT_METHOD",
        "SYSTEM",
        "ACCESSIBILITY_OVERLAY",
        "SPLIT_SCREEN_DIVIDER",
        "MAGNIFICATION_OVERLAY",
        "WINDOW_CONTROL",
    };

    private static final String DISPLAYS = "android.hardware.display.DisplayManagerGlobal";
    private static final String DISPLAY = "android.view.DisplayInfo";
    /** How long Android may take to report the windows after it was connected. */
    private static final long FIRST_WINDOWS_MS = 200;

    static final Hidden INSTANCE =
            Hidden.method(Hidden.form(DISPLAYS, "getInstance", "the same in all versions"));
    static final Hidden INFO =
            Hidden.method(
                    Hidden.form(DISPLAYS, "getDisplayInfo", "the same in all versions", "int"));
    static final Hidden WIDTH =
            Hidden.field(Hidden.form(DISPLAY, "logicalWidth", "the same in all versions"));
    static final Hidden HEIGHT =
            Hidden.field(Hidden.form(DISPLAY, "logicalHeight", "the same in all versions"));
    static final Hidden DENSITY =
            Hidden.field(Hidden.form(DISPLAY, "logicalDensityDpi", "the same in all versions"));
    static final Hidden ROTATION =
            Hidden.field(Hidden.form(DISPLAY, "rotation", "the same in all versions"));
    static final Hidden X_DPI =
            Hidden.field(Hidden.form(DISPLAY, "physicalXDpi", "the same in all versions"));
    static final Hidden PANEL =
            Hidden.field(Hidden.form(DISPLAY, "uniqueId", "the same in all versions"));
    static final Hidden PANELS =
            Hidden.optionalMethod(
                    Hidden.form(
                            "android.view.SurfaceControl",
                            "getPhysicalDisplayIds",
                            "29 to 33; since 34 UiAutomation knows which one is in use"));
    static final Hidden USER =
            Hidden.optionalField(Hidden.form("android.app.TaskInfo", "userId", "since 29"));
    private static final String LOCAL = "local:";

    private final Context context;
    private final AndroidAutomation automation;
    private final WindowDump dump;
    /** The last reported windows. */
    private Set<Integer> listed = new HashSet<Integer>();
    private List<Integer> otherDisplays = new ArrayList<Integer>();
    private AccessibilityNodeInfo onlyRoot;
    private volatile boolean degraded;

    AndroidScreen(Context context, AndroidAutomation automation, WindowDump dump) {
        this.dump = dump;
        this.context = context;
        this.automation = automation;
    }

    /**
     * Not from android.view.Display: it depends on a configuration that this process does not
     * receive.
     */
    @Override
    public Display display() {
        Object shown = info();
        return new Display(
                (Integer) WIDTH.get(shown),
                (Integer) HEIGHT.get(shown),
                (Integer) DENSITY.get(shown),
                (Integer) ROTATION.get(shown));
    }

    private static Object info() {
        Object shown = INFO.call(INSTANCE.call(null), android.view.Display.DEFAULT_DISPLAY);
        if (shown == null) {
            throw new IllegalStateException("The phone has no display.");
        }
        return shown;
    }

    /** From Android's resources, scaled like those of apps on this display. */
    @Override
    public Scaling scaling() {
        Object shown = info();
        DisplayMetrics metrics = new DisplayMetrics();
        metrics.density = (Integer) DENSITY.get(shown) / (float) DisplayMetrics.DENSITY_DEFAULT;
        metrics.xdpi = (Float) X_DPI.get(shown);
        return new Scaling(
                pixels("config_minScalingSpan", metrics),
                2 * pixels("config_viewConfigurationTouchSlop", metrics));
    }

    private static int pixels(String name, DisplayMetrics metrics) {
        Resources system = Resources.getSystem();
        TypedValue value = new TypedValue();
        system.getValue(system.getIdentifier(name, "dimen", "android"), value, true);
        return TypedValue.complexToDimensionPixelSize(value.data, metrics);
    }

    @Override
    public synchronized List<Window> windows() {
        List<Window> found = readWindows();
        if (found.isEmpty() && otherDisplays.isEmpty()) {
            // There is always a window, except when Android has disconnected this client.
            automation.renew();
            found = readWindows();
        }
        return found;
    }

    private List<Window> readWindows() {
        automation.clearCache();
        UiAutomation held = automation.get();
        List<AccessibilityWindowInfo> shown = list(held);
        if (shown.isEmpty()) {
            // Just after it was connected Android may not have reported the windows yet.
            SystemClock.sleep(FIRST_WINDOWS_MS);
            automation.clearCache();
            shown = list(held);
        }
        listed = new HashSet<Integer>();
        onlyRoot = null;
        // The active window may be on another display.
        degraded = shown.isEmpty() && otherDisplays.isEmpty();
        List<Window> found = new ArrayList<Window>();
        for (AccessibilityWindowInfo one : shown) {
            listed.add(one.getId());
            found.add(describe(one));
        }
        if (degraded) {
            onlyRoot = held.getRootInActiveWindow();
            if (onlyRoot != null) {
                int id = onlyRoot.getWindowId();
                found.add(new Window(id, "APPLICATION", null, null, 0, true));
            }
        }
        return found;
    }

    /** Those of the phone's own display, which touches are meant for. */
    private List<AccessibilityWindowInfo> list(UiAutomation held) {
        otherDisplays = new ArrayList<Integer>();
        if (Build.VERSION.SDK_INT < 30) {
            return held.getWindows();
        }
        SparseArray<List<AccessibilityWindowInfo>> all = held.getWindowsOnAllDisplays();
        for (int place = 0; place < all.size(); place++) {
            boolean own = all.keyAt(place) == android.view.Display.DEFAULT_DISPLAY;
            if (!own && !all.valueAt(place).isEmpty()) {
                otherDisplays.add(all.keyAt(place));
            }
        }
        List<AccessibilityWindowInfo> own = all.get(android.view.Display.DEFAULT_DISPLAY);
        return own == null ? new ArrayList<AccessibilityWindowInfo>() : own;
    }

    @Override
    public synchronized List<Integer> otherDisplays() {
        return otherDisplays;
    }

    private static Window describe(AccessibilityWindowInfo one) {
        int type = one.getType();
        String name =
                type > 0 && type < TYPES.length ? TYPES[type] : "UNKNOWN(" + type + ")";
        CharSequence title = one.getTitle();
        return new Window(
                one.getId(),
                name,
                null,
                title == null ? null : title.toString(),
                one.getLayer(),
                one.isFocused());
    }

    @Override
    public void read(int window, Tree tree) {
        AccessibilityNodeInfo root = root(window);
        if (root != null) {
            walk(root, tree);
        }
    }

    void walk(AccessibilityNodeInfo root, Tree tree) {
        CharSequence owner = root.getPackageName();
        new Walk(tree, owner == null ? null : owner.toString()).visit(root, 0, 0, true);
    }

    private AccessibilityNodeInfo root(int window) {
        synchronized (this) {
            if (!listed.contains(window)) {
                return onlyRoot != null && onlyRoot.getWindowId() == window ? onlyRoot : null;
            }
        }
        return AndroidNodes.root(automation.connection(), window, prefetch());
    }

    /**
     * AccessibilityNodeInfo.FLAG_PREFETCH_UNINTERRUPTIBLE is new in API 33
     * (frameworks/base/core/java/android/view/accessibility/AccessibilityNodeInfo.java): a whole
     * screen needs fewer calls with it.
     */
    private static int prefetch() {
        return Build.VERSION.SDK_INT < 33
                ? AccessibilityNodeInfo.FLAG_PREFETCH_DESCENDANTS_HYBRID
                : AccessibilityNodeInfo.FLAG_PREFETCH_DESCENDANTS_DEPTH_FIRST
                        | AccessibilityNodeInfo.FLAG_PREFETCH_UNINTERRUPTIBLE;
    }

    /** The walk through a window, in pre-order. */
    private final class Walk {
        private final Tree tree;
        private final String owner;
        private int count;
        /** The descendants of a view arrive without a request. */
        private boolean brings = true;

        Walk(Tree tree, String owner) {
            this.tree = tree;
            this.owner = owner;
        }

        /** @param asked the app was asked for it: then its descendants may be in transit */
        void visit(AccessibilityNodeInfo info, int depth, int index, boolean asked) {
            tree.add(AndroidNodes.describe(info, depth, index), owner);
            AccessibilityNodeInfo.CollectionItemInfo item = info.getCollectionItemInfo();
            if (item != null) {
                tree.isItem(item.getRowIndex(), item.getColumnIndex());
            }
            Map<String, Object> told = NodeDetails.of(info);
            if (told != null) {
                tree.tell(told);
            }
            count++;
            int children = info.getChildCount();
            if (asked && brings && children > 0) {
                brings = AndroidNodes.awaitPrefetched(info);
            }
            for (int one = 0; one < children; one++) {
                if (depth >= DEEPEST || count >= MOST_NODES || !tree.isWanted()) {
                    // Before the next request: a hanging app takes seconds for each.
                    tree.leaveOut();
                    return;
                }
                boolean asking = !AndroidNodes.isPrefetched(info, one);
                AccessibilityNodeInfo child = child(info, one);
                if (child == null) {
                    tree.leaveOut();
                } else {
                    visit(child, depth + 1, one, asking);
                }
            }
        }

        /** A child that does not arrive with prefetching may arrive alone. */
        private AccessibilityNodeInfo child(AccessibilityNodeInfo info, int index) {
            try {
                return fetch(info, index);
            } catch (RuntimeException odd) {
                // A broken view of one app must not prevent the others from being reported.
                AndroidPhone.note("A view could not be read: " + odd);
                return null;
            }
        }

        private AccessibilityNodeInfo fetch(AccessibilityNodeInfo info, int index) {
            AccessibilityNodeInfo child =
                    Build.VERSION.SDK_INT < 33
                            ? info.getChild(index)
                            : info.getChild(index, prefetch());
            return child != null
                    ? child
                    : AndroidNodes.child(automation.connection(), info, index);
        }
    }

    @Override
    public boolean isDegraded() {
        return degraded;
    }

    @SuppressWarnings("deprecation") // The shell may read the tasks of all apps.
    @Override
    public Foreground foreground() {
        Foreground reported = automation.getOrNull() == null ? null : automation.foreground();
        ActivityManager manager =
                (ActivityManager) context.getSystemService(Context.ACTIVITY_SERVICE);
        List<ActivityManager.RunningTaskInfo> tasks = manager.getRunningTasks(1);
        return inFront(reported, tasks.isEmpty() ? null : tasks.get(0));
    }

    /** The task on top, unless the previous one is still visible: then the last reported window. */
    Foreground inFront(Foreground reported, ActivityManager.RunningTaskInfo task) {
        ComponentName top = task == null ? null : task.topActivity;
        if (top == null) {
            return reported;
        }
        boolean other = reported != null && !reported.packageName.equals(top.getPackageName());
        // A volume slider or an app's bubble over another app reports itself, too.
        return other && isActivity(reported)
                ? reported
                : new Foreground(
                        top.getPackageName(), top.getClassName(), begunBy(task), user(task));
    }

    /** Apps of a profile are in tasks of its user. */
    private static Integer user(ActivityManager.RunningTaskInfo task) {
        if (Build.VERSION.SDK_INT < 29 || !USER.isThere()) {
            return null;
        }
        Integer user = (Integer) USER.get(task);
        return user == AndroidPhone.currentUser() ? null : user;
    }

    /**
     * Return the package that began a task, by its intent: the first activity may be closed
     * already, having redirected. ActivityManager.RunningTaskInfo has the intent since API 29
     * (TaskInfo in frameworks/base/core/java/android/app/TaskInfo.java); before, the first open
     * activity stands for it.
     */
    private static String begunBy(ActivityManager.RunningTaskInfo task) {
        ComponentName first = null;
        if (Build.VERSION.SDK_INT >= 29 && task.baseIntent != null) {
            first = task.baseIntent.getComponent();
        }
        if (first == null) {
            first = task.baseActivity;
        }
        return first == null ? null : first.getPackageName();
    }

    private boolean isActivity(Foreground reported) {
        Intent named = new Intent().setClassName(reported.packageName, reported.activity);
        List<?> found =
                (List<?>)
                        AndroidApps.QUERY.call(
                                context.getPackageManager(), named, 0, AndroidPhone.currentUser());
        return !found.isEmpty();
    }

    @Override
    public long changes() {
        return automation.tickers.changes();
    }

    @Override
    public Set<String> tickers(long withinMs) {
        return automation.tickers.within(withinMs);
    }

    @Override
    public long changesWithout(Set<String> tickers) {
        return automation.tickers.changesWithout(tickers);
    }

    @Override
    public List<Notice> notices() {
        return automation.notices.all();
    }

    @Override
    public void listen(Runnable changed) {
        automation.listen(changed);
    }

    @Override
    public List<String> secureWindows() {
        return dump.secureTitles();
    }

    @Override
    public Picture capture(int maxSize, boolean png, int quality) {
        Bitmap whole = picture(panel((String) PANEL.get(info())));
        if (whole == null) {
            throw new Failure(Code.CAPTURE_FAILED, "Android gave no picture of the screen.");
        }
        return PictureEncoder.encode(whole, maxSize, png, quality);
    }

    /**
     * Capture the default display.
     *
     * @param panel the panel it is on, one of two on a foldable phone; null where that is unknown
     */
    Bitmap picture(String panel) {
        if (panel != null && hasSeveralPanels()) {
            // UiAutomation would capture the first panel, which may be off.
            return Screencap.capture(panel);
        }
        Bitmap picture = automation.takeScreenshot();
        // screencap needs no permission, and works where a vendor's UiAutomation does not.
        return picture == null ? Screencap.capture(panel) : picture;
    }

    /** The panel's id as screencap takes it; null for a display that is not a panel. */
    static String panel(String uniqueId) {
        boolean local = uniqueId != null && uniqueId.matches(LOCAL + "-?[0-9]+");
        return local ? uniqueId.substring(LOCAL.length()) : null;
    }

    private static boolean hasSeveralPanels() {
        try {
            return PANELS.isThere() && ((long[]) PANELS.call(null)).length > 1;
        } catch (RuntimeException unknown) {
            AndroidPhone.note("The phone does not say how many panels it has: " + unknown);
            return false;
        }
    }
}
