package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.JsonWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Conversion of values between the protocol and Bundles. */
final class Bundles {
    static final int CALL_LIMIT = 512 * 1024;
    static final int REPLY_LIMIT = 1024 * 1024;

    private Bundles() {}

    static void checkSize(Object extras) {
        if (JsonWriter.bytes(extras).length > CALL_LIMIT) {
            throw Arguments.bad("`extras` are over " + CALL_LIMIT + " bytes.");
        }
    }

    /** Convert to the types of a Bundle. */
    static Map<String, Object> read(Map<String, Object> extras) {
        Map<String, Object> read = new LinkedHashMap<String, Object>();
        for (Map.Entry<String, Object> entry : extras.entrySet()) {
            Object value = readValue(entry.getValue());
            if (value == null) {
                throw Arguments.bad("`extras` is not null or an object that a Bundle can hold.");
            }
            read.put(entry.getKey(), value);
        }
        return read;
    }

    /** Null for what a Bundle cannot hold. */
    private static Object readValue(Object value) {
        if (value instanceof Long) {
            long whole = (Long) value;
            return whole == (int) whole ? (Object) (int) whole : value;
        }
        if (value instanceof Double) {
            return ((Double) value).isInfinite() ? null : value;
        }
        if (value instanceof List) {
            List<?> list = (List<?>) value;
            for (Object one : list) {
                if (!(one instanceof String)) {
                    return null;
                }
            }
            return list.toArray(new String[0]);
        }
        if (value instanceof Map) {
            return areStrings(value) ? value : null;
        }
        return value instanceof String || value instanceof Boolean ? value : null;
    }

    static boolean areStrings(Object map) {
        for (Object one : ((Map<?, ?>) map).values()) {
            if (!(one instanceof String)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the protocol can represent it: other values are listed, not guessed. */
    static boolean isReadable(Object value) {
        if (value instanceof Double) {
            return !((Double) value).isNaN() && !((Double) value).isInfinite();
        }
        if (value instanceof String[]) {
            for (String one : (String[]) value) {
                if (one == null) {
                    return false;
                }
            }
            return true;
        }
        return value instanceof String
                || value instanceof Boolean
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Map && areStrings(value);
    }
}
