package dev.handheld.helper.commands;

import dev.handheld.helper.device.Node;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Text;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The target of a call, after checking its signature and its anchor's. */
final class Target {
    private static final List<String> LOOKS =
            Arrays.asList("class", "resource_id", "description", "text");

    private Target() {}

    static void check(Map<String, Object> with) {
        Arguments.text(with.get("key"), "key");
        checkLooks(with.get("expect"), "expect", false);
        Object anchor = with.get("anchor");
        if (anchor != null) {
            checkLooks(anchor, "anchor", true);
            Arguments.text(Arguments.map(anchor).get("key"), "anchor.key");
        }
    }

    static void checkLooks(Object value, String name, boolean keyed) {
        if (!(value instanceof Map)) {
            throw Arguments.bad("`" + name + "` is not an object.");
        }
        for (Map.Entry<String, Object> look : Arguments.map(value).entrySet()) {
            boolean known = LOOKS.contains(look.getKey()) || keyed && look.getKey().equals("key");
            if (!known) {
                String all = Arguments.list(LOOKS) + (keyed ? ", key" : "");
                throw Arguments.bad("`" + name + "` has keys other than " + all + ".");
            }
            if (look.getValue() != null && !(look.getValue() instanceof String)) {
                throw Arguments.bad("`" + name + "` holds something else than strings.");
            }
        }
    }

    static Node find(Nodes nodes, Map<String, Object> with) {
        Node node = expected(nodes, (String) with.get("key"), Arguments.map(with.get("expect")));
        if (with.get("anchor") != null) {
            Map<String, Object> anchor = Arguments.map(with.get("anchor"));
            expected(nodes, (String) anchor.get("key"), anchor);
        }
        return node;
    }

    private static Node expected(Nodes nodes, String key, Map<String, Object> looks) {
        Node node = nodes.find(key);
        if (node == null) {
            throw new Failure(Code.GONE, "The view is gone.");
        }
        if (!looksLike(node, looks)) {
            throw new Failure(Code.CHANGED, "The view shows something else than expected.");
        }
        return node;
    }

    static boolean looksLike(Node node, Map<String, Object> looks) {
        String[] found = {node.className, node.resourceId, node.description, node.text};
        for (int place = 0; place < found.length; place++) {
            String name = LOOKS.get(place);
            if (looks.containsKey(name) && !same(found[place], (String) looks.get(name))) {
                return false;
            }
        }
        return true;
    }

    /** Compared as sent: characters that the wire cannot carry were replaced. */
    private static boolean same(String found, String wanted) {
        return found == null ? wanted == null : Text.mend(found).equals(wanted);
    }
}
