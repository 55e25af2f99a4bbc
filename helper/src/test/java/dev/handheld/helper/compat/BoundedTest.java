package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Waiting for what may never come. */
public final class BoundedTest {
    private static final long LONG_MS = 60_000;

    @Test
    public void anAnswerIsPassedOn() {
        Callable<String> quick =
                new Callable<String>() {
                    @Override
                    public String call() {
                        return "here";
                    }
                };

        assertEquals("here", Bounded.ask(quick, LONG_MS));
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

        assertNull(Bounded.ask(hanging, 1));

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
            Bounded.ask(refused, LONG_MS);
            fail("It was refused.");
        } catch (SecurityException told) {
            assertSame(refusal, told);
        }
    }
}
