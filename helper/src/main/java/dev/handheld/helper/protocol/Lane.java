package dev.handheld.helper.protocol;

/** Calls of one lane wait for each other. */
public enum Lane {
    TOUCH(1),
    TREE(1),
    SMS(1),
    /** Calls to apps, which may never answer: they block no other lane. */
    APPS(Limits.WORK_LANE),
    WORK(Limits.WORK_LANE);

    /** How many calls run concurrently. */
    final int width;

    Lane(int width) {
        this.width = width;
    }
}
