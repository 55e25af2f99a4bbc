package dev.handheld.helper.commands;

import dev.handheld.helper.device.Clipboard;
import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import java.util.Arrays;
import java.util.List;

/**
 * A field as it is reached from outside: by its key, through its node. Offsets are UTF-16 units.
 */
final class Field {
    private static final List<String> UNSEEN =
            Arrays.asList(Clipboard.SENSITIVE, Clipboard.NO_OVERLAY);

    final String key;
    private final Device device;
    private final Nodes nodes;

    Field(Device device, String key) {
        this.device = device;
        this.key = key;
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

    private boolean is(int flag) {
        Node node = nodes.find(key);
        return node != null && node.is(flag);
    }

    boolean isFocused() {
        return is(Node.FOCUSED);
    }

    boolean set(String text) {
        return nodes.setText(key, text);
    }

    boolean select(int place) {
        return nodes.setSelection(key, place, place);
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
        Node node = nodes.find(key);
        String content = node == null ? "" : content(node);
        int[] selection = selection(content);
        if (selection == null) {
            return null;
        }
        boolean password = node != null && node.is(Node.PASSWORD);
        int start = selection[0];
        if (text.isEmpty() && start == selection[1]) {
            if (password && start > 0) {
                return null; // how long a character is hidden behind bullets
            }
            start = before(content, start);
        }
        StringBuilder shown = new StringBuilder(content.substring(0, start));
        for (int place = 0; place < text.length(); place++) {
            shown.append(password ? '•' : text.charAt(place));
        }
        return shown.append(content.substring(selection[1])).toString();
    }

    /** At the cursor, in place of what is selected. False when the field is gone. */
    boolean put(String text) {
        if (!is(Node.PASSWORD)) {
            return splice(text);
        }
        // Input goes to whatever has the focus: a password to nothing else than its field.
        if (!isFocused()) {
            return false;
        }
        device.input().check();
        return device.input().type(text) || paste(text);
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
        if (!is(Node.PASSWORD)) {
            return splice("");
        }
        device.input().check();
        return device.input().key(Input.KEYCODE_DEL);
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
        if (start == end && text.isEmpty()) {
            return true;
        }
        int rest = content.length() - end;
        if (!set(content.substring(0, start) + text + content.substring(end))) {
            return false;
        }
        // Behind what went in, also where the app took less or made something else of it.
        // A field that is gone by now took it all the same.
        String shown = read();
        return shown == null || select(Math.max(0, shown.length() - rest));
    }
}
