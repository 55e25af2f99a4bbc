package dev.handheld.helper.commands;

import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import java.util.Arrays;
import java.util.List;

/**
 * A field as it is reached from outside: by its key, through its node. Offsets are UTF-16 units.
 *
 * <p>What became of an action is read from the field, not taken from what performAction returns:
 * Android's own EditText returns false for a cursor that is there already and true for a text that
 * its filters dropped, and Compose and web pages return true before anything has happened.
 */
final class Field {
    /** How long a field may take to show what was done to it. */
    private static final double SHOW_MS = 500;
    private static final double LOOK_MS = 10;
    /** How the key of a view ends that is one of Android's own, not one drawn inside of a view. */
    private static final String OWN_VIEW = ":-1";
    private static final List<String> UNSEEN =
            Arrays.asList(Clipboard.SENSITIVE, Clipboard.NO_OVERLAY);

    final String key;
    final boolean password;
    private final Job job;
    private final Device device;
    private final Nodes nodes;

    Field(Job job, Node node) {
        this.job = job;
        key = node.key;
        password = node.is(Node.PASSWORD);
        device = job.device;
        nodes = device.nodes();
    }

    /** What it holds, a hint not being content; null when it is gone. */
    String read() {
        Node node = nodes.find(key);
        return node == null ? null : content(node);
    }

    static String content(Node node) {
        return node.is(Node.SHOWING_HINT) || node.text == null ? "" : node.text;
    }

    /** What it holds once that is something else than before, or after a while. */
    String readChanged(String before) {
        double until = device.clock().now() + SHOW_MS;
        String shown = read();
        while (isSame(before, shown) && device.clock().now() < until) {
            job.sleep(LOOK_MS);
            shown = read();
        }
        return shown;
    }

    /** Of a password by its length: its last character may be seen for a moment. */
    boolean isSame(String one, String other) {
        return other != null && password ? one.length() == other.length() : one.equals(other);
    }

    boolean isFocused() {
        Node node = nodes.find(key);
        return node != null && node.is(Node.FOCUSED);
    }

    /** Put the cursor there; whether that is where it is then. */
    boolean select(int place) {
        if (isAt(place)) {
            return true;
        }
        nodes.setSelection(key, place, place);
        double until = device.clock().now() + (isOwnView() ? 0 : SHOW_MS);
        while (!isAt(place)) {
            if (device.clock().now() >= until) {
                return false;
            }
            job.sleep(LOOK_MS);
        }
        return true;
    }

    /** One that has done by now what it was told to; others show it with their next frame. */
    private boolean isOwnView() {
        return key.endsWith(OWN_VIEW);
    }

    private boolean isAt(int place) {
        int[] found = nodes.selection(key);
        return found != null && found[0] == place && found[1] == place;
    }

    /** Start and end of the selection in that content; null when it is gone. */
    private int[] selection(String content) {
        int[] found = nodes.selection(key);
        if (found == null) {
            return null;
        }
        int start = placeIn(content, found[0]);
        int end = placeIn(content, found[1]);
        return new int[] {Math.min(start, end), Math.max(start, end)};
    }

    /** The start for a place that is none, as when nothing is selected. */
    private static int placeIn(String content, int place) {
        boolean none = place < 0 || place > content.length();
        boolean inside =
                !none
                        && place > 0
                        && place < content.length()
                        && Character.isSurrogatePair(
                                content.charAt(place - 1), content.charAt(place));
        return none || inside ? 0 : place;
    }

    /** Where the character before a place begins. */
    private int before(String content, int place) {
        List<String> characters = device.phone().characters(content.substring(0, place));
        return characters.isEmpty() ? 0 : place - characters.get(characters.size() - 1).length();
    }

    /** What it will show after a character, or after deleting one (""); null if none can know. */
    String expected(String text) {
        String content = read();
        int[] selection = content == null ? null : selection(content);
        if (selection == null) {
            return null;
        }
        int start = selection[0];
        if (text.isEmpty() && start == selection[1]) {
            if (password && start > 0) {
                return null; // how long a character is hidden behind bullets
            }
            start = before(content, start);
        }
        return content.substring(0, start) + text + content.substring(selection[1]);
    }

    /** At the cursor, in place of what is selected. False when the field did not take it. */
    boolean put(String text) {
        if (!password) {
            return splice(text);
        }
        String before = read();
        // Input goes to whatever has the focus: a password to nothing else than its field.
        if (before == null || !isFocused()) {
            return false;
        }
        device.input().check();
        boolean taken = device.input().type(text) || paste(text);
        job.happened(Happened.PARTLY);
        // A keyboard that takes the keys itself hands the text on in its own time.
        return !isSame(before, readChanged(before)) || taken;
    }

    /** What has no key goes by the clipboard, flagged, and what was there comes back. */
    private boolean paste(String text) {
        Clipboard clipboard = device.clipboard();
        Object kept = clipboard.keep();
        clipboard.set(text, UNSEEN);
        try {
            return nodes.perform(key, Nodes.Action.PASTE);
        } finally {
            clipboard.putBack(kept);
        }
    }

    /** What is selected, or the character before the cursor. */
    boolean delete() {
        if (!password) {
            return splice("");
        }
        String before = read();
        device.input().check();
        boolean taken = device.input().key(Input.KEYCODE_DEL);
        job.happened(Happened.PARTLY);
        if (before != null && !before.isEmpty()) {
            readChanged(before);
        }
        return taken;
    }

    private boolean splice(String text) {
        String content = read();
        int[] selection = content == null ? null : selection(content);
        if (selection == null) {
            return false;
        }
        int start = selection[0];
        int end = selection[1];
        if (text.isEmpty() && start == end) {
            start = before(content, start);
        }
        return start == end && text.isEmpty() || replace(content, start, end, text);
    }

    /**
     * Where so many units follow, wherever the cursor is: setting a text moves it, and some fields
     * do not say where it is. False when the field did not take it.
     */
    boolean putBefore(int rest, String text) {
        String content = read();
        if (content == null) {
            return false;
        }
        int place = Math.max(0, content.length() - rest);
        return replace(content, place, place, text);
    }

    /** Part of what it holds by something else, the cursor behind it. False as with put. */
    boolean replace(String content, int start, int end, String text) {
        String wanted = content.substring(0, start) + text + content.substring(end);
        boolean accepted = nodes.setText(key, wanted);
        job.happened(Happened.PARTLY);
        // To set the cursor before the text is shown would bring the old text back in Compose.
        String shown = isOwnView() ? read() : readChanged(content);
        if (shown == null) {
            // A field that is gone by now took it all the same.
            return accepted;
        }
        boolean changed = !shown.equals(content);
        if (changed || isOwnView()) {
            // Behind what went in, also where the app took less or made something else of it, or
            // nothing: Android's own fields have put the cursor at the end.
            select(Math.max(0, shown.length() - (content.length() - end)));
        }
        return accepted || changed;
    }
}
