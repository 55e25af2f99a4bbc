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

/** Presses a key at the cursor of the focused field. */
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
            // In a password field the key may have had an effect that cannot be seen.
            Happened unseen = field.password ? Happened.MAYBE : Happened.NO;
            job.happened(changed ? Happened.PARTLY : unseen);
            throw new Failure(Code.FAILED, "The field did not take the key.");
        }
        return Answer.empty();
    }

    /**
     * Inject the key in every field. ACTION_IME_ENTER adds no line in a multi-line field, and in
     * others it calls the app's OnEditorActionListener with the action 0 and no event, where the
     * soft keyboard passes the field's action and a key its event: a listener that checks either
     * misses it, and one that does not expect null fails. It is the fallback on phones that refuse
     * keys.
     */
    private static void enter(Job job, Node focused) {
        Nodes nodes = job.device.nodes();
        Field field = new Field(job, focused);
        boolean lines = nodes.isMultiLine(field.key);
        String before = Field.content(focused);
        Happened unseen = Happened.MAYBE;
        try {
            job.device.input().check();
            if (!job.device.input().key(Input.KEYCODE_ENTER, 0)) {
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
        // In single-line fields nothing shows whether Enter had an effect.
        if (lines && field.isSame(before, field.readChanged(before)) && field.isFocused()) {
            job.happened(unseen);
            throw new Failure(Code.FAILED, "The field has no new line.");
        }
    }

    private static boolean enterWithoutKey(Nodes nodes, Field field, boolean lines) {
        return lines ? field.put("\n") : nodes.perform(field.key, Nodes.Action.IME_ENTER);
    }
}
