package dev.handheld.helper.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Compact JSON, written directly as UTF-8: a screen has thousands of strings, and none is copied. A
 * lone surrogate becomes U+FFFD.
 */
public final class JsonWriter {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] buffer = new byte[4096];
    private int size;

    /** Encode one value: null, String, Boolean, a number, a Map or a List of such. */
    public static byte[] bytes(Object value) {
        return new JsonWriter().value(value).bytes();
    }

    public byte[] bytes() {
        return Arrays.copyOf(buffer, size);
    }

    public int size() {
        return size;
    }

    /** Write one ASCII character of structure: a bracket, a comma or a colon. */
    public JsonWriter raw(char character) {
        room(1);
        buffer[size++] = (byte) character;
        return this;
    }

    public JsonWriter value(Object value) {
        if (value == null) {
            return ascii("null");
        }
        if (value instanceof String) {
            return text((String) value);
        }
        if (value instanceof Boolean) {
            return ascii(value.toString());
        }
        if (value instanceof Double || value instanceof Float) {
            return real(((Number) value).doubleValue());
        }
        if (value instanceof Number) {
            return ascii(value.toString());
        }
        if (value instanceof Map) {
            return object((Map<?, ?>) value);
        }
        if (value instanceof List) {
            return array((List<?>) value);
        }
        if (value instanceof String[]) {
            return array(Arrays.asList((String[]) value));
        }
        throw new IllegalArgumentException("JSON has no " + value.getClass().getName() + ".");
    }

    private JsonWriter real(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("JSON has no such number.");
        }
        return ascii(Double.toString(value));
    }

    private JsonWriter object(Map<?, ?> map) {
        raw('{');
        boolean first = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!first) {
                raw(',');
            }
            first = false;
            text((String) entry.getKey()).raw(':').value(entry.getValue());
        }
        return raw('}');
    }

    private JsonWriter array(List<?> list) {
        raw('[');
        boolean first = true;
        for (Object one : list) {
            if (!first) {
                raw(',');
            }
            first = false;
            value(one);
        }
        return raw(']');
    }

    public JsonWriter number(long value) {
        if (value >= 0 && value < 10) {
            return raw((char) ('0' + value));
        }
        return ascii(Long.toString(value));
    }

    private JsonWriter ascii(String text) {
        int length = text.length();
        room(length);
        for (int at = 0; at < length; at++) {
            buffer[size++] = (byte) text.charAt(at);
        }
        return this;
    }

    /** A string, or null. */
    public JsonWriter text(String text) {
        if (text == null) {
            return ascii("null");
        }
        int length = text.length();
        room(length + 2);
        buffer[size++] = '"';
        for (int at = 0; at < length; at++) {
            // An escape is six bytes, and no character takes more in UTF-8.
            if (buffer.length - size < 6) {
                room(length - at + 6);
            }
            char unit = text.charAt(at);
            if (unit < 0x80) {
                simple(unit);
            } else if (unit < 0x800) {
                buffer[size++] = (byte) (0xc0 | unit >> 6);
                buffer[size++] = (byte) (0x80 | unit & 0x3f);
            } else if (Character.isHighSurrogate(unit)
                    && at + 1 < length
                    && Character.isLowSurrogate(text.charAt(at + 1))) {
                int point = Character.toCodePoint(unit, text.charAt(++at));
                buffer[size++] = (byte) (0xf0 | point >> 18);
                buffer[size++] = (byte) (0x80 | point >> 12 & 0x3f);
                buffer[size++] = (byte) (0x80 | point >> 6 & 0x3f);
                buffer[size++] = (byte) (0x80 | point & 0x3f);
            } else {
                int point = Character.isSurrogate(unit) ? 0xfffd : unit;
                buffer[size++] = (byte) (0xe0 | point >> 12);
                buffer[size++] = (byte) (0x80 | point >> 6 & 0x3f);
                buffer[size++] = (byte) (0x80 | point & 0x3f);
            }
        }
        return raw('"');
    }

    private void simple(char unit) {
        if (unit >= 0x20 && unit != '"' && unit != '\\') {
            buffer[size++] = (byte) unit;
            return;
        }
        buffer[size++] = '\\';
        switch (unit) {
            case '"':
            case '\\':
                buffer[size++] = (byte) unit;
                break;
            case '\n':
                buffer[size++] = 'n';
                break;
            case '\r':
                buffer[size++] = 'r';
                break;
            case '\t':
                buffer[size++] = 't';
                break;
            case '\b':
                buffer[size++] = 'b';
                break;
            case '\f':
                buffer[size++] = 'f';
                break;
            default:
                buffer[size++] = 'u';
                buffer[size++] = '0';
                buffer[size++] = '0';
                buffer[size++] = HEX[unit >> 4];
                buffer[size++] = HEX[unit & 15];
        }
    }

    private void room(int more) {
        if (buffer.length - size < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
        }
    }
}
