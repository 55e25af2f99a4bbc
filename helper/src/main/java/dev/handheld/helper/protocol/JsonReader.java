package dev.handheld.helper.protocol;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Strict JSON in strict UTF-8. Android's own reader accepts NaN, comments and single quotes, and
 * loses the type of numbers; here an integer is a Long (or a BigInteger beyond it), any other
 * number a Double.
 */
public final class JsonReader {
    private static final int DEEPEST = 500;
    private static final int LONGEST_NUMBER = 4000;

    private final String text;
    private int at;
    private int depth;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Parse a frame's payload, which is an object. */
    public static Map<String, Object> object(byte[] payload) throws ProtocolError {
        Object value = value(payload);
        if (!(value instanceof Map)) {
            throw new ProtocolError("A frame that should hold a JSON object holds something else.");
        }
        @SuppressWarnings("unchecked")
        Map<String, Object> map = (Map<String, Object>) value;
        return map;
    }

    public static Object value(byte[] payload) throws ProtocolError {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
        } catch (CharacterCodingException problem) {
            throw new ProtocolError("A frame that should hold JSON is not UTF-8.");
        }
        return value(text);
    }

    public static Object value(String text) throws ProtocolError {
        JsonReader reader = new JsonReader(text);
        Object value = reader.read();
        reader.skip();
        if (reader.at != text.length()) {
            throw reader.bad();
        }
        return value;
    }

    private ProtocolError bad() {
        return new ProtocolError("A frame that should hold JSON does not, at " + at + ".");
    }

    private void skip() {
        while (at < text.length()) {
            char here = text.charAt(at);
            if (here != ' ' && here != '\n' && here != '\r' && here != '\t') {
                return;
            }
            at++;
        }
    }

    private char peek() throws ProtocolError {
        skip();
        if (at >= text.length()) {
            throw bad();
        }
        return text.charAt(at);
    }

    private Object read() throws ProtocolError {
        char first = peek();
        switch (first) {
            case '{':
                return readObject();
            case '[':
                return readArray();
            case '"':
                return readString();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return readNumber();
        }
    }

    private Object word(String word, Object value) throws ProtocolError {
        if (!text.startsWith(word, at)) {
            throw bad();
        }
        at += word.length();
        return value;
    }

    private void deeper() throws ProtocolError {
        if (++depth > DEEPEST) {
            throw bad();
        }
        at++;
    }

    private Map<String, Object> readObject() throws ProtocolError {
        Map<String, Object> map = new LinkedHashMap<String, Object>();
        deeper();
        if (peek() == '}') {
            at++;
            depth--;
            return map;
        }
        while (true) {
            if (peek() != '"') {
                throw bad();
            }
            String name = readString();
            if (peek() != ':') {
                throw bad();
            }
            at++;
            map.put(name, read());
            char next = peek();
            at++;
            if (next == '}') {
                depth--;
                return map;
            }
            if (next != ',') {
                throw bad();
            }
        }
    }

    private List<Object> readArray() throws ProtocolError {
        List<Object> list = new ArrayList<Object>();
        deeper();
        if (peek() == ']') {
            at++;
            depth--;
            return list;
        }
        while (true) {
            list.add(read());
            char next = peek();
            at++;
            if (next == ']') {
                depth--;
                return list;
            }
            if (next != ',') {
                throw bad();
            }
        }
    }

    private String readString() throws ProtocolError {
        int start = ++at;
        StringBuilder made = null;
        while (at < text.length()) {
            char here = text.charAt(at);
            if (here == '"') {
                String rest = text.substring(start, at++);
                return made == null ? rest : made.append(rest).toString();
            }
            if (here < 0x20) {
                throw bad();
            }
            if (here != '\\') {
                at++;
                continue;
            }
            if (made == null) {
                made = new StringBuilder();
            }
            made.append(text, start, at);
            made.append(escape());
            start = at;
        }
        throw bad();
    }

    private char escape() throws ProtocolError {
        if (at + 1 >= text.length()) {
            throw bad();
        }
        char letter = text.charAt(at + 1);
        at += 2;
        switch (letter) {
            case '"':
            case '\\':
            case '/':
                return letter;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return unit();
            default:
                throw bad();
        }
    }

    private char unit() throws ProtocolError {
        int value = 0;
        for (int place = 0; place < 4; place++, at++) {
            char here = at < text.length() ? text.charAt(at) : ' ';
            // Character.digit also accepts the digits of other scripts.
            int digit = here < 0x80 ? Character.digit(here, 16) : -1;
            if (digit < 0) {
                throw bad();
            }
            value = value << 4 | digit;
        }
        return (char) value;
    }

    private Object readNumber() throws ProtocolError {
        int start = at;
        if (here() == '-') {
            at++;
        }
        if (here() == '0') {
            at++;
        } else {
            digits();
        }
        boolean whole = true;
        if (here() == '.') {
            whole = false;
            at++;
            digits();
        }
        if (here() == 'e' || here() == 'E') {
            whole = false;
            at++;
            if (here() == '+' || here() == '-') {
                at++;
            }
            digits();
        }
        if (at - start > LONGEST_NUMBER) {
            throw bad();
        }
        String number = text.substring(start, at);
        if (!whole) {
            return Double.valueOf(number);
        }
        // 18 digits always fit.
        if (number.length() <= 18) {
            return Long.valueOf(number);
        }
        BigInteger large = new BigInteger(number);
        return large.bitLength() < 64 ? (Object) Long.valueOf(large.longValue()) : large;
    }

    private char here() {
        return at < text.length() ? text.charAt(at) : ' ';
    }

    private void digits() throws ProtocolError {
        int start = at;
        while (here() >= '0' && here() <= '9') {
            at++;
        }
        if (at == start) {
            throw bad();
        }
    }
}
