package dev.handheld.helper.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An ERROR frame as an exception. The device implementation also throws it where the protocol has a
 * code.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public final Code code;
    public final Happened happened;
    private final transient Map<String, Object> data = new LinkedHashMap<String, Object>();

    public Failure(Code code, String message) {
        this(code, message, Happened.NO);
    }

    public Failure(Code code, String message, Happened happened) {
        // An answer, not a bug: nobody needs its stack trace.
        super(message, null, false, false);
        this.code = code;
        this.happened = happened;
    }

    /** Additional data of the error. */
    public Failure with(String name, Object value) {
        data.put(name, value);
        return this;
    }

    public Map<String, Object> data() {
        return data;
    }

    /** A refusal in the middle of a gesture does not undo what was done before it. */
    Failure after(Happened done) {
        if (happened != Happened.NO || done == Happened.NO) {
            return this;
        }
        Failure truer = new Failure(code, getMessage(), done);
        truer.data.putAll(data);
        return truer;
    }

    /** The payload of the ERROR frame. */
    byte[] encode() {
        return JsonWriter.bytes(values());
    }

    Map<String, Object> values() {
        Map<String, Object> value = new LinkedHashMap<String, Object>();
        value.put("code", code.word());
        value.put("message", getMessage());
        value.put("happened", happened.word());
        if (!data.isEmpty()) {
            value.put("data", data);
        }
        return value;
    }
}
