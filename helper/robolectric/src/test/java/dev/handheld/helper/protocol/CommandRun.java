package dev.handheld.helper.protocol;

import dev.handheld.helper.commands.Commands;
import dev.handheld.helper.device.Device;
import java.util.Collections;
import java.util.Map;

/** How one of the helper's commands ended, run by itself on a device. */
public final class CommandRun {
    /** Null when it failed. */
    public final Map<String, Object> reply;
    /** `code/happened`; null when it did not fail. */
    public final String failure;

    private CommandRun(Map<String, Object> reply, String failure) {
        this.reply = reply;
        this.failure = failure;
    }

    public static CommandRun of(Device device, String name, Map<String, Object> with) {
        Command command = Commands.all().get(name);
        command.check(with);
        Call call = new Call(1, command, with, Double.POSITIVE_INFINITY, false);
        Job job = new Job(device, new Hold(device), null, Collections.singletonList(call));
        try {
            return new CommandRun(command.run(job).reply, null);
        } catch (Failure failure) {
            // As Calls tells it: what failed in the middle has not undone what was done before.
            Happened said = failure.happened == Happened.NO ? job.happened() : failure.happened;
            return new CommandRun(null, failure.code.word() + "/" + said.word());
        }
    }
}
