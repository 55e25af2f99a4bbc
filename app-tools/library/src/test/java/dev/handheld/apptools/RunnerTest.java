package dev.handheld.apptools;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.After;
import org.junit.Test;

public final class RunnerTest {
    private static final int HANG_SECONDS = 300;
    private static final int SIDE_BY_SIDE = 4;
    private static final int WAITING = 32;

    private Runner runner;

    @After
    public void close() {
        runner.close();
    }

    private static String repeat(char one, int times) {
        char[] all = new char[times];
        Arrays.fill(all, one);
        return new String(all);
    }

    /** Return where the ends of this call are heard. */
    private BlockingQueue<Outcome> begin(Tool tool) {
        final BlockingQueue<Outcome> ends = new LinkedBlockingQueue<Outcome>();
        runner.begin(
                tool,
                Collections.<String, Object>emptyMap(),
                Runner.JSON,
                new Caller(Caller.UNKNOWN, -1, null),
                new Runner.Listener() {
                    @Override
                    public void ended(Outcome outcome) {
                        ends.add(outcome);
                    }
                });
        return ends;
    }

    private static Outcome end(BlockingQueue<Outcome> ends) throws InterruptedException {
        Outcome outcome = ends.poll(HANG_SECONDS, TimeUnit.SECONDS);
        assertNotNull("The call does not end.", outcome);
        return outcome;
    }

    private Outcome run(Tool tool) throws InterruptedException {
        runner = new Runner(null, Tools.of(tool), Callers.anybody());
        return end(begin(tool));
    }

    private static void assertFailed(String message, Outcome outcome) {
        assertSame(Outcome.End.FAILED, outcome.end);
        assertEquals(message, outcome.message);
    }

    @Test
    public void aHandlerWithoutEndIsInterruptedAtItsLimit() throws Exception {
        final BlockingQueue<Boolean> cancelled = new LinkedBlockingQueue<Boolean>();
        Tool tool =
                Tool.named("brew_tea", "Brews tea.")
                        .within(1)
                        .runs(
                                new Tool.Handler() {
                                    @Override
                                    public Reply run(Call call) throws InterruptedException {
                                        try {
                                            new CountDownLatch(1).await();
                                        } finally {
                                            cancelled.add(call.isCancelled());
                                        }
                                        return Reply.of("");
                                    }
                                });
        assertFailed("brew_tea did not end within 1 s; it may have been done.", run(tool));
        assertEquals(true, cancelled.poll(HANG_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    public void whatAHandlerSaysAfterItsLimitIsNotHeard() throws Exception {
        final CountDownLatch goOn = new CountDownLatch(1);
        Tool stubborn =
                Tool.named("brew_tea", "Brews tea.")
                        .within(1)
                        .runs(
                                new Tool.Handler() {
                                    @Override
                                    public Reply run(Call call) {
                                        while (true) {
                                            try {
                                                goOn.await();
                                                return Reply.of("Done.");
                                            } catch (InterruptedException ignored) {
                                                continue;
                                            }
                                        }
                                    }
                                });
        final CyclicBarrier all = new CyclicBarrier(SIDE_BY_SIDE);
        Tool together =
                Tool.named("drink_tea", "Drinks tea in company.")
                        .within(HANG_SECONDS)
                        .runs(
                                new Tool.Handler() {
                                    @Override
                                    public Reply run(Call call) throws Exception {
                                        all.await();
                                        return Reply.of("");
                                    }
                                });
        runner = new Runner(null, Tools.of(stubborn, together), Callers.anybody());
        BlockingQueue<Outcome> ends = begin(stubborn);
        assertFailed("brew_tea did not end within 1 s; it may have been done.", end(ends));
        goOn.countDown();
        // These need every thread, that of the late handler too.
        BlockingQueue<?>[] others = new BlockingQueue<?>[SIDE_BY_SIDE];
        for (int one = 0; one < SIDE_BY_SIDE; one++) {
            others[one] = begin(together);
        }
        for (BlockingQueue<?> one : others) {
            assertNotNull(one.poll(HANG_SECONDS, TimeUnit.SECONDS));
        }
        assertTrue(ends.isEmpty());
    }

    @Test
    public void aCallBeyondThoseThatMayWaitIsRefused() throws Exception {
        final CountDownLatch goOn = new CountDownLatch(1);
        final AtomicInteger ran = new AtomicInteger();
        Tool tool =
                Tool.named("brew_tea", "Brews tea.")
                        .within(HANG_SECONDS)
                        .runs(
                                new Tool.Handler() {
                                    @Override
                                    public Reply run(Call call) throws InterruptedException {
                                        ran.incrementAndGet();
                                        goOn.await();
                                        return Reply.of("Done.");
                                    }
                                });
        runner = new Runner(null, Tools.of(tool), Callers.anybody());
        BlockingQueue<?>[] accepted = new BlockingQueue<?>[SIDE_BY_SIDE + WAITING];
        for (int one = 0; one < accepted.length; one++) {
            accepted[one] = begin(tool);
        }
        assertFailed("Too many calls are waiting. Try again later.", end(begin(tool)));
        assertFalse(runner.execute(new Thread()));
        goOn.countDown();
        for (BlockingQueue<?> one : accepted) {
            Outcome outcome = (Outcome) one.poll(HANG_SECONDS, TimeUnit.SECONDS);
            assertSame(Outcome.End.DONE, outcome.end);
        }
        assertEquals(accepted.length, ran.get());
        assertSame(Outcome.End.DONE, end(begin(tool)).end);
    }

    private static Tool saying(final Reply reply) {
        return Tool.named("brew_tea", "Brews tea.")
                .returns("leaves", Type.STRING, "How they lie")
                .runs(
                        new Tool.Handler() {
                            @Override
                            public Reply run(Call call) {
                                return reply;
                            }
                        });
    }

    @Test
    public void theLongestReplyIsToldWhole() throws Exception {
        String longest = repeat('a', 100_000);
        assertEquals(longest, run(saying(Reply.of(longest))).reply.text());
    }

    @Test
    public void aLongerReplyIsRefused() throws Exception {
        assertFailed(
                "brew_tea was done, but its reply of 100001 characters is longer than 100000.",
                run(saying(Reply.of(repeat('a', 100_001)))));
    }

    @Test
    public void theValuesOfAReplyCountAsJson() throws Exception {
        // {"leaves":"…"}, each line end as two characters
        assertFailed(
                "brew_tea was done, but its reply of 100013 characters is longer than 100000.",
                run(saying(Reply.of("").with("leaves", repeat('\n', 50_000)))));
    }
}
