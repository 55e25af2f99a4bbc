package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import java.util.Collections;

/** Jobs for tests of what commands are made of. */
public final class Jobs {
    private Jobs() {}

    /** Of a call without arguments, that never runs out of time. */
    public static Job on(Device device) {
        Call call =
                new Call(
                        1,
                        null,
                        Collections.<String, Object>emptyMap(),
                        Double.POSITIVE_INFINITY,
                        false);
        return new Job(device, new Hold(device), null, Collections.singletonList(call));
    }
}
