package dev.handheld.apptools;

import android.app.appfunctions.AppFunctionException;
import android.app.appfunctions.AppFunctionService;
import android.app.appfunctions.ExecuteAppFunctionRequest;
import android.app.appfunctions.ExecuteAppFunctionResponse;
import android.app.appsearch.GenericDocument;
import android.content.pm.PackageManager;
import android.content.pm.SigningInfo;
import android.os.CancellationSignal;
import android.os.OutcomeReceiver;
import java.lang.reflect.Array;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Offers tools as app functions, which Android 16 and newer index and call. In the manifest:
 *
 * <pre>{@code
 * <service android:name=".TeaFunctions" android:exported="true"
 *     android:permission="android.permission.BIND_APP_FUNCTION_SERVICE">
 *     <intent-filter>
 *         <action android:name="android.app.appfunctions.AppFunctionService" />
 *     </intent-filter>
 *     <property android:name="android.app.appfunctions.v2"
 *         android:value="app_functions_v2.xml" />
 *     <property android:name="android.app.appfunctions.schema"
 *         android:value="app_functions_schema.xsd" />
 * </service>
 * }</pre>
 *
 * <p>{@link Declarations} writes both files. Older releases never load this class: nobody binds to
 * the service there.
 *
 * <p>A function of the class {@code org.example.tea.TeaFunctions} has the id {@code
 * org.example.tea.TeaFunctions#brew_tea}. Arrays and objects are texts of JSON. A tool with declared
 * results returns an object with these and its {@code message}, another one its message alone.
 */
public abstract class ToolFunctions extends AppFunctionService {
    private static final Runner.Reader PROPERTIES =
            new Runner.Reader() {
                @Override
                public Object read(Object given, Type type) {
                    boolean json = type == Type.ARRAY || type == Type.OBJECT;
                    return json && given instanceof String
                            ? type.read((String) given)
                            : type.accept(given);
                }
            };

    private Runner runner;

    /** The tools, asked for once, before the first call. */
    protected abstract Tools tools();

    /** Who may call, of those whom Android lets; all of them, unless this is overridden. */
    protected Callers callers() {
        return Callers.anybody();
    }

    @Override
    public void onCreate() {
        super.onCreate();
        runner = new Runner(this, tools(), callers());
    }

    @Override
    public void onDestroy() {
        runner.close();
        super.onDestroy();
    }

    @Override
    public final void onExecuteFunction(
            ExecuteAppFunctionRequest request,
            String callingPackage,
            SigningInfo callingPackageSigningInfo,
            CancellationSignal cancellation,
            final OutcomeReceiver<ExecuteAppFunctionResponse, AppFunctionException> receiver) {
        Caller caller = new Caller(uid(callingPackage), -1, callingPackage);
        if (!runner.allows(caller)) {
            receiver.onError(error(Runner.DENIED));
            return;
        }
        String own = getClass().getName() + "#";
        String id = request.getFunctionIdentifier();
        final Tool tool = id.startsWith(own) ? runner.find(id.substring(own.length())) : null;
        if (tool == null) {
            String unknown = "Unknown function: " + Runner.brief(id);
            receiver.onError(error(Outcome.not(Outcome.End.UNKNOWN_TOOL, unknown)));
            return;
        }
        final Runnable stop =
                runner.begin(
                        tool,
                        arguments(request.getParameters()),
                        PROPERTIES,
                        caller,
                        new Runner.Listener() {
                            @Override
                            public void ended(Outcome outcome) {
                                if (outcome.end == Outcome.End.DONE) {
                                    receiver.onResult(response(tool, outcome.reply));
                                } else {
                                    receiver.onError(error(outcome));
                                }
                            }
                        });
        cancellation.setOnCancelListener(
                new CancellationSignal.OnCancelListener() {
                    @Override
                    public void onCancel() {
                        stop.run();
                    }
                });
    }

    private int uid(String packageName) {
        try {
            return getPackageManager().getPackageUid(packageName, 0);
        } catch (PackageManager.NameNotFoundException hidden) {
            return Caller.UNKNOWN;
        }
    }

    /** Every property of a document is an array; these hold one value each. */
    private static Map<String, Object> arguments(GenericDocument parameters) {
        Map<String, Object> arguments = new LinkedHashMap<String, Object>();
        for (String name : parameters.getPropertyNames()) {
            Object values = parameters.getProperty(name);
            boolean one = values != null && values.getClass().isArray();
            arguments.put(
                    name,
                    one && Array.getLength(values) == 1 ? Array.get(values, 0) : values);
        }
        return arguments;
    }

    private ExecuteAppFunctionResponse response(Tool tool, Reply reply) {
        GenericDocument.Builder<?> whole = document("");
        String returned = ExecuteAppFunctionResponse.PROPERTY_RETURN_VALUE;
        if (tool.results.isEmpty()) {
            whole.setPropertyString(returned, reply.message);
            return new ExecuteAppFunctionResponse(whole.build());
        }
        GenericDocument.Builder<?> values =
                document(Declarations.resultType(getClass().getName(), tool));
        values.setPropertyString(Declarations.MESSAGE, reply.message);
        for (Map.Entry<String, Object> one : reply.values.entrySet()) {
            put(values, one.getKey(), one.getValue());
        }
        whole.setPropertyDocument(returned, values.build());
        return new ExecuteAppFunctionResponse(whole.build());
    }

    private static GenericDocument.Builder<?> document(String type) {
        return new GenericDocument.Builder<GenericDocument.Builder<?>>("", "", type);
    }

    private static void put(GenericDocument.Builder<?> document, String name, Object value) {
        if (value instanceof Boolean) {
            document.setPropertyBoolean(name, (Boolean) value);
        } else if (value instanceof Long) {
            document.setPropertyLong(name, (Long) value);
        } else if (value instanceof Double) {
            document.setPropertyDouble(name, (Double) value);
        } else {
            document.setPropertyString(name, value.toString());
        }
    }

    private static AppFunctionException error(Outcome outcome) {
        return new AppFunctionException(code(outcome.end), outcome.message);
    }

    private static int code(Outcome.End end) {
        switch (end) {
            case DENIED:
                return AppFunctionException.ERROR_DENIED;
            case UNKNOWN_TOOL:
                return AppFunctionException.ERROR_FUNCTION_NOT_FOUND;
            case BAD_ARGUMENT:
                return AppFunctionException.ERROR_INVALID_ARGUMENT;
            case CANCELLED:
                return AppFunctionException.ERROR_CANCELLED;
            default:
                return AppFunctionException.ERROR_APP_UNKNOWN_ERROR;
        }
    }
}
