package dev.handheld.helper.commands;

import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Notice;
import dev.handheld.helper.device.Tree;
import dev.handheld.helper.device.Window;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import dev.handheld.helper.protocol.Session;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All windows with all their nodes. */
final class Screen extends Command {
    /** How long a walk waits for a window that sends nothing, or nothing more. */
    private static final double SILENCE_MS = 2000;
    /** The part of the budget kept for replying with the nodes of an incomplete window. */
    private static final double TELLING_MS = 250;
    /** UTF-16 units of a notice. */
    private static final int NOTICE_TITLE = 100;

    private static final int NOTICE_TEXT = 300;

    Screen() {
        super("screen", Lane.TREE, true, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with);
    }

    @Override
    public Answer run(Job job) {
        dev.handheld.helper.device.Screen screen = job.device.screen();
        long seq = screen.changes();
        List<Walk> walks = walk(job, screen.windows());
        Foreground foreground = screen.foreground();
        if (isAll(walks) && (isElsewhere(walks, foreground) || isFocusMoved(screen, seq, walks))) {
            // Something came to the front meanwhile, or an old window was read.
            seq = screen.changes();
            walks = walk(job, screen.windows());
            foreground = screen.foreground();
        }
        List<Object> missing = new ArrayList<Object>();
        JsonWriter writer = new JsonWriter();
        writer.raw('{').text("windows").raw(':').raw('[');
        boolean any = false;
        for (Walk walk : walks) {
            Tree tree = walk.result();
            if (tree.isEmpty()) {
                missing.add(walk.missing());
                continue;
            }
            if (any) {
                writer.raw(',');
            }
            any = true;
            write(writer, walk.window, tree);
            if (tree.isIncomplete()) {
                missing.add(missing(walk.window, owner(walk.window, tree), "incomplete"));
            }
        }
        writer.raw(']').raw('}');
        if (!any) {
            String message = missing.isEmpty() ? "There is no window." : "No window gave its root.";
            throw new Failure(Code.NO_WINDOWS, message)
                    .with("missing", missing)
                    .with("displays", screen.otherDisplays());
        }
        return Answer.of("seq", seq)
                .and("display", Session.display(screen.display()))
                .and("foreground", foreground(foreground))
                .and("degraded", screen.isDegraded())
                .and("missing", missing)
                .and("displays", screen.otherDisplays())
                .and("locked", job.device.phone().isLocked())
                .and("awake", job.device.phone().isAwake())
                .and("notices", notices(screen.notices()))
                .with(writer.bytes());
    }

    private static boolean isAll(List<Walk> walks) {
        for (Walk walk : walks) {
            if (walk.result().isEmpty() || walk.result().isIncomplete()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the focused window belongs to an app other than that of the activity in front, which
     * has none. System windows, such as the notifications, lie over an activity that stays in
     * front.
     */
    private static boolean isElsewhere(List<Walk> walks, Foreground foreground) {
        boolean other = false;
        for (Walk walk : walks) {
            String owner = owner(walk.window, walk.result());
            if (foreground == null || foreground.packageName.equals(owner)) {
                return false;
            }
            boolean application = "APPLICATION".equals(walk.window.type) && owner != null;
            other |= walk.window.focused && application;
        }
        return other;
    }

    private static boolean isFocusMoved(
            dev.handheld.helper.device.Screen screen, long seq, List<Walk> walks) {
        if (screen.changes() == seq) {
            return false;
        }
        List<Window> before = new ArrayList<Window>();
        for (Walk walk : walks) {
            before.add(walk.window);
        }
        return focus(before) != focus(screen.windows());
    }

    private static int focus(List<Window> windows) {
        for (Window window : windows) {
            if (window.focused) {
                return window.id;
            }
        }
        return -1;
    }

    private static List<Object> notices(List<Notice> said) {
        List<Object> all = new ArrayList<Object>();
        for (Notice one : said) {
            String kind = one.toast ? "toast" : "notification";
            String title = Text.cut(one.title, NOTICE_TITLE);
            String text = Text.cut(one.text, NOTICE_TEXT);
            all.add(Arrays.<Object>asList(one.at, kind, one.packageName, title, text));
        }
        return all;
    }

    /** Encode one window as `screen` does; empty where it does not arrive in time. */
    static byte[] encode(Job job, int id) {
        Walk walk = read(job, id);
        boolean whole = walk != null && !walk.result().isEmpty() && !walk.result().isCut();
        return whole ? encode(walk.window, walk.result()) : new byte[0];
    }

    /** Read the nodes of one window, as far as they arrive. */
    static List<Node> nodes(Job job, int id) {
        Walk walk = read(job, id);
        return walk == null ? Collections.<Node>emptyList() : walk.result().nodes();
    }

    private static Walk read(Job job, int id) {
        for (Window window : job.device.screen().windows()) {
            if (window.id == id) {
                return walk(job, Collections.singletonList(window)).get(0);
            }
        }
        return null;
    }

    private static byte[] encode(Window window, Tree tree) {
        JsonWriter writer = new JsonWriter();
        writer.raw('{').text("windows").raw(':').raw('[');
        write(writer, window, tree);
        return writer.raw(']').raw('}').bytes();
    }

    /**
     * Read every window on its own thread: a hanging app then delays no other. A window that keeps
     * sending is awaited until the budget is nearly used up.
     */
    private static List<Walk> walk(Job job, List<Window> windows) {
        double last = job.deadline - TELLING_MS;
        if (last <= job.device.clock().now()) {
            // Too short a budget for a partial window: all nodes in time, or none.
            last = Double.POSITIVE_INFINITY;
        }
        List<Walk> walks = new ArrayList<Walk>();
        for (Window window : windows) {
            Walk walk = new Walk(job, window, last);
            walks.add(walk);
            job.fork(walk);
        }
        boolean going = true;
        while (going) {
            int mark = job.mark();
            double until = Double.NEGATIVE_INFINITY;
            for (Walk walk : walks) {
                until = Math.max(until, walk.patience());
            }
            double now = job.device.clock().now();
            going = now < until;
            if (going) {
                // A window that sends nothing now may have sent something by then.
                job.await(mark, now < last ? Math.min(until, last) : until);
            }
        }
        for (Walk walk : walks) {
            walk.tree.close(walk.isDone());
        }
        return walks;
    }

    private static String owner(Window window, Tree tree) {
        return tree.packageName() == null ? window.packageName : tree.packageName();
    }

    private static Object missing(Window window, String owner, String reason) {
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        values.put("window", window.id);
        values.put("package", owner);
        values.put("reason", reason);
        return values;
    }

    private static Object foreground(Foreground foreground) {
        if (foreground == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        values.put("package", foreground.packageName);
        values.put("activity", foreground.activity);
        values.put("user", foreground.user);
        return values;
    }

    private static void write(JsonWriter writer, Window window, Tree tree) {
        writer.raw('{').text("id").raw(':').number(window.id);
        writer.raw(',').text("type").raw(':').text(window.type);
        writer.raw(',').text("package").raw(':').text(owner(window, tree));
        writer.raw(',').text("title").raw(':').text(window.title);
        writer.raw(',').text("layer").raw(':').number(window.layer);
        writer.raw(',').text("focused").raw(':').value(window.focused);
        writer.raw(',').text("nodes").raw(':').raw('[');
        boolean first = true;
        for (Node node : tree.nodes()) {
            if (!first) {
                writer.raw(',');
            }
            first = false;
            writer.raw('[').number(node.depth).raw(',').number(node.index);
            writer.raw(',').text(node.key).raw(',').text(node.className);
            writer.raw(',').text(node.text).raw(',').text(node.description);
            writer.raw(',').text(node.resourceId);
            writer.raw(',').number(node.left).raw(',').number(node.top);
            writer.raw(',').number(node.right).raw(',').number(node.bottom);
            writer.raw(',').number(node.flags);
            writer.raw(',').number(node.drawingOrder).raw(']');
            checkSize(writer);
        }
        writer.raw(']').raw(',').text("items").raw(':').raw('[');
        first = true;
        for (int[] item : tree.items()) {
            if (!first) {
                writer.raw(',');
            }
            first = false;
            writer.raw('[').number(item[0]).raw(',').number(item[1]);
            writer.raw(',').number(item[2]).raw(']');
        }
        writer.raw(']').raw(',').text("details").raw(':').raw('[');
        first = true;
        for (Map.Entry<Integer, Map<String, Object>> told : tree.details().entrySet()) {
            if (!first) {
                writer.raw(',');
            }
            first = false;
            writer.raw('[').number(told.getKey()).raw(',').value(told.getValue()).raw(']');
            checkSize(writer);
        }
        writer.raw(']').raw('}');
    }

    /** While encoding: apps may show more than fits in memory. */
    private static void checkSize(JsonWriter writer) {
        if (writer.size() > Limits.ANSWER) {
            String most = Limits.ANSWER + " bytes.";
            throw new Failure(Code.FAILED, "The screen's texts have more than " + most);
        }
    }

    /** The walk through one window. */
    private static final class Walk implements Runnable {
        final Window window;
        final Tree tree;
        private final Job job;
        private final double last;
        private boolean done;
        private RuntimeException fault;

        /** @param last until when an incomplete window is awaited */
        Walk(Job job, Window window, double last) {
            this.job = job;
            this.window = window;
            this.last = last;
            tree = new Tree(job.device.clock());
        }

        @Override
        public void run() {
            RuntimeException problem = null;
            try {
                job.device.screen().read(window.id, tree);
            } catch (RuntimeException thrown) {
                problem = thrown;
            } catch (Error thrown) {
                // Out of stack, or a class that a vendor's Android does not have: reported by the
                // caller.
                problem = new IllegalStateException(thrown);
            }
            synchronized (this) {
                fault = problem;
                done = true;
            }
            job.wake();
        }

        synchronized boolean isDone() {
            return done;
        }

        /** Until when it is worth waiting for it. */
        double patience() {
            if (isDone()) {
                return Double.NEGATIVE_INFINITY;
            }
            double silent = tree.lastCame() + SILENCE_MS;
            return tree.isEmpty() ? silent : Math.min(silent, last);
        }

        synchronized Tree result() {
            if (fault != null) {
                throw fault;
            }
            return tree;
        }

        Object missing() {
            String reason = isDone() ? "no_root" : "timeout";
            return Screen.missing(window, window.packageName, reason);
        }
    }
}
