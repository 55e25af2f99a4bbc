package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import android.content.res.Resources;
import android.os.Build;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeInfo.AccessibilityAction;
import android.view.accessibility.AccessibilityNodeInfo.CollectionInfo;
import android.view.accessibility.AccessibilityNodeInfo.RangeInfo;
import dev.handheld.helper.device.Node;
import java.util.Arrays;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@SuppressWarnings("deprecation") // Made as the versions before 30 make them.
@RunWith(RobolectricTestRunner.class)
public final class NodeDetailsTest {
    private final AccessibilityNodeInfo info = AccessibilityNodeInfo.obtain();

    private Object told(String name) {
        Map<String, Object> told = NodeDetails.of(info);
        return told == null ? null : told.get(name);
    }

    @Test
    public void aPlainViewTellsNothing() {
        info.setText("Name");
        info.setError("");
        assertNull(NodeDetails.of(info));
    }

    @Test
    public void whatIsSetIsTold() {
        info.setError("Missing");
        info.setPaneTitle("Profile");
        info.setCollectionInfo(CollectionInfo.obtain(200, 1, false));
        info.setRangeInfo(RangeInfo.obtain(RangeInfo.RANGE_TYPE_FLOAT, 0, 1, 0.5f));

        assertEquals("Missing", told("error"));
        assertEquals("Profile", told("pane"));
        assertEquals(Arrays.<Object>asList(200, 1), told("rows"));
        assertEquals(Arrays.<Object>asList(1, 0f, 1f, 0.5f), told("range"));
    }

    @Test
    public void theHintIsThatOfAFieldWithContent() {
        info.setHintText("Email");
        assertNull(told("hint"));
        info.setEditable(true);
        assertEquals("Email", told("hint"));
        info.setShowingHintText(true);
        assertNull(told("hint"));
    }

    @Test
    public void anElementOfAWebPageTellsItsRole() {
        info.getExtras().putString("AccessibilityNodeInfo.chromeRole", "link");
        info.getExtras().putString("AccessibilityNodeInfo.targetUrl", "https://x.example/");
        info.setSource(new View(RuntimeEnvironment.getApplication()));
        assertNull(told("role"));
        info.setSource(new View(RuntimeEnvironment.getApplication()), 7);
        assertEquals("link", told("role"));
        assertEquals("https://x.example/", told("url"));
    }

    @Test
    public void aRoleOrAddressThatIsTooLongIsLeftOut() {
        info.setSource(new View(RuntimeEnvironment.getApplication()), 7);
        info.getExtras().putString("AccessibilityNodeInfo.chromeRole", "link");
        char[] letters = new char[2001];
        Arrays.fill(letters, 'x');
        info.getExtras().putString("AccessibilityNodeInfo.targetUrl", new String(letters));
        assertEquals("link", told("role"));
        assertNull(told("url"));
        info.getExtras().putString("AccessibilityNodeInfo.chromeRole", new String(letters));
        assertNull(told("role"));
    }

    @Test
    public void aRangeOfNoNumbersIsNone() {
        info.setRangeInfo(RangeInfo.obtain(0, 0, Float.NaN, 1));
        assertNull(told("range"));
        info.setRangeInfo(RangeInfo.obtain(0, Float.NEGATIVE_INFINITY, 1, 1));
        assertNull(told("range"));
        info.setRangeInfo(RangeInfo.obtain(0, 0, Float.MAX_VALUE, 1));
        assertEquals(Arrays.<Object>asList(0, 0f, Float.MAX_VALUE, 1f), told("range"));
    }

    @Test
    public void aProgressBarWithoutARangeIsLoading() {
        info.setClassName("android.widget.ProgressBar");
        assertEquals(true, told("loading"));
        info.setRangeInfo(RangeInfo.obtain(0, 0, 100, 1));
        assertNull(told("loading"));
    }

    @Test
    public void aStateThatOnlySaysCheckedIsNotTold() {
        if (Build.VERSION.SDK_INT < 30) {
            return;
        }
        Resources system = Resources.getSystem();
        String on = system.getString(system.getIdentifier("capital_on", "string", "android"));
        info.setStateDescription(on);
        assertEquals(on, told("state"));
        info.setCheckable(true);
        assertNull(told("state"));
        info.setStateDescription("Silent");
        assertEquals("Silent", told("state"));
    }

    @Test
    public void headingsAndDirectionsAreFlags() {
        info.setHeading(true);
        assertEquals(Node.HEADING, AndroidNodes.describe(info, 0, 0).flags);
        info.setHeading(false);
        info.addAction(AccessibilityAction.ACTION_SCROLL_FORWARD);
        info.addAction(AccessibilityAction.ACTION_SCROLL_DOWN);
        info.addAction(AccessibilityAction.ACTION_SCROLL_LEFT);
        assertEquals(0, AndroidNodes.describe(info, 0, 0).flags);
        info.setScrollable(true);
        assertEquals(
                Node.SCROLLABLE | Node.SCROLLS_FORWARD | Node.SCROLLS_DOWN | Node.SCROLLS_LEFT,
                AndroidNodes.describe(info, 0, 0).flags);
    }
}
