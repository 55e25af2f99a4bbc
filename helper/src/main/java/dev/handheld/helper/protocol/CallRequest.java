package dev.handheld.helper.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/** The content of a CALL frame. */
final class CallRequest {
    final String command;
    final Map<String, Object> with;
    final long budgetMs;
    final boolean wake;
    /** Null without one. */
    final Rest then;

    private CallRequest(
            String command, Map<String, Object> with, long budgetMs, boolean wake, Rest then) {
        this.command = command;
        this.with = with;
        this.budgetMs = budgetMs;
        this.wake = wake;
        this.then = then;
    }

    /**
     * Parse it. Throws ProtocolError when it is not a JSON object, a Failure when it is not a call.
     */
    static CallRequest read(byte[] payload) throws ProtocolError {
        Map<String, Object> value = JsonReader.object(payload);
        Object command = value.get("do");
        if (!(command instanceof String)) {
            throw Arguments.bad("`do` is not a string.");
        }
        Object with = value.containsKey("with") ? value.get("with") : new LinkedHashMap<>();
        if (!(with instanceof Map)) {
            throw Arguments.bad("`with` is not an object.");
        }
        Object budget = value.get("budget_ms");
        if (!(budget instanceof Long) || (Long) budget < 1 || (Long) budget > Limits.BUDGET_MS) {
            throw Arguments.bad("`budget_ms` is not 1 to " + Limits.BUDGET_MS + ".");
        }
        flag(value, "act");
        @SuppressWarnings("unchecked")
        Map<String, Object> arguments = (Map<String, Object>) with;
        boolean wake = flag(value, "wake");
        Rest then = Rest.read(value.get("then"));
        return new CallRequest((String) command, arguments, (Long) budget, wake, then);
    }

    private static boolean flag(Map<String, Object> value, String name) {
        Object flag = value.containsKey(name) ? value.get(name) : Boolean.FALSE;
        if (!(flag instanceof Boolean)) {
            throw Arguments.bad("`" + name + "` is not a boolean.");
        }
        return (Boolean) flag;
    }
}
