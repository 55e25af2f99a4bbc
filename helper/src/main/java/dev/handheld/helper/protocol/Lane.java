package dev.handheld.helper.protocol;

/** Who waits for whom. */
public enum Lane {
    TOUCH(1),
    TREE(1),
    SMS(1),
    /** Calls to apps, which may never answer: they keep nothing else waiting. */
    APPS(Limits.WORK_LANE),
    WORK(Limits.WORK_LANE);

    /** How many calls run at once. */
    final int width;

    Lane(int width) {
        this.width = width;
    }
}
