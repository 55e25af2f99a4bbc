package dev.handheld.helper.commands;

import dev.handheld.helper.device.Clock;
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
import dev.handheld.helper.protocol.Text;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Types into a field. The text is spliced in, character by character or, without a delay, as a
 * whole: the field's text is read, set again with the new part in it, and the cursor is put behind
 * that part. The content of a password field cannot be read, so there each character is injected at
 * the cursor.
 */
final class Type extends Command {
    private static final int LONGEST = 2000;
    private static final int LONGEST_AT_ONCE = 100_000;
    private static final int LONGEST_SEARCH = 10_000;
    private static final int LONGEST_DELAY_MS = 5000;
    /** How long a field may take to get the focus. */
    private static final double FOCUS_MS = 500;
    private static final double LOOK_MS = 50;

    private final Random pace = new Random();

    Type() {
        super("type", Lane.TOUCH, true, true);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(
                with, "key", "expect", "anchor", "where", "text", "delay_ms", "variance_ms");
        Target.check(with);
        Arguments.whole(with.get("delay_ms"), "delay_ms", LONGEST_DELAY_MS);
        Arguments.whole(with.get("variance_ms"), "variance_ms", LONGEST_DELAY_MS);
        int longest = (Long) with.get("delay_ms") > 0 ? LONGEST : LONGEST_AT_ONCE;
        if (!isText(with.get("text"), longest)) {
            String most = longest + " UTF-16 units.";
            throw Arguments.bad("`text` is not a string of at most " + most);
        }
        if (!isPlace(with.get("where"))) {
            throw Arguments.bad("`where` is not end, all, cursor, {offset} or {search}.");
        }
    }

    private static boolean isText(Object value, int most) {
        return value instanceof String && ((String) value).length() <= most;
    }

    private static boolean isPlace(Object where) {
        if (!(where instanceof Map)) {
            return "end".equals(where) || "all".equals(where) || "cursor".equals(where);
        }
        Map<String, Object> named = Arguments.map(where);
        if (named.size() != 1) {
            return false;
        }
        Object search = named.get("search");
        if (search != null) {
            return isText(search, LONGEST_SEARCH) && !((String) search).isEmpty();
        }
        Object offset = named.get("offset");
        boolean huge = offset instanceof java.math.BigInteger;
        return huge ? ((Number) offset).doubleValue() > 0 : isOffset(offset);
    }

    private static boolean isOffset(Object offset) {
        return offset instanceof Long && (Long) offset >= 0;
    }

    @Override
    public Answer run(Job job) {
        Node node = Target.find(job.device.nodes(), job.with);
        if (!node.is(Node.EDITABLE)) {
            throw new Failure(Code.NOT_EDITABLE, "The view is no field to type in.");
        }
        Field field = new Field(job, node);
        String text = (String) job.with.get("text");
        String content = Field.content(node);
        boolean password = field.password;
        int[] span = span(job, field, content);
        if (span[0] == span[1] && text.isEmpty()) {
            // Nothing to do: the field is not even touched.
            return result(content, 0, 0, password, true).with(window(job, field.key));
        }
        focus(job, field);
        content = field.read();
        if (content == null) {
            throw lost(0);
        }
        // Computed again: the content may change when the field gets the focus.
        span = span(job, field, content);
        int removed = span[1] - span[0];
        if (removed > 0) {
            remove(field, content, span);
        } else if (password && !content.isEmpty() && !field.select(span[0])) {
            String message = "The cursor could not be put there.";
            throw new Failure(Code.FAILED, message, Happened.PARTLY);
        }
        int typed = type(job, field, content.length() - span[1]);
        String shown = field.read();
        if (shown == null) {
            return result(null, typed, removed, password, null);
        }
        String expected = content.substring(0, span[0]) + text + content.substring(span[1]);
        boolean same = field.isSame(expected, shown);
        return result(shown, typed, removed, password, same).with(window(job, field.key));
    }

    /** The field's window as it is now. The typing has succeeded, whether or not this arrives. */
    private static byte[] window(Job job, String key) {
        if (job.readsScreen()) {
            return new byte[0];
        }
        try {
            return Screen.encode(job, Integer.parseInt(key.substring(0, key.indexOf(':'))));
        } catch (RuntimeException problem) {
            return new byte[0];
        }
    }

    private static Answer result(
            String content, int typed, int removed, boolean password, Boolean matches) {
        return Answer.of("content", content)
                .and("typed", typed)
                .and("removed", removed)
                .and("password", password)
                .and("matches", matches);
    }

    /** Return the part of the content that the text replaces. */
    private static int[] span(Job job, Field field, String content) {
        Object where = job.with.get("where");
        int length = content.length();
        if ("cursor".equals(where)) {
            int[] selection = field.selection(content);
            return selection != null ? selection : new int[] {length, length};
        }
        if ("end".equals(where)) {
            return new int[] {length, length};
        }
        if ("all".equals(where)) {
            return new int[] {0, length};
        }
        String search = (String) Arguments.map(where).get("search");
        if (search != null) {
            // A password is read as bullets: nothing can be found in it.
            int start = field.password ? -1 : Text.mend(content).indexOf(search);
            if (start < 0) {
                String message = "The text that was to be replaced is not in the field.";
                throw new Failure(Code.TEXT_NOT_FOUND, message).with("password", field.password);
            }
            return new int[] {start, start + search.length()};
        }
        Number offset = (Number) Arguments.map(where).get("offset");
        int place = place(job, content, offset.doubleValue());
        return new int[] {place, place};
    }

    /** Check that an offset is between two characters. */
    private static int place(Job job, String content, double offset) {
        int at = 0;
        for (String character : job.device.phone().characters(content)) {
            int end = at + character.length();
            if (offset > at && offset < end) {
                throw new Failure(Code.OUTSIDE_TEXT, "The offset is inside a character.")
                        .with("length", content.length())
                        .with("before", at)
                        .with("after", end);
            }
            if (offset <= at) {
                break;
            }
            at = end;
        }
        if (at != offset) {
            throw new Failure(Code.OUTSIDE_TEXT, "The offset is beyond the text.")
                    .with("length", content.length());
        }
        return at;
    }

    /**
     * Focus the field with a click, as a tap does. ACTION_FOCUS is only the fallback: it takes the
     * window out of touch mode, Flutter does not know it, and a field that has the focus already
     * answers false.
     */
    private static void focus(Job job, Field field) {
        Nodes nodes = job.device.nodes();
        boolean clicked = nodes.perform(field.key, Nodes.Action.CLICK);
        if (!clicked
                && !field.isFocused()
                && !nodes.perform(field.key, Nodes.Action.FOCUS)) {
            throw new Failure(Code.FAILED, "The field did not accept a click.");
        }
        job.happened(Happened.PARTLY);
        job.report("typed", 0);
        if (getsFocus(job, field)) {
            return;
        }
        boolean asked = clicked && nodes.perform(field.key, Nodes.Action.FOCUS);
        if (!asked || !getsFocus(job, field)) {
            String message = "The field did not get the focus.";
            throw new Failure(Code.NOT_EDITABLE, message, Happened.PARTLY);
        }
    }

    /** Wait for the focus; return whether the field got it in time. */
    private static boolean getsFocus(Job job, Field field) {
        double until = job.device.clock().now() + FOCUS_MS;
        while (!field.isFocused()) {
            if (job.device.clock().now() >= until) {
                return false;
            }
            job.sleep(LOOK_MS);
        }
        return true;
    }

    private static void remove(Field field, String content, int[] span) {
        // A password can only be removed as a whole: the rest would be bullets.
        if (!field.replace(content, span[0], span[1], "") || content.equals(field.read())) {
            String message = "The field did not accept the change.";
            throw new Failure(Code.FAILED, message, Happened.PARTLY);
        }
    }

    private static Failure lost(int typed) {
        String message = "The field was lost after " + typed + " UTF-16 units.";
        return new Failure(Code.FIELD_LOST, message, Happened.PARTLY).with("typed", typed);
    }

    /** The pieces that are typed one at a time. */
    private static List<String> pieces(Job job, boolean password) {
        String text = (String) job.with.get("text");
        boolean whole = !text.isEmpty() && !password && (Long) job.with.get("delay_ms") == 0;
        return whole ? Collections.singletonList(text) : job.device.phone().characters(text);
    }

    /** Type where `rest` units follow; return how many UTF-16 units were typed. */
    private int type(Job job, Field field, int rest) {
        Clock clock = job.device.clock();
        long delay = (Long) job.with.get("delay_ms");
        int variance = (int) Math.min((Long) job.with.get("variance_ms"), delay);
        int typed = 0;
        double due = clock.now();
        for (String character : pieces(job, field.password)) {
            if (typed > 0) {
                due += Math.max(1, delay + pace.nextInt(2 * variance + 1) - variance);
                // Late by more than a character: do not type the rest in a rush.
                due = Math.max(due, clock.now() - delay);
                job.sleepUntil(due);
                job.hold.need();
            }
            boolean taken =
                    field.password ? field.put(character) : field.putBefore(rest, character);
            if (!taken) {
                throw lost(typed);
            }
            typed += character.length();
            job.report("typed", typed);
        }
        return typed;
    }
}
