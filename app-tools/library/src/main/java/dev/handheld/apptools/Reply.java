package dev.handheld.apptools;

import java.util.LinkedHashMap;
import java.util.Map;
import org.json.JSONObject;

/** The reply of a tool that succeeded: a sentence, and the values it declares. */
public final class Reply {
    /** Characters of a message, and of all values as JSON: agents cut or refuse more. */
    static final int LONGEST = 100_000;

    final String message;
    final Map<String, Object> values = new LinkedHashMap<String, Object>();

    private Reply(String message) {
        this.message = message;
    }

    /** A reply with a sentence that says what was done. */
    public static Reply of(String message) {
        return new Reply(message == null ? "" : message);
    }

    /** Adds a value that the tool declares by {@code returns}. */
    public Reply with(String name, Object value) {
        values.put(name, value);
        return this;
    }

    /** The reply as one text: the message, and the values as JSON on a separate line. */
    String text() {
        if (values.isEmpty()) {
            return message;
        }
        String json = new JSONObject(values).toString();
        return message.isEmpty() ? json : message + "\n" + json;
    }
}
