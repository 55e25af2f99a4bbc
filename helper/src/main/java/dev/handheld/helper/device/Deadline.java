package dev.handheld.helper.device;

/** Until when something is wanted. Who does it in many steps looks at it between them. */
public final class Deadline {
    private final Clock clock;
    private final double time;

    public Deadline(Clock clock, double time) {
        this.clock = clock;
        this.time = time;
    }

    public boolean isOver() {
        return clock.now() >= time;
    }
}
