package dev.handheld.helper.bridge;

import dev.handheld.helper.device.App;
import dev.handheld.helper.device.AppDetails;
import dev.handheld.helper.device.Apps;
import dev.handheld.helper.device.Automation;
import dev.handheld.helper.device.Cameras;
import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Files;
import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Intents;
import dev.handheld.helper.device.Locales;
import dev.handheld.helper.device.Locations;
import dev.handheld.helper.device.Media;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.device.Notice;
import dev.handheld.helper.device.Notifications;
import dev.handheld.helper.device.Offers;
import dev.handheld.helper.device.OsError;
import dev.handheld.helper.device.Phone;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.device.Scaling;
import dev.handheld.helper.device.Screen;
import dev.handheld.helper.device.Sim;
import dev.handheld.helper.device.Sms;
import dev.handheld.helper.device.Tables;
import dev.handheld.helper.device.Threads;
import dev.handheld.helper.device.Tree;
import dev.handheld.helper.device.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A phone whose every part is the test's world. */
final class BridgeDevice
        implements Device,
                Bridge.Listener,
                Phone,
                Threads,
                Automation,
                Screen,
                Nodes,
                Input,
                Clipboard,
                Apps,
                Files,
                Media,
                Sms {
    private final Bridge bridge;
    private final BridgeClock clock;
    private final BridgeIntents intents;
    private final BridgeOffers offers;
    private final BridgeSettings settings;
    private final BridgeNotifications notifications;
    private final BridgeTables tables;
    private final BridgeCameras cameras;
    private Runnable changed;

    BridgeDevice(Bridge bridge) {
        this.bridge = bridge;
        clock = new BridgeClock(bridge);
        intents = new BridgeIntents(bridge);
        offers = new BridgeOffers(bridge);
        settings = new BridgeSettings(bridge);
        notifications = new BridgeNotifications(bridge);
        tables = new BridgeTables(bridge);
        cameras = new BridgeCameras(bridge);
    }

    /** Learn what time it is. */
    void begin() {
        clock.set(((Number) bridge.call("now")).doubleValue());
    }

    @Override
    public void told(Map<String, Object> message) {
        if (message.containsKey("now")) {
            clock.set(((Number) message.get("now")).doubleValue());
        } else if (message.containsKey("due")) {
            clock.due(BridgeMain.number(message, "due"));
        } else if (message.containsKey("changed")) {
            changed.run();
        } else {
            throw new IllegalArgumentException(message.toString());
        }
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static int whole(Object value) {
        return ((Number) value).intValue();
    }

    private static List<Integer> wholes(Object value) {
        List<Integer> wholes = new ArrayList<Integer>();
        for (Object one : (List<?>) value) {
            wholes.add(whole(one));
        }
        return wholes;
    }

    private static List<String> texts(Object value) {
        List<String> texts = new ArrayList<String>();
        for (Object one : (List<?>) value) {
            texts.add((String) one);
        }
        return texts;
    }

    // The parts

    @Override
    public Phone phone() {
        return this;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Threads threads() {
        return this;
    }

    @Override
    public Automation automation() {
        return this;
    }

    @Override
    public Screen screen() {
        return this;
    }

    @Override
    public Nodes nodes() {
        return this;
    }

    @Override
    public Input input() {
        return this;
    }

    @Override
    public Clipboard clipboard() {
        return this;
    }

    @Override
    public Apps apps() {
        return this;
    }

    @Override
    public Intents intents() {
        return intents;
    }

    @Override
    public Files files() {
        return this;
    }

    @Override
    public Media media() {
        return this;
    }

    @Override
    public Offers offers() {
        return offers;
    }

    @Override
    public Sms sms() {
        return this;
    }

    @Override
    public Locales locales() {
        return settings;
    }

    @Override
    public Locations locations() {
        return settings;
    }

    @Override
    public Notifications notifications() {
        return notifications;
    }

    @Override
    public Cameras cameras() {
        return cameras;
    }

    @Override
    public Tables tables() {
        return tables;
    }

    // Phone

    @Override
    public int api() {
        return whole(bridge.call("api"));
    }

    @Override
    public String bootId() {
        return (String) bridge.call("boot_id");
    }

    @Override
    public int user() {
        return 0;
    }

    @Override
    public boolean isLocked() {
        return (Boolean) bridge.call("locked");
    }

    @Override
    public boolean isAwake() {
        return (Boolean) bridge.call("awake");
    }

    @Override
    public boolean wakeUp() {
        return (Boolean) bridge.call("wake_up");
    }

    @Override
    public void stayUp(boolean up) {
        bridge.send("stay_up", up);
    }

    @Override
    public void log(String message) {
        bridge.send("log", message);
    }

    @Override
    public List<String> characters(String text) {
        return texts(bridge.call("characters", text));
    }

    // Threads

    @Override
    public void start(String name, final Runnable work) {
        bridge.enter();
        Thread thread =
                new Thread(
                        new Runnable() {
                            @Override
                            public void run() {
                                work.run();
                                bridge.leave();
                            }
                        },
                        name);
        thread.setDaemon(true);
        thread.start();
    }

    // Automation

    @Override
    public void take() {
        bridge.call("take_automation");
    }

    @Override
    public void release() {
        bridge.call("release_automation");
    }

    // Screen

    @Override
    public Display display() {
        List<Integer> said = wholes(bridge.call("display"));
        return new Display(said.get(0), said.get(1), said.get(2), said.get(3));
    }

    @Override
    public Scaling scaling() {
        List<Integer> said = wholes(bridge.call("scaling"));
        return new Scaling(said.get(0), said.get(1));
    }

    @Override
    public List<Window> windows() {
        List<Window> windows = new ArrayList<Window>();
        for (Map<String, Object> said : Bridge.maps(bridge.call("windows"))) {
            windows.add(
                    new Window(
                            whole(said.get("id")),
                            (String) said.get("type"),
                            (String) said.get("package"),
                            (String) said.get("title"),
                            whole(said.get("layer")),
                            (Boolean) said.get("focused")));
        }
        return windows;
    }

    @Override
    public List<Integer> otherDisplays() {
        return wholes(bridge.call("other_displays"));
    }

    /** In as many steps as the app takes, and blocked with it. */
    @Override
    public void read(int window, Tree tree) {
        boolean more = true;
        for (int count = 0; more && tree.isWanted(); ) {
            Object answer = bridge.call("read", window, count);
            more = answer != null;
            if (more) {
                Map<String, Object> said = Bridge.map(answer);
                for (Object one : (List<?>) said.get("nodes")) {
                    tree.add(node(one), (String) said.get("package"));
                    Object item = Bridge.map(said.get("items")).get(Integer.toString(count));
                    if (item != null) {
                        tree.isItem(wholes(item).get(0), wholes(item).get(1));
                    }
                    Object told = Bridge.map(said.get("details")).get(Integer.toString(count));
                    if (told != null) {
                        tree.tell(Bridge.map(told));
                    }
                    count++;
                }
                if ((Boolean) said.get("incomplete")) {
                    tree.leaveOut();
                }
                more = (Boolean) said.get("more");
            }
        }
    }

    private static Node node(Object value) {
        if (value == null) {
            return null;
        }
        List<?> said = (List<?>) value;
        return new Node(
                whole(said.get(0)),
                whole(said.get(1)),
                (String) said.get(2),
                (String) said.get(3),
                (String) said.get(4),
                (String) said.get(5),
                (String) said.get(6),
                whole(said.get(7)),
                whole(said.get(8)),
                whole(said.get(9)),
                whole(said.get(10)),
                whole(said.get(11)),
                whole(said.get(12)));
    }

    @Override
    public boolean isDegraded() {
        return false;
    }

    @Override
    public Foreground foreground() {
        List<?> said = (List<?>) bridge.call("foreground");
        if (said == null) {
            return null;
        }
        Long user = (Long) said.get(3);
        return new Foreground(
                (String) said.get(0),
                (String) said.get(1),
                (String) said.get(2),
                user == null ? null : user.intValue());
    }

    @Override
    public long changes() {
        return (Long) bridge.call("changes");
    }

    @Override
    public Set<String> tickers(long withinMs) {
        return new HashSet<String>(texts(bridge.call("tickers", withinMs)));
    }

    @Override
    public long changesWithout(Set<String> tickers) {
        return (Long) bridge.call("changes_without", new ArrayList<String>(tickers));
    }

    @Override
    public List<Notice> notices() {
        List<Notice> notices = new ArrayList<Notice>();
        for (Object one : (List<?>) bridge.call("notices")) {
            List<?> said = (List<?>) one;
            notices.add(
                    new Notice(
                            (Long) said.get(0),
                            (Boolean) said.get(1),
                            (String) said.get(2),
                            (String) said.get(3),
                            (String) said.get(4)));
        }
        return notices;
    }

    @Override
    public void listen(Runnable listener) {
        changed = listener;
    }

    @Override
    public List<String> secureWindows() {
        return texts(bridge.call("secure_windows"));
    }

    @Override
    public Picture capture(int maxSize, boolean png, int quality) {
        List<?> said = (List<?>) bridge.call("capture", maxSize, png, quality);
        byte[] data = Base64.getDecoder().decode((String) said.get(2));
        return new Picture(whole(said.get(0)), whole(said.get(1)), data);
    }

    // Nodes

    @Override
    public Node find(String key) {
        return node(bridge.call("node", key));
    }

    @Override
    public Node focusedField() {
        return node(bridge.call("focused_field"));
    }

    @Override
    public boolean perform(String key, Nodes.Action action) {
        return (Boolean) bridge.call("perform", key, word(action));
    }

    @Override
    public boolean scrollTo(String key, int row, int column) {
        return (Boolean) bridge.call("scroll_to", key, row, column);
    }

    @Override
    public boolean setText(String key, String text) {
        return (Boolean) bridge.call("set_text", key, text);
    }

    @Override
    public boolean setSelection(String key, int start, int end) {
        return (Boolean) bridge.call("set_selection", key, start, end);
    }

    @Override
    public int[] selection(String key) {
        Object said = bridge.call("selection", key);
        if (said == null) {
            return null;
        }
        List<Integer> places = wholes(said);
        return new int[] {places.get(0), places.get(1)};
    }

    @Override
    public boolean isMultiLine(String key) {
        return (Boolean) bridge.call("is_multi_line", key);
    }

    // Input

    @Override
    public void check() {
        bridge.call("check_input");
    }

    @Override
    public boolean touch(Input.Touch action, int changed, List<Pointer> down, double downTime) {
        List<Object> pointers = new ArrayList<Object>();
        for (Pointer pointer : down) {
            pointers.add(Arrays.<Object>asList(pointer.id, pointer.x, pointer.y));
        }
        return (Boolean) bridge.call("touch", word(action), changed, pointers);
    }

    @Override
    public boolean key(int keyCode, int meta) {
        return (Boolean) bridge.call("key", keyCode, meta);
    }

    @Override
    public boolean type(String character) {
        return (Boolean) bridge.call("type", character);
    }

    @Override
    public boolean press(Input.Button button) {
        return (Boolean) bridge.call("press", word(button));
    }

    // Clipboard

    @Override
    public String text() {
        return (String) bridge.call("clipboard_text");
    }

    @Override
    public void set(String text, List<String> extras) {
        bridge.call("set_clipboard", text, extras);
    }

    @Override
    public Object keep() {
        return bridge.call("keep_clipboard");
    }

    @Override
    public void putBack(Object kept) {
        bridge.call("put_back_clipboard", kept);
    }

    @Override
    public boolean dropPassing() {
        return (Boolean) bridge.call("drop_passing_clip");
    }

    // Apps

    @Override
    public List<App> packages(Integer user) {
        List<App> apps = new ArrayList<App>();
        for (Object one : (List<?>) bridge.call("packages", user)) {
            List<?> said = (List<?>) one;
            apps.add(
                    new App(
                            (String) said.get(0),
                            (String) said.get(1),
                            (String) said.get(2),
                            (Long) said.get(3),
                            (Boolean) said.get(4)));
        }
        return apps;
    }

    @Override
    public Integer uid(String packageName) {
        Object uid = bridge.call("uid", packageName);
        return uid == null ? null : whole(uid);
    }

    @Override
    public int packagesOf(int uid) {
        return whole(bridge.call("packages_of", uid));
    }

    @Override
    public List<Integer> pids(String packageName) {
        return wholes(bridge.call("pids", packageName));
    }

    @Override
    public AppDetails details(String packageName) {
        Map<?, ?> said = (Map<?, ?>) bridge.call("app_info", packageName);
        if (said == null) {
            return null;
        }
        List<?> sizes = (List<?>) said.get("sizes");
        List<AppDetails.Permission> permissions = new ArrayList<AppDetails.Permission>();
        for (Object one : (List<?>) said.get("permissions")) {
            List<?> state = (List<?>) one;
            permissions.add(
                    new AppDetails.Permission(
                            (String) state.get(0),
                            (Boolean) state.get(1),
                            (Boolean) state.get(2)));
        }
        return new AppDetails(
                new App(
                        (String) said.get("package"),
                        (String) said.get("label"),
                        (String) said.get("version_name"),
                        (Long) said.get("version_code"),
                        (Boolean) said.get("system")),
                (Boolean) said.get("enabled"),
                (Boolean) said.get("debuggable"),
                whole(said.get("min_sdk")),
                whole(said.get("target_sdk")),
                (String) said.get("installer"),
                (String) said.get("installed_at"),
                (String) said.get("updated_at"),
                (String) said.get("signer"),
                sizes == null
                        ? null
                        : new long[] {
                            (Long) sizes.get(0), (Long) sizes.get(1), (Long) sizes.get(2)
                        },
                permissions);
    }

    @Override
    public boolean isInFront(String packageName) {
        return (Boolean) bridge.call("is_in_front", packageName);
    }

    @Override
    public void launch(String packageName) {
        bridge.call("launch", packageName);
    }

    @Override
    public void closePanels() {
        bridge.call("close_panel");
    }

    @Override
    public void stop(String packageName) {
        bridge.call("stop", packageName);
    }

    // Files

    @Override
    public Files.Stat lstat(String path) throws OsError {
        List<?> said = (List<?>) bridge.ask("lstat", path);
        return new Files.Stat(whole(said.get(0)), (Long) said.get(1));
    }

    @Override
    public String readLink(String path) throws OsError {
        return (String) bridge.ask("read_link", path);
    }

    @Override
    public void makeFolder(String path) throws OsError {
        bridge.ask("make_folder", path);
    }

    @Override
    public void rename(String from, String to) throws OsError {
        bridge.ask("rename", from, to);
    }

    @Override
    public void remove(String path) throws OsError {
        bridge.ask("remove", path);
    }

    @Override
    public void touch(String path) throws OsError {
        bridge.ask("set_time", path);
    }

    @Override
    public String sha256(String path) throws OsError {
        return (String) bridge.ask("sha256", path);
    }

    @Override
    public long available(String path) {
        return (Long) bridge.call("available");
    }

    // Media

    @Override
    public void scan(String path) {
        bridge.call("scan", path);
    }

    // Sms

    @Override
    public List<Sim> sims() {
        List<Sim> sims = new ArrayList<Sim>();
        for (Object one : (List<?>) bridge.call("sims")) {
            List<?> said = (List<?>) one;
            String name = (String) said.get(2);
            sims.add(new Sim(whole(said.get(0)), whole(said.get(1)), name, (String) said.get(3)));
        }
        return sims;
    }

    @Override
    public int send(int subscription, String to, String text, final Sms.Listener listener) {
        long callback =
                bridge.register(
                        new Bridge.Listener() {
                            @Override
                            public void told(Map<String, Object> message) {
                                int part = whole(message.get("part"));
                                listener.reported(part, whole(message.get("result")));
                            }
                        });
        return whole(bridge.call("send_sms", subscription, to, text, callback));
    }
}
