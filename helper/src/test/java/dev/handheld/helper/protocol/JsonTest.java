package dev.handheld.helper.protocol;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** Our own JSON: strict where it reads, mending where it writes. */
public final class JsonTest {
    private static final String[] BROKEN = {
        "",
        " ",
        "{",
        "}",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{\"a\":}",
        "[1 2]",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "0x10",
        "tru",
        "True",
        "nul",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u\u0661\u0661\u0661\u0661\"",
        "\"\n\"",
        "\"\u0000\"",
        "1 2",
        "// x\n1",
        "\ufeff1",
    };

    @Test
    public void whatIsNoJsonIsRefused() {
        for (String text : BROKEN) {
            try {
                JsonReader.value(text);
            } catch (ProtocolError expected) {
                continue;
            }
            fail("taken: " + text);
        }
    }

    @Test
    public void bytesThatAreNoUtf8AreRefused() {
        String[] all = {"22ff22", "22c022", "22c08022", "22eda08022", "22f490808022", "22e28222"};
        for (String hex : all) {
            try {
                JsonReader.value(VectorsTest.hex(hex));
            } catch (ProtocolError expected) {
                continue;
            }
            fail("taken: " + hex);
        }
    }

    @Test
    public void numbersKeepTheirKind() throws Exception {
        assertEquals(0L, JsonReader.value("0"));
        assertEquals(-12L, JsonReader.value("-12"));
        assertEquals(Long.MAX_VALUE, JsonReader.value("9223372036854775807"));
        assertEquals(Long.MIN_VALUE, JsonReader.value("-9223372036854775808"));
        String huge = "9223372036854775808";
        assertEquals(new BigInteger(huge), JsonReader.value(huge));
        assertEquals(1.0, JsonReader.value("1.0"));
        assertEquals(1000.0, JsonReader.value("1e3"));
        assertEquals(Double.POSITIVE_INFINITY, JsonReader.value("1e999"));
    }

    @Test
    public void escapesAreRead() throws Exception {
        Object read =
                JsonReader.value("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00\"");
        assertEquals("\"\\/\b\f\n\r\t\u00e4\ud83d\ude00", read);
        assertEquals("\ud83d", JsonReader.value("\"\\ud83d\""));
    }

    @Test
    public void depthIsBounded() throws Exception {
        StringBuilder deep = new StringBuilder();
        for (int place = 0; place < 200_000; place++) {
            deep.append('[');
        }
        try {
            JsonReader.value(deep.toString());
        } catch (ProtocolError expected) {
            return;
        }
        fail("taken");
    }

    @Test
    public void manyShallowListsAreNotDeep() throws Exception {
        StringBuilder wide = new StringBuilder("[[]");
        for (int place = 0; place < 2000; place++) {
            wide.append(",[],{}");
        }
        assertEquals(4001, ((List<?>) JsonReader.value(wide.append("]").toString())).size());
    }

    @Test
    public void halfASurrogatePairBecomesAReplacementCharacter() {
        assertWritten("\"a\ufffdb\"", "a\ud83db");
        assertWritten("\"\ufffd\"", "\udc00");
        assertWritten("\"\ufffd\ufffd\"", "\udc00\ud83d");
        assertWritten("\"\ufffd\ud83d\ude00\"", "\ud83d\ud83d\ude00");
    }

    @Test
    public void whatIsWrittenIsReadBack() throws Exception {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            for (int place = random.nextInt(9000); place > 0; place--) {
                text.append((char) random.nextInt(round % 2 == 0 ? 0x10000 : 0x80));
            }
            String mended = Text.mend(text.toString());
            assertEquals(mended, JsonReader.value(JsonWriter.bytes(text.toString())));
        }
    }

    @Test
    public void everyKindOfValueIsWritten() {
        List<Object> all = new ArrayList<Object>();
        all.addAll(Arrays.<Object>asList(1, -20L, 1.5, true, "\u0001"));
        all.add(null);
        all.add(new String[] {"a", "\u20ac"});
        assertWritten("[1,-20,1.5,true,\"\\u0001\",null,[\"a\",\"\u20ac\"]]", all);
    }

    private static void assertWritten(String expected, Object value) {
        assertArrayEquals(expected.getBytes(StandardCharsets.UTF_8), JsonWriter.bytes(value));
    }

    @Test(expected = IllegalArgumentException.class)
    public void notANumberIsNotWritten() {
        JsonWriter.bytes(Double.NaN);
    }

    @Test
    public void aCutLeavesNoHalfPair() {
        assertEquals("ab", Text.cut("ab\ud83d\ude00", 3));
        assertEquals("ab\ud83d\ude00", Text.cut("ab\ud83d\ude00", 4));
        assertEquals("", Text.cut("\ud83d\ude00", 1));
    }
}
