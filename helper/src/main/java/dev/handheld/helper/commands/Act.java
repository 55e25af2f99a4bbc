package dev.handheld.helper.commands;

import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An action of one view. */
final class Act extends Command {
    private static final List<String> ACTIONS =
            Arrays.asList("click", "long_click", "scroll_forward", "scroll_backward", "focus");

    Act() {
        super("act", Lane.TOUCH, true, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "key", "action", "expect", "anchor");
        Arguments.word(with.get("action"), "action", ACTIONS);
        Target.check(with);
    }

    @Override
    public Answer run(Job job) {
        Nodes nodes = job.device.nodes();
        String name = (String) job.with.get("action");
        Nodes.Action action = Nodes.Action.valueOf(name.toUpperCase(Locale.ROOT));
        Node node = Target.find(nodes, job.with);
        if (!node.is(needed(action))) {
            throw new Failure(Code.NOT_ACTIONABLE, "The view does not offer " + name + ".");
        }
        if (!nodes.perform(node.key, action) && !isDone(nodes, node.key, action)) {
            // A long click may return false from a listener that was called.
            Happened happened =
                    action == Nodes.Action.LONG_CLICK ? Happened.MAYBE : Happened.NO;
            String message = "The view did not accept " + name + ".";
            throw new Failure(Code.FAILED, message, happened);
        }
        return Answer.empty();
    }

    /** Whether it already has the focus: such a view answers false to the action. */
    private static boolean isDone(Nodes nodes, String key, Nodes.Action action) {
        Node now = action == Nodes.Action.FOCUS ? nodes.find(key) : null;
        return now != null && now.is(Node.FOCUSED);
    }

    private static int needed(Nodes.Action action) {
        switch (action) {
            case CLICK:
                return Node.CLICKABLE;
            case LONG_CLICK:
                return Node.LONG_CLICKABLE;
            case FOCUS:
                return Node.FOCUSABLE;
            default:
                return Node.SCROLLABLE;
        }
    }
}
