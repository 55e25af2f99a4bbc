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
 * A field reached through its node. Offsets are UTF-16 units.
 *
 * <p>The result of an action is read back from the field, not taken from performAction: Android's
 * own EditText returns false for a cursor that is there already and true for a text that its
 * filters dropped, and Compose and web pages return true before anything has happened.
 */
final class Field {
    /** How long a field may take to show a change. */
    private static final double SHOW_MS = 500;
    /** How long a field may take to read the clipboard. */
    private static final double PASTE_MS = 2000;
    private static final double LOOK_MS = 10;
    /**
     * The end of a node key that belongs to an Android view itself, not to a virtual view in it.
     */
    private static final String OWN_VIEW = ":-1";
    private static final List<String> UNSEEN =
            Arrays.asList(Clipboard.SENSITIVE, Clipboard.NO_OVERLAY, Clipboard.PASSING);

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

    /** Return the content, or null when the field is gone; a hint is not content. */
    String read() {
        Node node = nodes.find(key);
        return node == null ? null : content(node);
    }

    static String content(Node node) {
        return node.is(Node.SHOWING_HINT) || node.text == null ? "" : node.text;
    }

    /** Wait until the content changes, or for a while; return it. */
    String readChanged(String before) {
        return readChanged(before, SHOW_MS);
    }

    private String readChanged(String before, double ms) {
        double until = device.clock().now() + ms;
        String shown = read();
        while (isSame(before, shown) && device.clock().now() < until) {
            job.sleep(LOOK_MS);
            shown = read();
        }
        return shown;
    }

    /** Compare contents; passwords by length, as the last character may be visible briefly. */
    boolean isSame(String one, String other) {
        return other != null && password ? one.length() == other.length() : one.equals(other);
    }

    boolean isFocused() {
        Node node = nodes.find(key);
        return node != null && node.is(Node.FOCUSED);
    }

    /** Put the cursor there; return whether it is there afterwards. */
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

    /** An Android view applies an action immediately; others show it with their next frame. */
    private boolean isOwnView() {
        return key.endsWith(OWN_VIEW);
    }

    private boolean isAt(int place) {
        int[] found = nodes.selection(key);
        return found != null && found[0] == place && found[1] == place;
    }

    /** Start and end of the selection in that content; null when it is gone. */
    int[] selection(String content) {
        int[] found = nodes.selection(key);
        if (found == null) {
            return null;
        }
        int start = placeIn(content, found[0]);
        int end = placeIn(content, found[1]);
        return new int[] {Math.min(start, end), Math.max(start, end)};
    }

    /** The end for an invalid position, as of a field that does not report its cursor. */
    private static int placeIn(String content, int place) {
        boolean none = place < 0 || place > content.length();
        boolean inside =
                !none
                        && place > 0
                        && place < content.length()
                        && Character.isSurrogatePair(
                                content.charAt(place - 1), content.charAt(place));
        return none || inside ? content.length() : place;
    }

    /** Return where the character before a position begins. */
    private int before(String content, int place) {
        List<String> characters = device.phone().characters(content.substring(0, place));
        return characters.isEmpty() ? 0 : place - characters.get(characters.size() - 1).length();
    }

    /**
     * Return the content expected after a character, or after deleting one (""); null if unknown.
     */
    String expected(String text) {
        String content = read();
        int[] selection = content == null ? null : selection(content);
        if (selection == null) {
            return null;
        }
        int start = selection[0];
        if (text.isEmpty() && start == selection[1]) {
            if (password && start > 0) {
                return null; // bullets hide how long the character is
            }
            start = before(content, start);
        }
        return content.substring(0, start) + text + content.substring(selection[1]);
    }

    /** Replace the selection with the text. False when the field did not take it. */
    boolean put(String text) {
        if (!password) {
            return splice(text);
        }
        String before = read();
        // Injected input goes to whatever has the focus: a password must reach only its own field.
        if (before == null || !isFocused()) {
            return false;
        }
        device.input().check();
        boolean taken = device.input().type(text) || paste(text, before);
        job.happened(Happened.PARTLY);
        // A keyboard that handles the keys itself passes the text on asynchronously.
        return !isSame(before, readChanged(before)) || taken;
    }

    /**
     * Paste characters that have no key: as a sensitive clip, then restore the clipboard. Web pages
     * and Flutter accept the action first and read the clipboard later: what was there before would
     * go into the field.
     */
    private boolean paste(String text, String before) {
        Clipboard clipboard = device.clipboard();
        Object kept = clipboard.keep();
        clipboard.set(text, UNSEEN);
        try {
            boolean accepted = nodes.perform(key, Nodes.Action.PASTE);
            if (accepted) {
                job.happened(Happened.PARTLY);
                readChanged(before, PASTE_MS);
            }
            return accepted;
        } finally {
            clipboard.putBack(kept);
        }
    }

    /** Delete the selection, or the character before the cursor. */
    boolean delete() {
        if (!password) {
            return splice("");
        }
        String before = read();
        device.input().check();
        boolean taken = device.input().key(Input.KEYCODE_DEL, 0);
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
     * Insert the text where `rest` units follow. The cursor is not used: setting a text moves it,
     * and some fields do not report it. False when the field did not take it.
     */
    boolean putBefore(int rest, String text) {
        String content = read();
        if (content == null) {
            return false;
        }
        int place = Math.max(0, content.length() - rest);
        return replace(content, place, place, text);
    }

    /** Replace a part of the content and put the cursor behind the new part. False as with put. */
    boolean replace(String content, int start, int end, String text) {
        String wanted = content.substring(0, start) + text + content.substring(end);
        boolean accepted = nodes.setText(key, wanted);
        job.happened(Happened.PARTLY);
        // Setting the cursor before the text is shown would bring the old text back in Compose.
        String shown = isOwnView() ? read() : readChanged(content);
        if (shown == null) {
            // The field disappeared; it took the text if it accepted the action.
            return accepted;
        }
        boolean changed = !shown.equals(content);
        if (changed || isOwnView()) {
            // Behind the new part, even where the app shortened, changed or refused it: Android's
            // own fields put the cursor at the end.
            select(Math.max(0, shown.length() - (content.length() - end)));
        }
        return accepted || changed;
    }
}
