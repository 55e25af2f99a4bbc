package dev.handheld.helper.compat;

import android.os.Bundle;
import dev.handheld.helper.device.Offers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Conversion of Bundles to the protocol's values. */
final class Bundles {
    private Bundles() {}

    /** A map is sent as a HashMap, which arrives as the Serializable Map that providers expect. */
    static Bundle write(Map<String, Object> values) {
        Bundle bundle = new Bundle();
        for (Map.Entry<String, Object> one : values.entrySet()) {
            put(bundle, one.getKey(), one.getValue());
        }
        return bundle;
    }

    private static void put(Bundle bundle, String key, Object value) {
        if (value instanceof String) {
            bundle.putString(key, (String) value);
        } else if (value instanceof Boolean) {
            bundle.putBoolean(key, (Boolean) value);
        } else if (value instanceof Integer) {
            bundle.putInt(key, (Integer) value);
        } else if (value instanceof Long) {
            bundle.putLong(key, (Long) value);
        } else if (value instanceof Double) {
            bundle.putDouble(key, (Double) value);
        } else if (value instanceof String[]) {
            bundle.putStringArray(key, (String[]) value);
        } else if (value instanceof Map) {
            bundle.putSerializable(key, new HashMap<Object, Object>((Map<?, ?>) value));
        } else {
            throw new IllegalArgumentException("no such value in a bundle: " + key);
        }
    }

    /**
     * Read key by key: BaseBundle (frameworks/base/core/java/android/os/BaseBundle.java) since API
     * 33 throws when a value of a class that only the app has is read. Before, reading the keys
     * throws, and the values after such a value are never read.
     */
    static Map<String, Object> read(Bundle bundle) {
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        bundle.setClassLoader(Bundles.class.getClassLoader());
        for (String key : bundle.keySet()) {
            Object value;
            try {
                value = plain(get(bundle, key));
            } catch (RuntimeException strange) {
                value = Offers.UNREADABLE;
            }
            values.put(key, value);
        }
        return values;
    }

    @SuppressWarnings("deprecation") // The newer method needs the class.
    private static Object get(Bundle bundle, String key) {
        return bundle.get(key);
    }

    private static Object plain(Object value) {
        if (value instanceof String
                || value instanceof Boolean
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Double
                || value instanceof String[]) {
            return value;
        }
        if (value instanceof CharSequence) {
            return value.toString();
        }
        if (value instanceof Short || value instanceof Byte) {
            return ((Number) value).intValue();
        }
        if (value instanceof Float) {
            return Double.parseDouble(value.toString());
        }
        if (value instanceof List) {
            return strings((List<?>) value);
        }
        return value instanceof Map ? texts((Map<?, ?>) value) : Offers.UNREADABLE;
    }

    private static Object strings(List<?> values) {
        List<String> found = new ArrayList<String>();
        for (Object one : values) {
            if (!(one instanceof String)) {
                return Offers.UNREADABLE;
            }
            found.add((String) one);
        }
        return found.toArray(new String[0]);
    }

    private static Object texts(Map<?, ?> values) {
        Map<String, String> found = new LinkedHashMap<String, String>();
        for (Map.Entry<?, ?> one : values.entrySet()) {
            if (!(one.getKey() instanceof String) || !(one.getValue() instanceof String)) {
                return Offers.UNREADABLE;
            }
            found.put((String) one.getKey(), (String) one.getValue());
        }
        return found;
    }
}
