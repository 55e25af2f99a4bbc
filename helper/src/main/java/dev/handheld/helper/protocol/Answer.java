package dev.handheld.helper.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The result of a command: the REPLY and the DATA before it. */
public final class Answer {
    private static final byte[] NOTHING = new byte[0];

    final Map<String, Object> reply;
    final byte[] data;

    Answer(Map<String, Object> reply, byte[] data) {
        this.reply = reply;
        this.data = data;
    }

    public static Answer empty() {
        return new Answer(Collections.<String, Object>emptyMap(), NOTHING);
    }

    public static Answer of(String name, Object value) {
        return new Answer(new LinkedHashMap<String, Object>(), NOTHING).and(name, value);
    }

    /** Add a field to the REPLY. */
    public Answer and(String name, Object value) {
        reply.put(name, value);
        return this;
    }

    /** Send these bytes before it. */
    public Answer with(byte[] bytes) {
        return new Answer(reply, bytes);
    }
}
