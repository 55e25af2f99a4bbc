package dev.handheld.apptools;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.database.Cursor;
import android.net.Uri;
import android.os.Binder;
import android.os.Build;
import android.os.Bundle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Offers tools by a content provider. In the manifest:
 *
 * <pre>{@code
 * <provider android:name=".TeaProvider" android:authorities="org.example.tea.tools"
 *     android:exported="true">
 *     <intent-filter>
 *         <action android:name="android.intent.action.VIEW" />
 *         <data android:mimeType="application/vnd.mcp.tool" />
 *     </intent-filter>
 *     <intent-filter>
 *         <action android:name="se.premex.mcp.MCP_PROVIDER" />
 *     </intent-filter>
 * </provider>
 * }</pre>
 *
 * <p>Both dialects are spoken: one tool is described by the keys of the integration guide, and all
 * tools are described as JSON under the key {@code tool}.
 */
public abstract class ToolProvider extends ContentProvider {
    static final String TYPE = "application/vnd.mcp.tool";
    static final String GET_TOOL_INFO = "get_tool_info";
    static final String EXECUTE_TOOL = "execute_tool";
    private static final String NAME = "tool_name";
    private static final String DESCRIPTION = "tool_description";
    private static final String INPUT_SCHEMA = "tool_input_schema";
    private static final String INPUT_REQUIRED = "tool_input_required";
    private static final String ARGUMENTS = "tool_arguments";
    private static final String RESULT = "tool_result";
    private static final String SUCCESS = "success";
    private static final String ERROR = "error_message";
    private static final String SEVERAL = "tool";
    private static final int LONGEST_ARGUMENTS = 256 * 1024;

    private static final Runner.Reader TEXTS =
            new Runner.Reader() {
                @Override
                public Object read(Object given, Type type) {
                    return type.read(given.toString());
                }
            };

    private Tools tools;
    private Runner runner;

    /** The tools, asked for once, before the first call. */
    protected abstract Tools tools();

    /** Who may ask for the tools and call them; everybody, unless this is overridden. */
    protected Callers callers() {
        return Callers.anybody();
    }

    private synchronized Runner runner() {
        if (runner == null) {
            tools = tools();
            runner = new Runner(getContext(), tools, callers());
        }
        return runner;
    }

    @Override
    public boolean onCreate() {
        return true;
    }

    @Override
    public final Bundle call(String method, String arg, Bundle extras) {
        Caller caller = new Caller(Binder.getCallingUid(), Binder.getCallingPid(), packageName());
        try {
            if (!runner().allows(caller)) {
                return failure(Runner.DENIED.message);
            }
            switch (method) {
                case GET_TOOL_INFO:
                    return describe();
                case EXECUTE_TOOL:
                    return execute(extras, caller);
                default:
                    return failure("Unknown method: " + Runner.brief(method));
            }
        } catch (JSONException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private String packageName() {
        try {
            return getCallingPackage();
        } catch (SecurityException forged) {
            return null;
        }
    }

    private Bundle describe() throws JSONException {
        Bundle bundle = new Bundle();
        bundle.putBoolean(SUCCESS, true);
        if (tools.all.size() == 1) {
            describe(tools.all.get(0), bundle);
        }
        JSONObject named = new JSONObject();
        for (Tool one : tools.all) {
            JSONArray inputs = new JSONArray();
            for (Parameter parameter : one.parameters) {
                String word = parameter.type.word;
                inputs.put(
                        new JSONObject()
                                .put(
                                        "type",
                                        Character.toUpperCase(word.charAt(0))
                                                + word.substring(1)
                                                + "Input")
                                .put("name", parameter.name)
                                .put("description", parameter.description)
                                .put("required", parameter.required));
            }
            named.put(
                    one.name,
                    new JSONObject().put("description", one.told()).put("inputs", inputs));
        }
        bundle.putString(SEVERAL, new JSONObject().put("tools", named).toString());
        return bundle;
    }

    private static void describe(Tool tool, Bundle bundle) throws JSONException {
        JSONObject schema = new JSONObject();
        List<String> required = new ArrayList<String>();
        for (Parameter one : tool.parameters) {
            schema.put(
                    one.name,
                    new JSONObject()
                            .put("type", one.type.word)
                            .put("description", one.description));
            if (one.required) {
                required.add(one.name);
            }
        }
        bundle.putString(NAME, tool.name);
        bundle.putString(DESCRIPTION, tool.told());
        bundle.putString(INPUT_SCHEMA, schema.toString());
        bundle.putStringArray(INPUT_REQUIRED, required.toArray(new String[0]));
    }

    private Bundle execute(Bundle extras, Caller caller) {
        if (extras == null) {
            return failure("No extras provided");
        }
        String name;
        Map<?, ?> given;
        try {
            name = extras.getString(NAME);
            given = arguments(extras);
        } catch (RuntimeException unreadable) {
            return failure("Invalid arguments");
        }
        if (name == null) {
            return failure("Tool name not specified");
        }
        Map<String, Object> arguments = read(given);
        if (arguments == null) {
            return failure("Invalid arguments");
        }
        Tool tool = runner().find(name);
        if (tool == null) {
            return failure("Unknown tool: " + Runner.brief(name));
        }
        return execute(tool, arguments, caller);
    }

    @SuppressWarnings("deprecation") // Before API 33 there is no other.
    private static Map<?, ?> arguments(Bundle extras) {
        Object given =
                Build.VERSION.SDK_INT >= 33
                        ? extras.getSerializable(ARGUMENTS, HashMap.class)
                        : extras.getSerializable(ARGUMENTS);
        return given instanceof Map ? (Map<?, ?>) given : null;
    }

    /** Texts by their names, as the guide has them, and the simple values that some hosts send. */
    private static Map<String, Object> read(Map<?, ?> given) {
        if (given == null) {
            return null;
        }
        Map<String, Object> arguments = new LinkedHashMap<String, Object>();
        long length = 0;
        for (Map.Entry<?, ?> one : given.entrySet()) {
            Object key = one.getKey();
            Object value = one.getValue();
            boolean simple =
                    value == null
                            || value instanceof String
                            || value instanceof Number
                            || value instanceof Boolean;
            if (!(key instanceof String) || !simple) {
                return null;
            }
            length += ((String) key).length() + String.valueOf(value).length();
            arguments.put((String) key, value);
        }
        return length > LONGEST_ARGUMENTS ? null : arguments;
    }

    private Bundle execute(Tool tool, Map<String, Object> arguments, Caller caller) {
        final CountDownLatch ended = new CountDownLatch(1);
        final AtomicReference<Outcome> result = new AtomicReference<Outcome>();
        Runnable stop =
                runner().begin(
                                tool,
                                arguments,
                                TEXTS,
                                caller,
                                new Runner.Listener() {
                                    @Override
                                    public void ended(Outcome outcome) {
                                        result.set(outcome);
                                        ended.countDown();
                                    }
                                });
        try {
            // The runner ends every call in its time.
            ended.await();
        } catch (InterruptedException interrupted) {
            stop.run();
            Thread.currentThread().interrupt();
        }
        Outcome outcome = result.get();
        if (outcome.end != Outcome.End.DONE) {
            return failure(outcome.message);
        }
        Bundle bundle = new Bundle();
        bundle.putBoolean(SUCCESS, true);
        bundle.putString(RESULT, outcome.reply.text());
        return bundle;
    }

    private static Bundle failure(String message) {
        Bundle bundle = new Bundle();
        bundle.putBoolean(SUCCESS, false);
        bundle.putString(ERROR, message);
        return bundle;
    }

    @Override
    public void shutdown() {
        synchronized (this) {
            if (runner != null) {
                runner.close();
                runner = null;
            }
        }
        super.shutdown();
    }

    // A content provider must have these; this one holds no rows.

    @Override
    public String getType(Uri uri) {
        return TYPE;
    }

    @Override
    public Cursor query(
            Uri uri, String[] projection, String selection, String[] arguments, String order) {
        return null;
    }

    @Override
    public Uri insert(Uri uri, ContentValues values) {
        return null;
    }

    @Override
    public int delete(Uri uri, String selection, String[] arguments) {
        return 0;
    }

    @Override
    public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
        return 0;
    }
}
