package dev.handheld.helper.words.android;

import android.content.ComponentName;
import android.content.Intent;
import android.content.IntentSender;
import android.content.pm.PackageManager;
import android.content.pm.ParceledListSlice;
import android.content.pm.ResolveInfo;
import dev.handheld.helper.words.Answers;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/** The services that the commands call: they answer from the packages and from a table. */
final class Services implements Answers.Services {
    private static final String THROWN = "throw ";
    private static final int SHELL = 2000;
    private static final List<String> STOOD_IN = Arrays.asList(
            "Landroid/content/Context;",
            "Landroid/content/ContentResolver;",
            "Landroid/content/pm/IPackageInstaller;",
            "Landroid/content/pm/IPackageInstallerSession;",
            "Landroid/content/res/Resources;");

    private final Function<Class<?>, Object> standIn;
    private final Packages packages = new Packages();
    private final Screen screen = new Screen();
    private final Tasks tasks = new Tasks();
    private final Map<String, String> answers = new HashMap<>();
    private final List<String> intents = new ArrayList<>();

    Services(Function<Class<?>, Object> standIn) {
        this.standIn = standIn;
    }

    void add(String[] fields) {
        if (fields[0].equals("+task")) {
            tasks.add(fields);
        } else {
            packages.add(fields);
        }
    }

    /** What methods whose names begin so answer, for the next command line. */
    void answer(String table) {
        answers.clear();
        intents.clear();
        for (String pair : table.split("\u001f")) {
            int at = pair.indexOf('=');
            if (at > 0) {
                answers.put(pair.substring(0, at), pair.substring(at + 1));
            }
        }
    }

    String configuration() throws ReflectiveOperationException {
        return tasks.configuration().toString();
    }

    /** The intents that services got from the last command line. */
    List<String> intents() {
        return intents;
    }

    @Override
    public Object answer(String method, String type, Object[] arguments) {
        String name = method.substring(method.indexOf('.') + 1);
        try {
            keepIntents(name, arguments);
            if (method.startsWith("PackageManager.getPackageInfo") && !packages.has((String) arguments[0])) {
                throw Services.<RuntimeException>unchecked(new PackageManager.NameNotFoundException());
            }
            String given = given(name);
            if (given != null) {
                if (given.startsWith(THROWN)) {
                    throw exception(given.substring(THROWN.length()));
                }
                return read(name, given, type, arguments);
            }
            Object known = packages.answer(name, type, arguments);
            known = known == null ? screen.answer(name, arguments) : known;
            known = known == null ? tasks.answer(name) : known;
            return known == null ? service(name, type, arguments) : known;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(method, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable e) throws E {
        throw (E) e;
    }

    private String given(String name) {
        for (Map.Entry<String, String> answer : answers.entrySet()) {
            if (name.startsWith(answer.getKey())) {
                return answer.getValue();
            }
        }
        return null;
    }

    private static RuntimeException exception(String text) throws ReflectiveOperationException {
        int at = text.indexOf(": ");
        Class<?> type = Class.forName(text.substring(0, at));
        return (RuntimeException) type.getConstructor(String.class).newInstance(text.substring(at + 2));
    }

    private void keepIntents(String name, Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof Intent && name.matches("(start|stop|broadcast)[A-Z].*")) {
                intents.add(show((Intent) argument));
            }
        }
    }

    private static String show(Intent intent) {
        StringBuilder text = new StringBuilder();
        text.append("act=").append(intent.getAction()).append(" dat=").append(intent.getDataString());
        text.append(" typ=").append(intent.getType()).append(" pkg=").append(intent.getPackage());
        ComponentName component = intent.getComponent();
        text.append(" cmp=").append(component == null ? null : component.flattenToString());
        text.append(" flg=0x").append(Integer.toHexString(intent.getFlags())).append(" cat=");
        text.append(intent.getCategories() == null ? "" : String.join(",", intent.getCategories()));
        if (intent.getExtras() != null) {
            for (String key : new TreeSet<>(intent.getExtras().keySet())) {
                text.append(' ').append(key).append('=').append(value(intent.getExtras().get(key)));
            }
        }
        return text.toString();
    }

    private static String value(Object value) {
        if (value instanceof ComponentName) {
            return ((ComponentName) value).flattenToString();
        }
        Object array = value instanceof List ? ((List<?>) value).toArray() : value;
        if (array == null || !array.getClass().isArray()) {
            return String.valueOf(value);
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            parts.add(value(Array.get(array, i)));
        }
        return "[" + String.join("|", parts) + "]";
    }

    /** The services themselves; their callbacks run before the call returns. */
    private Object service(String name, String type, Object[] arguments)
            throws ReflectiveOperationException {
        switch (name) {
            case "getService":
            case "getServiceOrThrow":
            case "getInstance":
            case "getPackageManager":
            case "getPermissionManager":
            case "queryLocalInterface":
                if (arguments.length == 1 && arguments[0] instanceof Class) {
                    return standIn.apply((Class<?>) arguments[0]);
                }
                if (name.equals("queryLocalInterface")) {
                    return make((String) arguments[0]);
                }
                return make(Packages.className(type));
            case "getSystemService":
                return arguments[0] instanceof Class ? standIn.apply((Class<?>) arguments[0]) : null;
            case "getInputDeviceIds":
                return new int[0];
            case "getCallingUid":
                return SHELL;
            case "broadcastIntent":
            case "broadcastIntentWithFeature":
                finish(arguments);
                return 0;
            default:
                return STOOD_IN.contains(type) ? make(Packages.className(type)) : null;
        }
    }

    private Object make(String type) throws ClassNotFoundException {
        return standIn.apply(Class.forName(type));
    }

    private static void finish(Object[] arguments) throws ReflectiveOperationException {
        Intent intent = null;
        for (Object argument : arguments) {
            intent = argument instanceof Intent ? (Intent) argument : intent;
        }
        for (Object argument : arguments) {
            if (Class.forName("android.content.IIntentReceiver").isInstance(argument)) {
                call(argument, "performReceive", intent, 0, null, null, false, false, 0);
            }
        }
    }

    private static Object call(Object target, String name, Object... arguments) throws ReflectiveOperationException {
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                method.setAccessible(true);
                return method.invoke(target, arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }

    private Object read(String name, String given, String type, Object[] arguments)
            throws ReflectiveOperationException {
        if (name.equals("clearApplicationUserData")) {
            for (Object argument : arguments) {
                if (Class.forName("android.content.pm.IPackageDataObserver").isInstance(argument)) {
                    call(argument, "onRemoveCompleted", arguments[0], Boolean.valueOf(given));
                }
            }
        }
        switch (type) {
            case "Z":
                return Boolean.valueOf(given);
            case "I":
                return Integer.valueOf(given);
            case "J":
                return Long.valueOf(given);
            case "Ljava/lang/String;":
                return given;
            case "[Ljava/lang/String;":
                return given.split(";");
            case "Landroid/content/ComponentName;":
                return given.isEmpty() ? null : ComponentName.unflattenFromString(given);
            case "Landroid/content/pm/ParceledListSlice;":
                return new ParceledListSlice<>(resolved(given));
            case "Ljava/util/List;":
                return resolved(given);
            case "Landroid/content/pm/ResolveInfo;":
                return given.isEmpty() ? null : resolved(given).get(0);
            case "Landroid/app/WaitResult;":
                return waited(given.split(","));
            default:
                if (name.equals("uninstall")) {
                    uninstalled(given, arguments);
                }
                return null;
        }
    }

    private List<ResolveInfo> resolved(String given) {
        List<ResolveInfo> found = new ArrayList<>();
        for (String each : given.split(";")) {
            if (!each.isEmpty()) {
                found.add(packages.resolve(each.split(",")));
            }
        }
        return found;
    }

    /** @param fields the result; then, if it was started, the activity, the total time, the state of the launch */
    private static Object waited(String[] fields) throws ReflectiveOperationException {
        Object result = Class.forName("android.app.WaitResult").getConstructor().newInstance();
        set(result, "result", Integer.valueOf(fields[0]));
        if (fields.length == 1) {
            return result;
        }
        set(result, "who", ComponentName.unflattenFromString(fields[1]));
        set(result, "totalTime", Long.valueOf(fields[2]));
        set(result, "thisTime", Long.valueOf(fields[2]));
        set(result, "launchState", Integer.valueOf(fields[3]));
        return result;
    }

    private static void set(Object target, String name, Object value) throws IllegalAccessException {
        for (Field field : target.getClass().getFields()) {
            if (field.getName().equals(name)) {
                field.set(target, value);
            }
        }
    }

    /** @param given the status, a colon, the message */
    private static void uninstalled(String given, Object[] arguments) throws ReflectiveOperationException {
        Intent result = new Intent();
        result.putExtra("android.content.pm.extra.STATUS", Integer.parseInt(given.substring(0, given.indexOf(':'))));
        result.putExtra("android.content.pm.extra.STATUS_MESSAGE", given.substring(given.indexOf(':') + 1));
        for (Object argument : arguments) {
            if (argument instanceof IntentSender) {
                Object target = call(argument, "getTarget");
                // The command waits for it, and only then takes it.
                new Thread(() -> {
                    try {
                        call(target, "send", 0, result, null, null, null, null, null);
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                }).start();
            }
        }
    }
}
