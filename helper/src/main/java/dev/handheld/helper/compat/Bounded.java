package dev.handheld.helper.compat;

import dev.handheld.helper.device.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls to Android that an app can block: with a timeout. */
final class Bounded {
    private static final ExecutorService THREADS =
            Executors.newCachedThreadPool(
                    new ThreadFactory() {
                        @Override
                        public Thread newThread(Runnable work) {
                            Thread thread = new Thread(work, "handheld-bounded");
                            thread.setDaemon(true);
                            return thread;
                        }
                    });

    private Bounded() {}

    /** Null when there was no answer in time: the call continues. Exceptions are rethrown. */
    static <T> T ask(Clock clock, Callable<T> call, long patienceMs) {
        Future<T> answer = THREADS.submit(call);
        try {
            return answer(clock, answer, clock.now() + patienceMs);
        } catch (ExecutionException thrown) {
            Throwable cause = thrown.getCause();
            if (cause instanceof RuntimeException) {
                throw (RuntimeException) cause;
            }
            throw new IllegalStateException(cause);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private static <T> T answer(Clock clock, Future<T> answer, double until)
            throws ExecutionException, InterruptedException {
        double left = until - clock.now();
        while (left > 0) {
            try {
                return answer.get((long) Math.ceil(left), TimeUnit.MILLISECONDS);
            } catch (TimeoutException late) {
                // By another clock, which does not stop while the phone sleeps.
                left = until - clock.now();
            }
        }
        return null;
    }
}
