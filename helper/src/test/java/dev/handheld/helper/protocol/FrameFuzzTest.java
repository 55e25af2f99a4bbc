package dev.handheld.helper.protocol;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.Test;

/**
 * Frames with changed bytes: each is read or refused, quickly and with bounded memory. More of them:
 * {@code make fuzz WHAT=helper COUNT=1000000 SEED=2}.
 */
public final class FrameFuzzTest {
    private static final int CASES = Integer.getInteger("fuzz.cases", 20_000);
    private static final long SEED = Long.getLong("fuzz.seed", 1L);
    private static final int LARGEST = 64 * 1024;
    private static final long MOST_NANOS = 100_000_000L;
    /** A case may allocate one frame of the largest size, and what is decoded from its own bytes. */
    private static final long MOST_BYTES = 32L * 1024 * 1024;

    private static final int WARM_UP = 2000;
    private static final int AGAIN = 3;
    private static final String[] TOKENS = {
        "{", "}", "[", "]", ":", ",", "\"", "\\", "null", "true", "false", "-", "1e999", "NaN", "0",
        "\\ud800", "\\u0000", "\"do\"", "\"with\"", "\"budget_ms\"", "\"act\"", "\"then\"",
        "\"strokes\"", "99999999999999999999", "\u0000", "\u00ff", "\u2028", "4e9"
    };
    private static final int[] EDGES = {0, 1, 4, 5, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, -1};
    private static final Runnable NOBODY =
            new Runnable() {
                @Override
                public void run() {}
            };

    private final Map<String, Command> commands =
            dev.handheld.helper.commands.Commands.all();
    private final Map<String, Integer> outcomes = new TreeMap<String, Integer>();
    private final com.sun.management.ThreadMXBean memory =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    public void changedFramesAreReadOrRefused() throws Exception {
        List<byte[]> seeds = seeds();
        ThreadMXBean time = ManagementFactory.getThreadMXBean();
        long slowest = 0;
        long most = 0;
        for (int number = -WARM_UP; number < CASES; number++) {
            // Each by its own number, so that one of them can be run by itself.
            byte[] data = mutate(seeds, new Random(SEED * 1_000_003 + number));
            long taken = Long.MAX_VALUE;
            long allocated = 0;
            for (int again = 0; again <= AGAIN && taken > MOST_NANOS; again++) {
                long before = memory.getThreadAllocatedBytes(Thread.currentThread().getId());
                long begun = time.getCurrentThreadCpuTime();
                String outcome = read(data, number);
                taken = Math.min(taken, time.getCurrentThreadCpuTime() - begun);
                allocated = memory.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
                if (number >= 0 && again == 0) {
                    Integer seen = outcomes.get(outcome);
                    outcomes.put(outcome, seen == null ? 1 : seen + 1);
                }
            }
            if (number < 0) {
                continue; // the first cases include the loading of classes
            }
            assertTrue(name(number, data) + " took " + taken + " ns", taken <= MOST_NANOS);
            assertTrue(name(number, data) + " took " + allocated + " B", allocated <= MOST_BYTES);
            slowest = Math.max(slowest, taken);
            most = Math.max(most, allocated);
        }
        System.out.printf(
                "%d frames with seed %d, 0 failed; the slowest took %.1f ms, the largest %.1f MB: %s%n",
                CASES, SEED, slowest / 1e6, most / 1e6, outcomes);
        assertTrue("valid calls are among them: " + outcomes, outcomes.containsKey("accepted"));
    }

    /** Do what the session does with the frames of a host, up to running a command. */
    private String read(byte[] data, int number) throws IOException {
        try {
            FrameReader reader = new FrameReader(new ByteArrayInputStream(data), NOBODY);
            for (Frame frame = reader.read(); frame != null; frame = reader.read()) {
                if (frame.kind == Kind.CALL) {
                    CallRequest request = CallRequest.read(frame.payload);
                    Command command = commands.get(request.command);
                    if (command != null) {
                        command.check(request.with);
                    }
                }
            }
            return "accepted";
        } catch (ProtocolError refused) {
            return "ProtocolError";
        } catch (Failure refused) {
            return "Failure " + refused.code.word();
        } catch (RuntimeException fault) {
            throw new AssertionError(name(number, data), fault);
        } catch (StackOverflowError | OutOfMemoryError fault) {
            throw new AssertionError(name(number, data), fault);
        }
    }

    /** How the case is found again: by its number, and as a vector for helper-frames.json. */
    private static String name(int number, byte[] data) {
        StringBuilder hex = new StringBuilder();
        for (byte one : Arrays.copyOf(data, Math.min(data.length, 400))) {
            hex.append(String.format("%02x", one));
        }
        return "case " + number + " of seed " + SEED + ", " + data.length + " bytes, \"hex\": \"" + hex
                + "\"";
    }

    private static List<byte[]> seeds() throws Exception {
        List<byte[]> seeds = new ArrayList<byte[]>();
        for (Map<String, Object> vector : VectorsTest.vectors("frames")) {
            seeds.add(VectorsTest.hex((String) vector.get("hex")));
        }
        for (Map<String, Object> vector : VectorsTest.vectors("bad_calls")) {
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            new FrameWriter(frame).write(Kind.CALL, 9, JsonWriter.bytes(vector.get("json")));
            seeds.add(frame.toByteArray());
        }
        return seeds;
    }

    private static byte[] mutate(List<byte[]> seeds, Random chance) {
        byte[] data = seeds.get(chance.nextInt(seeds.size())).clone();
        int changes = 1 + Math.min(7, (int) (-Math.log(1 - chance.nextDouble()) / 0.9));
        for (int change = 0; change < changes; change++) {
            data = change(data, seeds, chance);
        }
        // Half of the cases get a header that fits, so that the change of the payload is looked at.
        if (data.length >= 9 && chance.nextBoolean()) {
            writeNumber(data, 0, data.length - 4);
        }
        return data.length > LARGEST ? Arrays.copyOf(data, LARGEST) : data;
    }

    private static byte[] change(byte[] data, List<byte[]> seeds, Random chance) {
        int start = chance.nextInt(data.length + 1);
        int[] lengths = {1, 4, 16, 64, 1024};
        int end = Math.min(data.length, start + chance.nextInt(1 + lengths[chance.nextInt(5)]));
        byte[] part = Arrays.copyOfRange(data, start, end);
        byte[] token = TOKENS[chance.nextInt(TOKENS.length)].getBytes(StandardCharsets.UTF_8);
        int[] counts = {1, 1, 1, 2, 100, 600, LARGEST};
        int times = counts[chance.nextInt(counts.length)];
        switch (chance.nextInt(9)) {
            case 0: // flip a bit
                if (start < data.length) {
                    data[start] ^= (byte) (1 << chance.nextInt(8));
                }
                return data;
            case 1: // replace bytes
                chance.nextBytes(part);
                return join(data, start, part, end);
            case 2: // remove
                return join(data, start, new byte[0], end);
            case 3: // cut off
                return Arrays.copyOf(data, start);
            case 4: // repeat a part
                return join(data, start, repeat(part, 1 + times), end);
            case 5: // a part of another frame
                byte[] other = seeds.get(chance.nextInt(seeds.size()));
                int from = chance.nextInt(other.length);
                return join(data, start, Arrays.copyOfRange(other, from, other.length), end);
            case 6: // lie about a length or a number
                int at = chance.nextBoolean() ? 0 : start;
                if (at + 4 <= data.length) {
                    int near = data.length - 4 + chance.nextInt(3) - 1;
                    writeNumber(
                            data, at, chance.nextBoolean() ? near : EDGES[chance.nextInt(10)]);
                }
                return data;
            case 7: // a word of the format, also many times
                return join(data, start, repeat(token, times), end);
            default: // a frame after it
                byte[] next = seeds.get(chance.nextInt(seeds.size()));
                return join(data, data.length, next, data.length);
        }
    }

    private static byte[] repeat(byte[] part, int times) {
        int count = part.length == 0 ? 0 : Math.min(times, LARGEST / part.length);
        byte[] made = new byte[part.length * count];
        for (int number = 0; number < count; number++) {
            System.arraycopy(part, 0, made, number * part.length, part.length);
        }
        return made;
    }

    private static byte[] join(byte[] data, int start, byte[] middle, int end) {
        byte[] made = Arrays.copyOf(data, start + middle.length + data.length - end);
        System.arraycopy(middle, 0, made, start, middle.length);
        System.arraycopy(data, end, made, start + middle.length, data.length - end);
        return made;
    }

    private static void writeNumber(byte[] data, int at, int number) {
        for (int place = 0; place < 4; place++) {
            data[at + place] = (byte) (number >>> 24 - 8 * place);
        }
    }
}
