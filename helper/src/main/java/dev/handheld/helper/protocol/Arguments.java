package dev.handheld.helper.protocol;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Checks of a command's arguments: exactly its keys, each of its type. */
public final class Arguments {
    private Arguments() {}

    public static Failure bad(String message) {
        return new Failure(Code.BAD_CALL, message);
    }

    public static void keys(Map<String, Object> with, String... wanted) {
        if (!with.keySet().equals(new HashSet<String>(Arrays.asList(wanted)))) {
            throw bad("`with` does not have exactly these keys: " + sorted(wanted) + ".");
        }
    }

    static String sorted(String... words) {
        return list(new TreeSet<String>(Arrays.asList(words)));
    }

    /** Join the words with commas. */
    public static String list(Iterable<String> words) {
        StringBuilder list = new StringBuilder();
        for (String word : words) {
            list.append(list.length() == 0 ? "" : ", ").append(word);
        }
        return list.toString();
    }

    /** Require a string that is not empty. */
    public static String text(Object value, String name) {
        if (!(value instanceof String) || ((String) value).isEmpty()) {
            throw bad("`" + name + "` is not a string, or empty.");
        }
        return (String) value;
    }

    public static long whole(Object value, String name, long most) {
        if (!(value instanceof Long) || (Long) value < 0 || (Long) value > most) {
            throw bad("`" + name + "` is not a whole number from 0 to " + most + ".");
        }
        return (Long) value;
    }

    /** Require one of these words. */
    public static String word(Object value, String name, List<String> known) {
        if (!(value instanceof String) || !known.contains(value)) {
            throw bad("`" + name + "` is not one of " + list(known) + ".");
        }
        return (String) value;
    }

    /** Bounded: arithmetic cannot overflow; NaN is outside any bounds. */
    public static boolean isNumber(Object value) {
        if (!(value instanceof Long) && !(value instanceof Double)) {
            return false;
        }
        double number = ((Number) value).doubleValue();
        return number >= -1e9 && number <= 1e9;
    }

    public static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    /** Cast a value that was checked to be an object. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
