package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import android.graphics.Rect;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeInfo.CollectionInfo;
import dev.handheld.helper.device.Node;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

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
}
