package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.app.UiAutomation;
import android.os.HandlerThread;
import android.os.RemoteException;
import android.view.View;
import android.view.accessibility.AccessibilityManager;
import android.view.accessibility.AccessibilityNodeInfo;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Tree;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.TimeoutException;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Android's own UiAutomation, its connection and its client for views, with services of ours. */
@RunWith(RobolectricTestRunner.class)
@Config(
        shadows = {
            AndroidAutomationTest.OwnAutomation.class,
            AndroidAutomationTest.OwnNode.class,
            AndroidAutomationTest.OwnManager.class
        })
public final class AndroidAutomationTest {
    /** Nothing in place of Robolectric's: the class is itself. */
    @Implements(UiAutomation.class)
    public static final class OwnAutomation {}

    /** One that does not let go of its listener. */
    @Implements(UiAutomation.class)
    public static final class Deaf {
        @Implementation
        protected void setOnAccessibilityEventListener(
                UiAutomation.OnAccessibilityEventListener listener) {
            if (listener == null) {
                throw new IllegalStateException("not connected");
            }
        }
    }

    @Implements(AccessibilityNodeInfo.class)
    public static final class OwnNode {}

    @Implements(AccessibilityManager.class)
    public static final class OwnManager {}

    private final FakeAndroid android =
            new FakeAndroid(new View(RuntimeEnvironment.getApplication()), 3);
    private final AndroidAutomation automation = new AndroidAutomation();

    @After
    public void letGo() {
        automation.release();
    }

    @Test
    public void androidsOwnConnectionTurnsTheScreenBackWhenItEnds() {
        android.locked = true;
        HandlerThread events = new HandlerThread("events");
        events.start();
        Object connection = AndroidAutomation.NEW_CONNECTION.make();
        Object held = AndroidAutomation.NEW.make(events.getLooper(), connection);
        AndroidAutomation.CONNECT.call(held, 1);
        android.locked = false;
        AndroidAutomation.DISCONNECT.call(held);
        events.quit();

        assertEquals(Collections.singletonList("freezeRotation"), android.turns);
    }

    @Test
    public void lettingGoTurnsNothing() {
        for (boolean locked : new boolean[] {true, false}) {
            android.locked = locked;
            automation.take();
            android.locked = !locked;
            automation.release();

            assertFalse(android.registered);
            assertEquals(Collections.emptyList(), android.turns);
        }
    }

    @Test
    public void oneThatAndroidHasEndedIsLetGoOfAndTakenAgain() {
        automation.take();
        AndroidAutomation.DISCONNECT.call(automation.get());
        automation.release();
        automation.take();

        assertTrue(android.registered);
    }

    @Test
    @Config(shadows = Deaf.class)
    public void aListenerThatStaysDoesNotKeepTheConnection() {
        automation.take();
        automation.release();

        assertFalse(android.registered);
    }

    @Test
    public void anotherHolderIsSaidToHoldIt() {
        android.registered = true;
        try {
            automation.take();
            fail();
        } catch (Failure held) {
            assertSame(Code.AUTOMATION_HELD, held.code);
        }
        assertEquals(Collections.emptyList(), android.turns);
    }

    @Test
    public void androidThatDoesNotConnectHasFailed() {
        RuntimeException since31 = new RuntimeException(new TimeoutException("Timeout"));
        RuntimeException until30 = new RuntimeException("Error while connecting UiAutomation");
        for (RuntimeException one : Arrays.asList(since31, until30)) {
            Failure failure = (Failure) AndroidAutomation.explained(one);
            assertSame(Code.FAILED, failure.code);
            assertSame(Happened.NO, failure.happened);
            assertTrue(failure.getMessage().contains("within 5 s"));
        }
        RuntimeException gone =
                new RuntimeException("Error while connecting UiAutomation", new RemoteException());
        assertSame(gone, AndroidAutomation.explained(gone));
    }

    @Test
    public void aWindowsRootBringsOthersAlong() {
        automation.take();
        automation.clearCache();
        AccessibilityNodeInfo root =
                AndroidNodes.root(automation.connection(), FakeAndroid.WINDOW, 4);

        assertEquals(3, root.getChildCount());
        assertEquals(1, android.prefetched.size());
        assertEquals(4, android.prefetched.get(0) & 4);
    }

    @Test
    public void whatCameBeforeAViewThatHangsIsThere() throws InterruptedException {
        automation.take();
        automation.clearCache();
        android.hanging = 1;
        final AndroidScreen screen =
                new AndroidScreen(
                        RuntimeEnvironment.getApplication(), automation, new WindowDump());
        Clock clock = new AndroidClock();
        final Tree tree = new Tree(clock);
        Thread walk =
                new Thread() {
                    @Override
                    public void run() {
                        screen.walk(
                                AndroidNodes.root(
                                        automation.connection(), FakeAndroid.WINDOW, 4),
                                tree);
                    }
                };
        walk.setDaemon(true);
        walk.start();
        android.hangs.await();
        tree.close(false);
        assertEquals(2, tree.nodes().size());
        android.goesOn.countDown();
        walk.join();

        assertEquals("org.notes", tree.packageName());
        assertEquals(2, tree.nodes().size());
        assertTrue(tree.isIncomplete());
    }
}
