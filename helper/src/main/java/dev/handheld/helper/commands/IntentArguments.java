package dev.handheld.helper.commands;

import dev.handheld.helper.device.Handler;
import dev.handheld.helper.device.IntentFields;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.JsonWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An intent and its handlers as the protocol writes them. */
final class IntentArguments {
    private static final List<String> KINDS = Arrays.asList("activity", "service", "broadcast");
    private static final String[] TEXTS = {"action", "data", "mime", "package", "class"};
    private static final int CALL_LIMIT = 512 * 1024;
    private static final int MOST_HANDLERS = 200;
    private static final double LARGEST_FLOAT = Float.MAX_VALUE;

    private IntentArguments() {}

    /** Check everything but flags and extras. */
    static void check(Map<String, Object> with) {
        Arguments.word(with.get("type"), "type", KINDS);
        for (String name : TEXTS) {
            if (with.get(name) != null) {
                Arguments.text(with.get(name), name);
            }
        }
        if (with.get("class") != null && with.get("package") == null) {
            throw Arguments.bad("`class` is given without `package`.");
        }
        if (!(with.get("categories") instanceof List)) {
            throw Arguments.bad("`categories` is not a list.");
        }
        for (Object one : (List<?>) with.get("categories")) {
            Arguments.text(one, "categories");
        }
    }

    static void checkSize(Map<String, Object> with) {
        if (JsonWriter.bytes(with).length > CALL_LIMIT) {
            throw Arguments.bad("`with` is over " + CALL_LIMIT + " bytes.");
        }
    }

    static void checkExtras(Object extras) {
        boolean good = extras instanceof List;
        if (good) {
            for (Object one : (List<?>) extras) {
                good = good && isExtra(one);
            }
        }
        if (!good) {
            throw Arguments.bad("`extras` is not a list of names, types and values.");
        }
    }

    private static boolean isExtra(Object value) {
        if (!(value instanceof List) || ((List<?>) value).size() != 3) {
            return false;
        }
        List<?> extra = (List<?>) value;
        boolean named = extra.get(0) instanceof String && !((String) extra.get(0)).isEmpty();
        return named
                && extra.get(1) instanceof String
                && read((String) extra.get(1), extra.get(2)) != null;
    }

    /** Convert to the type that Android expects. Null for a value of another type. */
    private static Object read(String type, Object value) {
        switch (type) {
            case "string":
                return value instanceof String ? value : null;
            case "boolean":
                return value instanceof Boolean ? value : null;
            case "int":
                boolean small = value instanceof Long && (Long) value == ((Long) value).intValue();
                return small ? (Object) ((Long) value).intValue() : null;
            case "long":
                return value instanceof Long ? value : null;
            case "float":
                boolean real = isWithin(value, LARGEST_FLOAT);
                return real ? (Object) ((Number) value).floatValue() : null;
            case "double":
                boolean finite = isWithin(value, Double.MAX_VALUE);
                return finite ? (Object) ((Number) value).doubleValue() : null;
            case "strings":
                return texts(value);
            default:
                return null;
        }
    }

    private static boolean isWithin(Object value, double most) {
        return value instanceof Number && Math.abs(((Number) value).doubleValue()) <= most;
    }

    /** Null if one of them is something else. */
    private static List<String> texts(Object value) {
        if (!(value instanceof List)) {
            return null;
        }
        List<String> texts = new ArrayList<String>();
        for (Object one : (List<?>) value) {
            if (!(one instanceof String)) {
                return null;
            }
            texts.add((String) one);
        }
        return texts;
    }

    /** Read arguments that were checked. */
    static IntentFields read(Map<String, Object> with) {
        Map<String, Object> extras = new LinkedHashMap<String, Object>();
        if (with.containsKey("extras")) {
            for (Object one : (List<?>) with.get("extras")) {
                List<?> extra = (List<?>) one;
                Object value = read((String) extra.get(1), extra.get(2));
                extras.put((String) extra.get(0), value);
            }
        }
        Object flags = with.get("flags");
        return new IntentFields(
                IntentFields.Kind.valueOf(((String) with.get("type")).toUpperCase(Locale.ROOT)),
                (String) with.get("action"),
                (String) with.get("data"),
                (String) with.get("mime"),
                (String) with.get("package"),
                (String) with.get("class"),
                texts(with.get("categories")),
                flags == null ? 0 : ((Long) flags).intValue(),
                extras);
    }

    /** The first of them, as they are on the wire. */
    static List<Object> describe(List<Handler> handlers) {
        List<Object> described = new ArrayList<Object>();
        for (Handler handler : handlers.subList(0, Math.min(MOST_HANDLERS, handlers.size()))) {
            Map<String, Object> fields = new LinkedHashMap<String, Object>();
            fields.put("package", handler.packageName);
            fields.put("class", handler.className);
            fields.put("label", handler.label);
            fields.put("default", handler.chosen);
            described.add(fields);
        }
        return described;
    }

    /** How many are not described. */
    static int more(List<Handler> handlers) {
        return Math.max(0, handlers.size() - MOST_HANDLERS);
    }
}
