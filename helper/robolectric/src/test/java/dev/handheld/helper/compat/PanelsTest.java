package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import android.app.UiAutomation;
import android.graphics.Bitmap;
import android.view.SurfaceControl;
import android.view.View;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Who takes the picture of a phone with one panel or two. There is no screencap on a computer. */
@RunWith(RobolectricTestRunner.class)
@Config(shadows = {PanelsTest.Asked.class, PanelsTest.Panels.class})
public final class PanelsTest {
    private static int asked;
    private static long[] panels;

    @Implements(UiAutomation.class)
    public static final class Asked {
        @Implementation
        protected Bitmap takeScreenshot() {
            asked++;
            return Bitmap.createBitmap(4, 4, Bitmap.Config.ARGB_8888);
        }
    }

    @Implements(value = SurfaceControl.class, isInAndroidSdk = false)
    public static final class Panels {
        @Implementation(minSdk = 29, maxSdk = 33)
        protected static long[] getPhysicalDisplayIds() {
            return panels;
        }
    }

    private final AndroidAutomation automation = new AndroidAutomation();
    private final AndroidScreen screen =
            new AndroidScreen(RuntimeEnvironment.getApplication(), automation, new WindowDump());

    private Bitmap capture(long... there) {
        new FakeAndroid(new View(RuntimeEnvironment.getApplication()), 0);
        automation.take();
        asked = 0;
        panels = there;
        return screen.picture("4");
    }

    @After
    public void letGo() {
        automation.release();
    }

    @Test
    public void ofOnePanelUiAutomationTakesThePicture() {
        assertNotNull(capture(4));
        assertEquals(1, asked);
    }

    @Test
    @Config(sdk = 30)
    public void ofTwoPanelsItWouldTakeTheWrongOneAndIsNotAsked() {
        assertNull(capture(3, 4));
        assertEquals(0, asked);
    }

    @Test
    @Config(sdk = 34)
    public void since34ItTakesTheOneInUse() {
        assertNotNull(capture(3, 4));
        assertEquals(1, asked);
    }
}
