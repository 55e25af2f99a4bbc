package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.handheld.helper.device.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Waiting for what may never come. */
public final class BoundedTest {
    private static final long LONG_MS = 300_000;
    private static final Clock MACHINE =
            new Clock() {
                @Override
                public double now() {
                    return System.nanoTime() / 1e6;
                }

                @Override
                public void await(Object monitor, double until) {
                    throw new AssertionError("Nobody waits for a monitor here.");
                }

                @Override
                public void wake(Object monitor) {}
            };

    @Test
    public void anAnswerIsPassedOn() {
        Callable<String> quick =
                new Callable<String>() {
                    @Override
                    public String call() {
                        return "here";
                    }
                };

        assertEquals("here", Bounded.ask(MACHINE, quick, LONG_MS));
    }

    @Test
    public void whatDoesNotAnswerInTimeIsLeftToItself() throws InterruptedException {
        final CountDownLatch app = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        Callable<String> hanging =
                new Callable<String>() {
                    @Override
                    public String call() throws InterruptedException {
                        app.await();
                        done.countDown();
                        return "late";
                    }
                };

        assertNull(Bounded.ask(MACHINE, hanging, 1));

        app.countDown();
        assertTrue(done.await(LONG_MS, TimeUnit.MILLISECONDS));
    }

    @Test
    public void whatIsThrownIsThrown() {
        final SecurityException refusal = new SecurityException("No.");
        Callable<String> refused =
                new Callable<String>() {
                    @Override
                    public String call() {
                        throw refusal;
                    }
                };

        try {
            Bounded.ask(MACHINE, refused, LONG_MS);
            fail("It was refused.");
        } catch (SecurityException told) {
            assertSame(refusal, told);
        }
    }
}
