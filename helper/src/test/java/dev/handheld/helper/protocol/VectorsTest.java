package dev.handheld.helper.protocol;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.Test;

/** The frames that every implementation reads and writes alike. */
public final class VectorsTest {
    private static final Runnable NOBODY =
            new Runnable() {
                @Override
                public void run() {}
            };

    @Test
    public void eachFrameIsReadAndWrittenAlike() throws Exception {
        for (Map<String, Object> vector : vectors("frames")) {
            String name = (String) vector.get("name");
            byte[] bytes = hex((String) vector.get("hex"));
            int kind = Kind.class.getField((String) vector.get("kind")).getInt(null);
            byte[] payload =
                    vector.containsKey("json")
                            ? JsonWriter.bytes(vector.get("json"))
                            : hex((String) vector.get("payload"));
            for (int piece : new int[] {1, bytes.length}) {
                FrameReader reader = new FrameReader(new Pieces(bytes, piece), NOBODY);
                Frame frame = reader.read();
                assertEquals(name, kind, frame.kind);
                assertEquals(name, vector.get("call"), frame.call);
                assertArrayEquals(name, payload, frame.payload);
                assertNull(name, reader.read());
            }
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            new FrameWriter(output).write(kind, (Long) vector.get("call"), payload);
            assertArrayEquals(name, bytes, output.toByteArray());
        }
    }

    @Test
    public void eachErrorIsWrittenAlike() throws Exception {
        int seen = 0;
        for (Map<String, Object> vector : vectors("frames")) {
            if (!vector.get("kind").equals("ERROR")) {
                continue;
            }
            seen++;
            Map<String, Object> json = Arguments.map(vector.get("json"));
            Code code = Code.valueOf(upper(json.get("code")));
            Happened happened = Happened.valueOf(upper(json.get("happened")));
            Failure failure = new Failure(code, (String) json.get("message"), happened);
            if (json.containsKey("data")) {
                failure.data().putAll(Arguments.map(json.get("data")));
            }
            assertArrayEquals(JsonWriter.bytes(json), failure.encode());
        }
        assertFalse(seen == 0);
    }

    @Test
    public void eachMalformedCallIsRefused() throws Exception {
        Map<String, Command> commands = dev.handheld.helper.commands.Commands.all();
        for (Map<String, Object> vector : vectors("bad_calls")) {
            try {
                CallRequest request = CallRequest.read(JsonWriter.bytes(vector.get("json")));
                commands.get(request.command).check(request.with);
            } catch (Failure failure) {
                assertEquals(Code.BAD_CALL, failure.code);
                continue;
            }
            throw new AssertionError(vector.get("name"));
        }
    }

    private static String upper(Object word) {
        return ((String) word).toUpperCase(Locale.ROOT);
    }

    static List<Map<String, Object>> vectors(String part) throws Exception {
        byte[] file = Files.readAllBytes(Paths.get("../tests/vectors/helper-frames.json"));
        @SuppressWarnings("unchecked")
        List<Map<String, Object>> vectors =
                (List<Map<String, Object>>) JsonReader.object(file).get(part);
        assertFalse(vectors.isEmpty());
        return vectors;
    }

    static byte[] hex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int place = 0; place < bytes.length; place++) {
            bytes[place] = (byte) Integer.parseInt(digits.substring(2 * place, 2 * place + 2), 16);
        }
        return bytes;
    }

    /** An input that gives at most so many bytes at once. */
    private static final class Pieces extends InputStream {
        private final ByteArrayInputStream bytes;
        private final int most;

        Pieces(byte[] bytes, int most) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.most = most;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int start, int size) throws IOException {
            return bytes.read(into, start, Math.min(size, most));
        }
    }

    @Test
    public void theGreetingComesBeforeTheFirstFrame() throws Exception {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        new FrameWriter(output).greet(Kind.HELLO, "{}".getBytes(StandardCharsets.UTF_8));
        byte[] expected = hex("48414e4448454c4420310a" + "00000007" + "10" + "00000000" + "7b7d");
        assertArrayEquals(expected, output.toByteArray());
    }

    @Test
    public void dataIsCutIntoPieces() throws Exception {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        byte[] data = new byte[Limits.DATA + 1];
        data[Limits.DATA] = 7;
        new FrameWriter(output).answer(5, data, "{}".getBytes(StandardCharsets.UTF_8));
        FrameReader reader =
                new FrameReader(new ByteArrayInputStream(output.toByteArray()), NOBODY);
        assertEquals(Limits.DATA, reader.read().payload.length);
        assertArrayEquals(new byte[] {7}, reader.read().payload);
        assertEquals(Kind.REPLY, reader.read().kind);
        assertNull(reader.read());
    }
}
