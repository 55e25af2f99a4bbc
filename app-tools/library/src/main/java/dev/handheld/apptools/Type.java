package dev.handheld.apptools;

import org.json.JSONArray;
import org.json.JSONObject;

/** What a value is. The words are those of JSON Schema. */
public enum Type {
    /** A {@link String}. */
    STRING("string"),
    /** A {@link Boolean}. */
    BOOLEAN("boolean"),
    /** A whole number; a {@link Long}. */
    INTEGER("integer"),
    /** Any finite number; a {@link Double}. */
    NUMBER("number"),
    /** A {@link JSONArray}. */
    ARRAY("array"),
    /** A {@link JSONObject}. */
    OBJECT("object");

    /** Up to here a double holds every whole number. */
    private static final double EXACT = 9007199254740992.0;

    /** How declarations name it. */
    public final String word;

    Type(String word) {
        this.word = word;
    }

    /** The value as this type has it, or null for a value of another type. */
    Object accept(Object value) {
        switch (this) {
            case STRING:
                return value instanceof String ? value : null;
            case BOOLEAN:
                return value instanceof Boolean ? value : null;
            case INTEGER:
                return value instanceof Number ? whole((Number) value) : null;
            case NUMBER:
                return value instanceof Number ? finite((Number) value) : null;
            case ARRAY:
                return value instanceof JSONArray ? value : null;
            default:
                return value instanceof JSONObject ? value : null;
        }
    }

    private static Long whole(Number value) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short) {
            return value.longValue();
        }
        double number = value.doubleValue();
        // Also false for what is not a number.
        return number == Math.rint(number) && Math.abs(number) <= EXACT ? (long) number : null;
    }

    private static Double finite(Number value) {
        double number = value.doubleValue();
        return Double.isNaN(number) || Double.isInfinite(number) ? null : number;
    }

    /** The value that a text stands for, as tool providers receive it; null for none. */
    Object read(String text) {
        try {
            switch (this) {
                case STRING:
                    return text;
                case BOOLEAN:
                    return "true".equals(text) ? Boolean.TRUE : "false".equals(text) ? false : null;
                case INTEGER:
                case NUMBER:
                    return accept(number(text));
                case ARRAY:
                    return Json.array(text);
                default:
                    return Json.object(text);
            }
        } catch (NumberFormatException none) {
            return null;
        }
    }

    private static Number number(String text) {
        // Java would also read 0x10, 1f and NaN.
        for (int one = 0; one < text.length(); one++) {
            if ("0123456789+-.eE".indexOf(text.charAt(one)) < 0) {
                throw new NumberFormatException(text);
            }
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException notWhole) {
            return Double.valueOf(text);
        }
    }
}
