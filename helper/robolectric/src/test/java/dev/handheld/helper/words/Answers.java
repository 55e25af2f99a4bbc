package dev.handheld.helper.words;

import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.Map;

/** What Android's classes get from the native methods and services that are not there. */
public final class Answers {
    /** Answers for the services that commands call. */
    public interface Services {
        /**
         * @param method with its class
         * @param type what it returns, as class files have it
         * @return null for 0, false or null
         */
        Object answer(String method, String type, Object[] arguments);
    }

    private static final long STEP_MS = 20;
    private static long now = STEP_MS;
    private static Services services = (method, type, arguments) -> null;

    private static final Map<String, String> PROPERTIES = new HashMap<>();

    static {
        PROPERTIES.put("ro.build.type", "user");
        PROPERTIES.put("ro.product.cpu.abilist", "arm64-v8a");
        PROPERTIES.put("ro.product.cpu.abilist32", "arm64-v8a");
        PROPERTIES.put("ro.build.version.all_codenames", "REL");
        PROPERTIES.put("ro.build.version.codename", "REL");
        PROPERTIES.put("sys.boot_completed", "1");
    }

    private Answers() {}

    public static void use(Services use) {
        services = use;
    }

    /** Called by the code that {@link AndroidLoader} writes. */
    public static Object ask(String method, String type, Object[] arguments) {
        switch (method) {
            case "SystemProperties.native_get":
                String name = (String) arguments[0];
                if (PROPERTIES.containsKey(name)) {
                    return PROPERTIES.get(name);
                }
                return arguments.length > 1 ? arguments[1] : "";
            case "SystemProperties.native_get_int":
            case "SystemProperties.native_get_long":
                return arguments[1];
            case "SystemProperties.native_get_boolean":
                return PROPERTIES.containsKey(arguments[0]) ? Boolean.TRUE : arguments[1];
            case "VMRuntime.newUnpaddedArray":
            case "VMRuntime.newNonMovableArray":
                return Array.newInstance((Class<?>) arguments[0], (Integer) arguments[1]);
            case "SystemClock.uptimeMillis":
                // Time passes whenever somebody looks: commands that wait for it end.
                now += STEP_MS;
                return now;
            default:
        }
        Object answer = services.answer(method, type, arguments);
        return answer == null ? nothing(type) : answer;
    }

    private static Object nothing(String type) {
        switch (type) {
            case "Z":
                return false;
            case "B":
                return (byte) 0;
            case "C":
                return (char) 0;
            case "S":
                return (short) 0;
            case "I":
                return 0;
            case "J":
                return 0L;
            case "F":
                return 0F;
            case "D":
                return 0D;
            default:
                return null;
        }
    }
}
