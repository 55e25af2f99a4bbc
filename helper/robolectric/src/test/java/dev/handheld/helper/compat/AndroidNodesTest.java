package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.graphics.Rect;
import android.os.Bundle;
import android.os.SystemClock;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeInfo.CollectionInfo;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import java.time.Duration;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowAccessibilityNodeInfo;
import org.robolectric.shadows.ShadowSystemClock;

@SuppressWarnings("deprecation") // Made as the versions before 30 make them.
@RunWith(RobolectricTestRunner.class)
public final class AndroidNodesTest {
    @Test
    public void aViewIsToldWithAllThatItIs() {
        AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain();
        info.setClassName("android.widget.EditText");
        info.setText("Name");
        info.setContentDescription("Your name");
        info.setViewIdResourceName("org.notes:id/name");
        info.setBoundsInScreen(new Rect(1, 2, 30, 40));
        info.setVisibleToUser(true);
        info.setClickable(true);
        info.setLongClickable(true);
        info.setFocusable(true);
        info.setScrollable(true);
        info.setEditable(true);
        info.setEnabled(true);
        info.setCheckable(true);
        info.setChecked(true);
        info.setFocused(true);
        info.setSelected(true);
        info.setPassword(true);
        info.setShowingHintText(true);
        info.setCollectionInfo(CollectionInfo.obtain(3, 1, false));

        Node node = AndroidNodes.describe(info, 4, 2);

        assertEquals(4, node.depth);
        assertEquals(2, node.index);
        assertEquals("android.widget.EditText", node.className);
        assertEquals("Name", node.text);
        assertEquals("Your name", node.description);
        assertEquals("org.notes:id/name", node.resourceId);
        assertEquals(new Rect(1, 2, 30, 40), box(node));
        assertEquals((1 << 14) - 1, node.flags);
    }

    @Test
    public void aViewThatOffersToCollapseIsExpanded() {
        AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain();

        info.addAction(AccessibilityNodeInfo.ACTION_EXPAND);
        assertEquals(Node.COLLAPSED, AndroidNodes.describe(info, 0, 0).flags);

        info.addAction(AccessibilityNodeInfo.ACTION_COLLAPSE);
        assertEquals(0, AndroidNodes.describe(info, 0, 0).flags);

        info.removeAction(AccessibilityNodeInfo.ACTION_EXPAND);
        assertEquals(Node.EXPANDED, AndroidNodes.describe(info, 0, 0).flags);
    }

    private static Rect box(Node node) {
        return new Rect(node.left, node.top, node.right, node.bottom);
    }

    @Test
    public void whatAViewHasNotIsNull() {
        Node node = AndroidNodes.describe(AccessibilityNodeInfo.obtain(), 0, 0);

        assertNull(node.className);
        assertNull(node.text);
        assertNull(node.description);
        assertNull(node.resourceId);
        assertEquals(0, node.flags);
    }

    @Test
    public void theKeyIsMadeOfWindowViewAndVirtualView() {
        View view = new View(RuntimeEnvironment.getApplication());
        AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain(view);
        info.setSource(view, 7);
        AccessibilityNodeInfo other = AccessibilityNodeInfo.obtain(view);
        other.setSource(view, -1);

        String[] parts = AndroidNodes.key(info).split(":");

        assertEquals(3, parts.length);
        assertEquals(info.getWindowId(), Integer.parseInt(parts[0]));
        assertEquals("7", parts[2]);
        assertEquals(parts[0] + ":" + parts[1] + ":-1", AndroidNodes.key(other));
    }

    @Test
    public void aViewThatDoesNotComeForFiveSecondsIsNotSaidToBeGone() {
        long began = SystemClock.uptimeMillis();
        AccessibilityNodeInfo view = AccessibilityNodeInfo.obtain();
        ShadowSystemClock.advanceBy(Duration.ofMillis(1000));

        assertNull(AndroidNodes.requireAnswer(null, began));

        ShadowSystemClock.advanceBy(Duration.ofMillis(4000));
        assertSame(view, AndroidNodes.requireAnswer(view, began));
        try {
            AndroidNodes.requireAnswer(null, began);
            fail("The app hangs.");
        } catch (Failure failure) {
            assertEquals(Code.FAILED, failure.code);
            assertEquals(Happened.NO, failure.happened);
        }
    }

    @Test
    public void whatAHangingAppWasToldToDoMayHaveHappened() {
        assertTrue(perform(true, 0));
        assertFalse(perform(false, 1000));
        assertTrue(perform(true, 5000));
        try {
            perform(false, 5000);
            fail("The app hangs.");
        } catch (Failure failure) {
            assertEquals(Code.FAILED, failure.code);
            assertEquals(Happened.MAYBE, failure.happened);
        }
        assertFalse(AndroidNodes.perform(null, AccessibilityNodeInfo.ACTION_CLICK, null));
    }

    private static boolean perform(final boolean done, final int takesMs) {
        AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain();
        Shadows.shadowOf(info)
                .setOnPerformActionListener(
                        new ShadowAccessibilityNodeInfo.OnPerformActionListener() {
                            @Override
                            public boolean onPerformAccessibilityAction(
                                    int action, Bundle arguments) {
                                ShadowSystemClock.advanceBy(Duration.ofMillis(takesMs));
                                return done;
                            }
                        });
        return AndroidNodes.perform(info, AccessibilityNodeInfo.ACTION_CLICK, null);
    }
}
