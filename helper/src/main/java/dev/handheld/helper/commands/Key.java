package dev.handheld.helper.commands;

import dev.handheld.helper.device.Input;
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
        Field field = new Field(job, focused);
        String before = Field.content(focused);
        String text = key.equals("del") ? "" : key.equals("tab") ? "\t" : " ";
        String expected = field.expected(text);
        boolean accepted = text.isEmpty() ? field.delete() : field.put(text);
        String shown = field.read();
        if (shown == null && accepted) {
            return Answer.empty();
        }
        boolean changed = shown != null && !field.isSame(before, shown);
        if (shown == null || (expected == null ? !changed : !field.isSame(expected, shown))) {
            // What was pressed in a password may have done something else.
            Happened unseen = field.password ? Happened.MAYBE : Happened.NO;
            job.happened(changed ? Happened.PARTLY : unseen);
            throw new Failure(Code.FAILED, "The field did not take the key.");
        }
        return Answer.empty();
    }

    /**
     * The key, in every field. ACTION_IME_ENTER adds no line in a field that has several, and in
     * others calls the app's OnEditorActionListener with the action 0 and no event, where the
     * keyboard on the screen gives the field's action and a key its event: a listener that looks
     * at either misses it, and one that does not expect null fails with it. It is what is left on
     * phones that refuse keys.
     */
    private static void enter(Job job, Node focused) {
        Nodes nodes = job.device.nodes();
        Field field = new Field(job, focused);
        boolean lines = nodes.isMultiLine(field.key);
        String before = Field.content(focused);
        Happened unseen = Happened.MAYBE;
        try {
            job.device.input().check();
            if (!job.device.input().key(Input.KEYCODE_ENTER)) {
                throw new Failure(Code.FAILED, "No window took the key.");
            }
        } catch (Failure refusal) {
            if (refusal.code != Code.INPUT_REFUSED || !enterWithoutKey(nodes, field, lines)) {
                job.happened(Happened.NO);
                throw refusal;
            }
            unseen = Happened.NO;
        }
        job.happened(Happened.MAYBE);
        // In other fields nothing tells whether Enter did something.
        if (lines && field.isSame(before, field.readChanged(before)) && field.isFocused()) {
            job.happened(unseen);
            throw new Failure(Code.FAILED, "The field has no new line.");
        }
    }

    private static boolean enterWithoutKey(Nodes nodes, Field field, boolean lines) {
        return lines ? field.put("\n") : nodes.perform(field.key, Nodes.Action.IME_ENTER);
    }
}
