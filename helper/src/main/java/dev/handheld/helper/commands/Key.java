package dev.handheld.helper.commands;

import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A key at the cursor of the field that has the focus. */
final class Key extends Command {
    private static final List<String> KEYS = Arrays.asList("enter", "del", "tab", "space");

    Key() {
        super("key", Lane.TOUCH, true, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "key");
        Arguments.word(with.get("key"), "key", KEYS);
    }

    @Override
    public Answer run(Job job) {
        String key = (String) job.with.get("key");
        Node focused = job.device.nodes().focusedField();
        if (focused == null) {
            throw new Failure(Code.NO_FIELD, "No field has the focus.");
        }
        if (key.equals("enter")) {
            enter(job, focused);
            return Answer.empty();
        }
        Field field = new Field(job.device, focused.key);
        String text = key.equals("del") ? "" : key.equals("tab") ? "\t" : " ";
        String expected = field.expected(text);
        boolean accepted = text.isEmpty() ? field.delete() : field.put(text);
        String shown = field.read();
        boolean other = shown != null && expected != null && !shown.equals(expected);
        if (!accepted || other) {
            throw new Failure(Code.FAILED, "The field did not take the key.");
        }
        return Answer.empty();
    }

    private static void enter(Job job, Node field) {
        if (job.device.nodes().perform(field.key, Nodes.Action.IME_ENTER)) {
            return;
        }
        job.device.input().check();
        if (!job.device.input().key(Input.KEYCODE_ENTER)) {
            throw new Failure(Code.FAILED, "No window took the key.");
        }
    }
}
