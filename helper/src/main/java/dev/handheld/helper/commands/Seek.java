package dev.handheld.helper.commands;

import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.List;
import java.util.Map;

/** Scrolls a list until a view is visible in it. */
final class Seek extends Command {
    private static final long MOST_PAGES = 50;
    /** How long a scroll may take to begin, and how long a page may move on. */
    private static final long SETTLE_MS = 300;
    /** Settled: no change for this long. Apps report changes 100 ms apart. */
    private static final long QUIET_MS = 120;
    /** How long a jump may take: a ListView scrolls there, row by row. */
    private static final long JUMP_MS = 20_000;

    Seek() {
        super("seek", Lane.TOUCH, true, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(
                with,
                "key",
                "expect",
                "anchor",
                "wanted",
                "beside",
                "row",
                "column",
                "forward",
                "pages");
        Target.check(with);
        Target.checkLooks(with.get("wanted"), "wanted", true);
        if (with.get("beside") != null) {
            Target.checkLooks(with.get("beside"), "beside", false);
        }
        if (with.get("row") != null || with.get("column") != null) {
            Arguments.whole(with.get("row"), "row", Integer.MAX_VALUE);
            Arguments.whole(with.get("column"), "column", Integer.MAX_VALUE);
        }
        if (!(with.get("forward") instanceof Boolean)) {
            throw Arguments.bad("`forward` is not true or false.");
        }
        Arguments.whole(with.get("pages"), "pages", MOST_PAGES);
    }

    @Override
    public Answer run(Job job) {
        Nodes nodes = job.device.nodes();
        String key = (String) job.with.get("key");
        if (!Target.find(nodes, job.with).is(Node.SCROLLABLE)) {
            throw new Failure(Code.NOT_ACTIONABLE, "The view does not scroll.");
        }
        long before = job.device.screen().changes();
        if (job.with.get("row") != null
                && nodes.scrollTo(key, number(job, "row"), number(job, "column"))) {
            job.happened(Happened.PARTLY);
            return answer(true, 1, arrives(job, before), false);
        }
        boolean forward = (Boolean) job.with.get("forward");
        Nodes.Action action =
                forward ? Nodes.Action.SCROLL_FORWARD : Nodes.Action.SCROLL_BACKWARD;
        int scrolls = 0;
        boolean found = false;
        boolean end = false;
        while (scrolls < number(job, "pages") && !found && !end) {
            before = job.device.screen().changes();
            end = !nodes.perform(key, action);
            if (!end) {
                job.happened(Happened.PARTLY);
                scrolls++;
                end = !settles(job, before);
                found = shows(job);
            }
        }
        return answer(false, scrolls, found, end);
    }

    private static int number(Job job, String name) {
        return ((Long) job.with.get(name)).intValue();
    }

    private static Answer answer(boolean jumped, int scrolls, boolean found, boolean end) {
        return Answer.of("jumped", jumped)
                .and("scrolls", scrolls)
                .and("found", found)
                .and("end", end);
    }

    /** Wait for the end of a jump; return whether the view is visible then. */
    private static boolean arrives(Job job, long before) {
        double until = job.device.clock().now() + JUMP_MS;
        long seen = before;
        while (settles(job, seen) && job.device.clock().now() < until) {
            if (shows(job)) {
                return true;
            }
            seen = job.device.screen().changes();
        }
        return shows(job);
    }

    /** Wait until nothing moves any more, but not long; return whether anything did. */
    private static boolean settles(Job job, long before) {
        long last = before;
        long seq = Changed.await(job, before, SETTLE_MS);
        boolean moved = seq > before;
        double until = job.device.clock().now() + SETTLE_MS;
        while (seq > last && job.device.clock().now() < until) {
            last = seq;
            seq = Changed.await(job, seq, QUIET_MS);
        }
        return moved;
    }

    /** Whether the wanted view is visible in the list, and the one beside it is there. */
    private static boolean shows(Job job) {
        String key = (String) job.with.get("key");
        Map<String, Object> wanted = Arguments.map(job.with.get("wanted"));
        Object beside = job.with.get("beside");
        boolean found = false;
        boolean accompanied = beside == null;
        List<Node> nodes = Screen.nodes(job, Integer.parseInt(key.substring(0, key.indexOf(':'))));
        int list = -1;
        for (Node node : nodes) {
            if (list < 0) {
                list = node.key.equals(key) ? node.depth : -1;
                continue;
            }
            if (node.depth <= list) {
                break;
            }
            Object only = wanted.get("key");
            found |=
                    node.is(Node.VISIBLE)
                            && (only == null || only.equals(node.key))
                            && Target.looksLike(node, wanted);
            accompanied |= beside != null && Target.looksLike(node, Arguments.map(beside));
        }
        return found && accompanied;
    }
}
