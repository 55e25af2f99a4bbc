package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import java.util.Collections;
import java.util.Map;

/** Runs a command as the helper does, without a host. */
public final class OneCommand {
    private OneCommand() {}

    /** Its reply. */
    public static Map<String, Object> run(
            Device device, Command command, Map<String, Object> with) {
        command.check(with);
        Call call = new Call(1, command, with, Double.POSITIVE_INFINITY, false);
        Job job =
                new Job(
                        device,
                        new Hold(device),
                        new Workers(device, 0),
                        Collections.singletonList(call));
        return command.run(job).reply;
    }
}
