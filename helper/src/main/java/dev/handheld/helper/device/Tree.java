package dev.handheld.helper.device;

import java.util.List;

/** What is in a window. */
public final class Tree {
    /** The root's package. */
    public final String packageName;
    /** In pre-order, the root first. */
    public final List<Node> nodes;
    /** Whether some of it did not come: a child that stayed null also without prefetching. */
    public final boolean incomplete;

    public Tree(String packageName, List<Node> nodes, boolean incomplete) {
        this.packageName = packageName;
        this.nodes = nodes;
        this.incomplete = incomplete;
    }
}
