package dev.handheld.helper.commands;

import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Handler;
import dev.handheld.helper.device.IntentFields;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sends an intent to exactly the component that takes it now. */
final class Intent extends Command {
    private static final long LAST_FLAGS = Integer.MAX_VALUE;
    /** How long an activity's window is awaited. Some activities have none. */
    private static final double FRONT_MS = 5000;

    Intent() {
        super("intent", Lane.TOUCH, false, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(
                with,
                "type",
                "action",
                "data",
                "mime",
                "package",
                "class",
                "categories",
                "flags",
                "extras");
        IntentArguments.check(with);
        Arguments.whole(with.get("flags"), "flags", LAST_FLAGS);
        IntentArguments.checkExtras(with.get("extras"));
        IntentArguments.checkSize(with);
    }

    @Override
    public Answer run(Job job) {
        IntentFields intent = IntentArguments.read(job.with);
        if (intent.kind == IntentFields.Kind.ACTIVITY && job.device.phone().isLocked()) {
            throw new Failure(Code.LOCKED, "The phone is locked: it would open out of sight.");
        }
        if (intent.packageName != null && job.device.apps().uid(intent.packageName) == null) {
            throw new Failure(Code.NOT_INSTALLED, intent.packageName + " is not installed.");
        }
        List<Handler> found = job.device.intents().find(intent);
        List<Handler> chosen = choose(intent, found);
        switch (intent.kind) {
            case ACTIVITY:
                return open(job, intent.to(chosen.get(0)), chosen);
            case SERVICE:
                job.device.intents().start(intent.to(chosen.get(0)));
                return answer(chosen, 0, null);
            default:
                return broadcast(job, intent, chosen);
        }
    }

    /** The component that receives it without a question to the owner. */
    private static List<Handler> choose(IntentFields intent, List<Handler> found) {
        if (found.isEmpty() && intent.className != null) {
            String message = intent.packageName + " has no " + intent.className + ".";
            throw new Failure(Code.NO_COMPONENT, message).with("installed", true);
        }
        if (found.isEmpty()) {
            throw new Failure(Code.NO_HANDLER, "Nothing takes it.");
        }
        List<Handler> chosen = new ArrayList<Handler>();
        for (Handler handler : found) {
            if (handler.chosen) {
                chosen.add(handler);
            }
        }
        if (chosen.isEmpty()) {
            throw new Failure(Code.SEVERAL_HANDLERS, found.size() + " take it.")
                    .with("handlers", IntentArguments.describe(found))
                    .with("more", IntentArguments.more(found));
        }
        return chosen;
    }

    private static Answer broadcast(Job job, IntentFields intent, List<Handler> receivers) {
        List<Handler> open = new ArrayList<Handler>();
        for (Handler receiver : receivers) {
            if (receiver.denial == null) {
                open.add(receiver);
            }
        }
        if (open.isEmpty()) {
            Handler closed = receivers.get(0);
            throw new Failure(Code.APP_REFUSED, closed.component() + " " + closed.denial)
                    .with("component", closed.component());
        }
        job.device.intents().broadcast(intent);
        return answer(open, 0, null);
    }

    private static Answer open(Job job, IntentFields intent, List<Handler> chosen) {
        int code = job.device.intents().open(intent);
        job.mindBudget(true);
        job.happened(Happened.PARTLY);
        job.device.apps().closePanels(); // it would cover the activity and keep the focus
        double until = Math.min(job.actUntil(), job.device.clock().now() + FRONT_MS);
        Foreground front = Front.await(job, intent.packageName, until);
        return answer(chosen, code, front == null ? null : front.packageName);
    }

    private static Answer answer(List<Handler> takers, int code, String front) {
        List<Object> handlers = IntentArguments.describe(takers);
        return Answer.of("handlers", handlers).and("code", code).and("front", front);
    }
}
