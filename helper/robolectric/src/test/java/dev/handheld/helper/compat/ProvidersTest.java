package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;

import android.os.Binder;
import android.os.DeadObjectException;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

@RunWith(RobolectricTestRunner.class)
public final class ProvidersTest {
    /** The app's end of the line. */
    private static final class End extends Binder {
        private final boolean alive;

        End(boolean alive) {
            this.alive = alive;
        }

        @Override
        public boolean pingBinder() {
            return alive;
        }
    }

    private static String told(boolean alive, RuntimeException thrown) {
        Failure failure = Providers.failed("org.notes", new End(alive), thrown);
        assertEquals(Happened.MAYBE, failure.happened);
        return failure.code + ": " + failure.getMessage();
    }

    @Test
    public void anAppsExceptionIsToldInItsWords() {
        assertEquals(
                Code.APP_THREW + ": java.lang.IllegalArgumentException: no such note",
                told(true, new IllegalArgumentException("no such note")));
        assertEquals(
                Code.APP_THREW + ": java.lang.SecurityException: not you",
                told(true, new SecurityException("not you")));
    }

    @Test
    public void anAppThatDiedIsToldFromAnAnswerThatIsTooLarge() {
        RuntimeException dead = new IllegalStateException(new DeadObjectException());

        assertEquals(
                Code.APP_DIED + ": The process of org.notes ended before it had answered.",
                told(false, dead));
        assertEquals(
                Code.APP_THREW
                        + ": android.os.TransactionTooLargeException: the answer is too large.",
                told(true, dead));
    }
}
