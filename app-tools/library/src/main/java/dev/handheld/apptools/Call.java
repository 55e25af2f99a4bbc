package dev.handheld.apptools;

import android.content.Context;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONObject;

/** One call of a tool: its arguments, checked, and who calls. */
public final class Call {
    private final Context context;
    private final Tool tool;
    private final Map<String, Object> arguments;
    private final Caller caller;
    private volatile boolean cancelled;

    Call(Context context, Tool tool, Map<String, Object> arguments, Caller caller) {
        this.context = context;
        this.tool = tool;
        this.arguments = arguments;
        this.caller = caller;
    }

    /** The app's context, for its files, settings and other resources. */
    public Context context() {
        return context;
    }

    /** The caller, as far as Android reports it. */
    public Caller caller() {
        return caller;
    }

    /** Whether this argument was given. */
    public boolean has(String name) {
        return get(name) != null;
    }

    /** A {@link Type#STRING}, or null if it was left out. */
    public String text(String name) {
        return (String) get(name);
    }

    /** A {@link Type#INTEGER}, or {@code otherwise} if it was left out. */
    public long integer(String name, long otherwise) {
        Object value = get(name);
        return value == null ? otherwise : (Long) value;
    }

    /** A required {@link Type#INTEGER}. */
    public long integer(String name) {
        return (Long) given(name);
    }

    /** A {@link Type#NUMBER}, or {@code otherwise} if it was left out. */
    public double number(String name, double otherwise) {
        Object value = get(name);
        return value == null ? otherwise : (Double) value;
    }

    /** A required {@link Type#NUMBER}. */
    public double number(String name) {
        return (Double) given(name);
    }

    /** A {@link Type#BOOLEAN}, or {@code otherwise} if it was left out. */
    public boolean is(String name, boolean otherwise) {
        Object value = get(name);
        return value == null ? otherwise : (Boolean) value;
    }

    /** An {@link Type#ARRAY}, or null if it was left out. */
    public JSONArray array(String name) {
        return (JSONArray) get(name);
    }

    /** An {@link Type#OBJECT}, or null if it was left out. */
    public JSONObject object(String name) {
        return (JSONObject) get(name);
    }

    /**
     * Whether nobody waits for the reply any longer: the caller gave up, or the time is over. The
     * thread is also interrupted. Long work should check this, and stop.
     */
    public boolean isCancelled() {
        return cancelled;
    }

    void cancel() {
        cancelled = true;
    }

    Tool tool() {
        return tool;
    }

    private Object given(String name) {
        Object value = get(name);
        if (value == null) {
            throw new IllegalStateException(name + " was left out, and is not required.");
        }
        return value;
    }

    private Object get(String name) {
        if (tool.parameter(name) == null) {
            throw new IllegalArgumentException(tool.name + " declares no parameter " + name + ".");
        }
        return arguments.get(name);
    }
}
