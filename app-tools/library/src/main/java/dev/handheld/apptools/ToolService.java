package dev.handheld.apptools;

import android.app.Notification;
import android.app.PendingIntent;
import android.app.Service;
import android.content.Intent;
import android.os.Build;
import android.os.IBinder;
import android.util.Log;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Offers tools by Mobile MCP 1.0. In the manifest:
 *
 * <pre>{@code
 * <service android:name=".TeaService" android:exported="true">
 *     <intent-filter>
 *         <action android:name="mobile.mcp.SERVICE" />
 *     </intent-filter>
 *     <meta-data android:name="mobile.mcp.tool.name" android:value="@string/app_name" />
 *     <meta-data android:name="mobile.mcp.tool.description" android:value="Brews tea." />
 *     <meta-data android:name="mobile.mcp.tool.capabilities"
 *         android:resource="@xml/mcp_capabilities" />
 * </service>
 * }</pre>
 *
 * <p>{@link Declarations} writes {@code res/xml/mcp_capabilities.xml}.
 *
 * <p>Requests are read in the form of the specification and in the flat form of the first agents,
 * and answered in both.
 */
public abstract class ToolService extends Service {
    static final String VERSION = "1.0";
    private static final String REQUEST = "mobile-mcp-request";
    private static final String RESPONSE = "mobile-mcp-response";
    private static final String FLAT_REQUEST = "request";
    private static final String FLAT_RESPONSE = "response";
    private static final String CALLBACK = "mcp_callback";
    private static final int LONGEST_REQUEST = 512 * 1024;
    /** An intent carries less than 1 MiB, at two bytes a character. */
    private static final int LONGEST_RESPONSES = 400_000;

    private static final int NOTIFICATION = 1;

    private Runner runner;
    private int open;
    private int newest;

    /** The tools, asked for once, before the first call. */
    protected abstract Tools tools();

    /**
     * Who may call; everybody, unless this is overridden. Android only tells a service who owns the
     * callback: prefer a permission in the manifest.
     */
    protected Callers callers() {
        return Callers.anybody();
    }

    /**
     * For agents that start foreground services: the notification while a request is answered. The
     * manifest then needs a {@code foregroundServiceType} and its permissions. Null, the default,
     * for a service that never runs in the foreground.
     */
    protected Notification notification() {
        return null;
    }

    @Override
    public void onCreate() {
        super.onCreate();
        runner = new Runner(this, tools(), callers());
    }

    /** Agents call by intents. */
    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }

    @Override
    public final int onStartCommand(Intent intent, int flags, int startId) {
        showNotification();
        synchronized (this) {
            open++;
            newest = startId;
        }
        final Request request = new Request(intent);
        boolean begun =
                runner.execute(
                        new Runnable() {
                            @Override
                            public void run() {
                                request.answer();
                            }
                        });
        if (!begun) {
            request.refuse(Runner.BUSY);
        }
        return START_NOT_STICKY;
    }

    private void showNotification() {
        Notification shown = notification();
        if (shown == null) {
            return;
        }
        try {
            startForeground(NOTIFICATION, shown);
        } catch (RuntimeException refused) {
            // Android forbids it to an app in the background; the request can be answered anyway.
            Log.w(Runner.TAG, "Not in the foreground", refused);
        }
    }

    /** Android stops the service when its newest start is done, though older ones may not be. */
    private synchronized void close() {
        open--;
        if (open == 0) {
            stopSelf(newest);
        }
    }

    @Override
    public void onDestroy() {
        runner.close();
        super.onDestroy();
    }

    /** One intent, until it is answered. */
    private final class Request implements Runner.Listener {
        private PendingIntent callback;
        private String text;
        private boolean flat;
        private String id = "";
        private String capability;
        private Tool tool;

        Request(Intent intent) {
            try {
                callback = callback(intent);
                text = intent.getStringExtra(REQUEST);
                if (text == null) {
                    text = intent.getStringExtra(FLAT_REQUEST);
                    flat = true;
                }
            } catch (RuntimeException unreadable) {
                Log.w(Runner.TAG, "A request cannot be read", unreadable);
            }
        }

        @SuppressWarnings("deprecation") // Before API 33 there is no other.
        private PendingIntent callback(Intent intent) {
            return Build.VERSION.SDK_INT >= 33
                    ? intent.getParcelableExtra(CALLBACK, PendingIntent.class)
                    : (PendingIntent) intent.getParcelableExtra(CALLBACK);
        }

        void answer() {
            if (callback == null) {
                // Nobody would learn the outcome, so nothing is done.
                Log.w(Runner.TAG, "A request has no " + CALLBACK);
                close();
                return;
            }
            try {
                if (!runner.allows(caller())) {
                    refuse(Runner.DENIED);
                    return;
                }
                Map<String, Object> arguments = read();
                runner.begin(tool, arguments, Runner.JSON, caller(), this);
            } catch (Refused wrong) {
                ended(Outcome.not(Outcome.End.BAD_ARGUMENT, wrong.getMessage()));
            } catch (RuntimeException wrong) {
                Log.w(Runner.TAG, "A request failed", wrong);
                ended(Outcome.not(Outcome.End.FAILED, "Execution error: " + wrong.getMessage()));
            }
        }

        /** With the request's id, where it can be read: agents drop a reply without it. */
        void refuse(Outcome outcome) {
            try {
                read();
            } catch (Refused alsoWrong) {
                Log.w(Runner.TAG, "A request is refused, and cannot be read", alsoWrong);
            }
            ended(outcome);
        }

        private Caller caller() {
            int uid = callback.getCreatorUid();
            return new Caller(uid < 0 ? Caller.UNKNOWN : uid, -1, callback.getCreatorPackage());
        }

        /** Stores the known parts of the request, and returns its arguments. */
        private Map<String, Object> read() throws Refused {
            String version = VERSION;
            JSONObject request = parse(text);
            if (!flat) {
                JSONObject envelope = member(request, REQUEST);
                Object given = envelope.opt("version");
                version = given instanceof String ? (String) given : "";
                request = member(envelope, "request");
            }
            Object given = request.opt("id");
            if (!(given instanceof String) || ((String) given).isEmpty()) {
                throw new Refused("The request has no request id.");
            }
            id = (String) given;
            if (!VERSION.equals(version)) {
                throw new Refused(
                        "Version '"
                                + Runner.brief(version)
                                + "' is not known here; '"
                                + VERSION
                                + "' is.");
            }
            JSONObject named = member(request, "capability");
            Object name = named.opt("id");
            if (!(name instanceof String) || ((String) name).isEmpty()) {
                throw new Refused("The request has no capability id.");
            }
            capability = (String) name;
            tool = runner.find(capability);
            if (tool == null) {
                throw new Refused("Unknown capability ID: " + Runner.brief(capability));
            }
            Object arguments = named.has("input") ? named.opt("input") : named.opt("args");
            if (arguments instanceof String && !((String) arguments).trim().isEmpty()) {
                arguments = parse((String) arguments);
            }
            if (arguments == null || arguments instanceof String) {
                return new LinkedHashMap<String, Object>();
            }
            if (!(arguments instanceof JSONObject)) {
                throw new Refused("The request has arguments that are no JSON object.");
            }
            return members((JSONObject) arguments);
        }

        @Override
        public void ended(Outcome outcome) {
            try {
                if (callback != null) {
                    callback.send(ToolService.this, 0, extras(outcome));
                }
            } catch (PendingIntent.CanceledException gone) {
                Log.w(Runner.TAG, "Nobody waits for the answer any more", gone);
            } catch (JSONException impossible) {
                throw new IllegalStateException(impossible);
            } finally {
                close();
            }
        }

        private Intent extras(Outcome outcome) throws JSONException {
            String response = response(outcome);
            String flat = flat(outcome);
            if (response.length() + flat.length() > LONGEST_RESPONSES) {
                return extras(
                        Outcome.not(
                                Outcome.End.FAILED,
                                capability + " was done, but its reply is too long for Android."));
            }
            return new Intent().putExtra(RESPONSE, response).putExtra(FLAT_RESPONSE, flat);
        }

        private String response(Outcome outcome) throws JSONException {
            JSONObject response = new JSONObject().put("id", id);
            if (capability != null) {
                JSONObject named = new JSONObject().put("id", Runner.brief(capability));
                if (outcome.reply != null) {
                    JSONArray output = new JSONArray();
                    for (Map.Entry<String, Object> one : outcome.reply.values.entrySet()) {
                        output.put(
                                new JSONObject()
                                        .put("name", one.getKey())
                                        .put("type", tool.result(one.getKey()).type.word)
                                        .put("value", one.getValue()));
                    }
                    named.put("output", output);
                }
                response.put("capability", named);
            }
            response.put("status", status(outcome)).put("message", outcome.message);
            JSONObject envelope = new JSONObject().put("version", VERSION).put("response", response);
            return new JSONObject().put(RESPONSE, envelope).toString();
        }

        private String flat(Outcome outcome) throws JSONException {
            JSONObject response =
                    new JSONObject()
                            .put("status", status(outcome))
                            .put("message", outcome.message)
                            .put("id", id);
            if (capability != null) {
                JSONObject named = new JSONObject().put("id", Runner.brief(capability));
                if (outcome.reply != null) {
                    named.put("output", new JSONObject(outcome.reply.values));
                }
                response.put("capability", named);
            }
            return response.toString();
        }
    }

    /** What is wrong with a request, as a sentence. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    private static String status(Outcome outcome) {
        return outcome.end == Outcome.End.DONE ? "success" : "failure";
    }

    private static JSONObject parse(String text) throws Refused {
        if (text == null) {
            throw new Refused("The request has no " + REQUEST + ".");
        }
        if (text.length() > LONGEST_REQUEST) {
            throw new Refused("The request is longer than " + LONGEST_REQUEST + " characters.");
        }
        JSONObject object = Json.object(text);
        if (object == null) {
            throw new Refused("The request is no JSON object.");
        }
        return object;
    }

    private static JSONObject member(JSONObject whole, String name) throws Refused {
        JSONObject member = whole.optJSONObject(name);
        if (member == null) {
            throw new Refused("The request has no object " + name + ".");
        }
        return member;
    }

    private static Map<String, Object> members(JSONObject object) {
        Map<String, Object> members = new LinkedHashMap<String, Object>();
        for (Iterator<String> names = object.keys(); names.hasNext(); ) {
            String name = names.next();
            members.put(name, object.opt(name));
        }
        return members;
    }
}
