package dev.handheld.helper.device;

import java.util.ArrayList;
import java.util.List;

/**
 * What has come of a window so far. One thread walks through the window and adds to it; another may
 * close it at any time and tell what is there. A part in pre-order is a tree, too.
 */
public final class Tree {
    private final Clock clock;
    private final List<Node> nodes = new ArrayList<Node>();
    private String packageName;
    private double lastCame;
    private boolean incomplete;
    private boolean closed;
    private boolean cut;

    public Tree(Clock clock) {
        this.clock = clock;
        lastCame = clock.now();
    }

    // For who walks

    /** Whether more is of use: looked at before each view that is asked for. */
    public synchronized boolean isWanted() {
        return !closed;
    }

    /** The next in pre-order, the root first, with the package that the root is of. */
    public synchronized void add(Node node, String owner) {
        if (!closed) {
            if (nodes.isEmpty()) {
                packageName = owner;
            }
            nodes.add(node);
            lastCame = clock.now();
        }
    }

    /** Some of it does not come: a child that stayed null also without prefetching. */
    public synchronized void leaveOut() {
        incomplete = true;
    }

    // For who tells

    /** Nothing is added from here on, whether or not the way through the window is over. */
    public synchronized void close(boolean over) {
        closed = true;
        cut = !over;
    }

    /** Whether more might have come. */
    public synchronized boolean isCut() {
        return cut;
    }

    public synchronized boolean isEmpty() {
        return nodes.isEmpty();
    }

    /** When the last view came; before the first when it was begun. */
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

    /** Once it is closed. */
    public synchronized List<Node> nodes() {
        return nodes;
    }
}
