package dev.handheld.helper.commands;

import dev.handheld.helper.device.Sim;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The active SIMs. */
final class Sims extends Command {
    Sims() {
        super("sims", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with);
    }

    @Override
    public Answer run(Job job) {
        List<Object> sims = new ArrayList<Object>();
        for (Sim sim : job.device.sms().sims()) {
            Map<String, Object> fields = new LinkedHashMap<String, Object>();
            fields.put("id", sim.id);
            fields.put("slot", sim.slot);
            fields.put("display_name", sim.displayName);
            fields.put("carrier_name", sim.carrierName);
            sims.add(fields);
        }
        return Answer.of("sims", sims);
    }
}
