package dev.handheld.helper.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of a window that has arrived so far. One thread walks through the window and adds to it;
 * another may close it at any time and report it. A prefix in pre-order is a tree, too.
 */
public final class Tree {
    private final Clock clock;
    private final List<Node> nodes = new ArrayList<Node>();
    private final List<int[]> items = new ArrayList<int[]>();
    private final Map<Integer, Map<String, Object>> details =
            new LinkedHashMap<Integer, Map<String, Object>>();
    private String packageName;
    private double lastCame;
    private boolean incomplete;
    private boolean closed;
    private boolean cut;

    public Tree(Clock clock) {
        this.clock = clock;
        lastCame = clock.now();
    }

    // Used by the walking thread

    /** Whether more is useful: checked before each view is requested. */
    public synchronized boolean isWanted() {
        return !closed;
    }

    /** Add the next view in pre-order, the root first, with the root's package. */
    public synchronized void add(Node node, String owner) {
        if (!closed) {
            if (nodes.isEmpty()) {
                packageName = owner;
            }
            nodes.add(node);
            lastCame = clock.now();
        }
    }

    /** Make the view that was added last an item of a list, in that row and column. */
    public synchronized void isItem(int row, int column) {
        if (!closed) {
            items.add(new int[] {nodes.size() - 1, row, column});
        }
    }

    /** Add details of the view that was added last, in the form of the protocol. */
    public synchronized void tell(Map<String, Object> told) {
        if (!closed) {
            details.put(nodes.size() - 1, told);
        }
    }

    /** Note that a part does not arrive: a child stayed null even without prefetching. */
    public synchronized void leaveOut() {
        incomplete = true;
    }

    // Used by the reporting thread

    /** Add nothing from here on, whether or not the walk is complete. */
    public synchronized void close(boolean over) {
        closed = true;
        cut = !over;
    }

    /** Whether more might have arrived. */
    public synchronized boolean isCut() {
        return cut;
    }

    public synchronized boolean isEmpty() {
        return nodes.isEmpty();
    }

    /** When the last view arrived; before the first, when the walk began. */
    public synchronized double lastCame() {
        return lastCame;
    }

    public synchronized boolean isIncomplete() {
        return incomplete || cut;
    }

    /** The root's package. */
    public synchronized String packageName() {
        return packageName;
    }

    /** Of a closed tree: the position in {@link #nodes} of each item, its row and its column. */
    public synchronized List<int[]> items() {
        return items;
    }

    /** Of a closed tree, by the position in {@link #nodes}. */
    public synchronized Map<Integer, Map<String, Object>> details() {
        return details;
    }

    /** Of a closed tree. */
    public synchronized List<Node> nodes() {
        return nodes;
    }
}
