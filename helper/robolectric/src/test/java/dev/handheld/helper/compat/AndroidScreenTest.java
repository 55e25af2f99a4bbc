package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.robolectric.Shadows.shadowOf;

import android.app.ActivityManager;
import android.content.ComponentName;
import android.content.Context;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Foreground;
import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@RunWith(RobolectricTestRunner.class)
public final class AndroidScreenTest {
    private final Context context = RuntimeEnvironment.getApplication();
    private final AndroidScreen screen =
            new AndroidScreen(context, new AndroidAutomation(), new WindowDump());

    @Test
    public void theDisplayIsAsItIsTurned() {
        RuntimeEnvironment.setQualifiers("w411dp-h731dp-port-420dpi");
        Display upright = screen.display();
        RuntimeEnvironment.setQualifiers("w731dp-h411dp-land-420dpi");
        Display turned = screen.display();

        assertEquals(420, upright.density);
        assertEquals(1078, upright.width);
        assertEquals(1918, upright.height);
        assertEquals(1918, turned.width);
        assertEquals(1078, turned.height);
    }

    @Test
    public void withoutUiAutomationTheTopTaskIsInFront() {
        ActivityManager manager =
                (ActivityManager) context.getSystemService(Context.ACTIVITY_SERVICE);
        ActivityManager.RunningTaskInfo task = new ActivityManager.RunningTaskInfo();
        task.topActivity = new ComponentName("org.notes", "org.notes.Main");
        shadowOf(manager).setTasks(Arrays.asList(task));

        Foreground front = screen.foreground();

        assertEquals("org.notes", front.packageName);
        assertEquals("org.notes.Main", front.activity);
    }

    @Test
    public void nothingIsInFrontWithoutATask() {
        assertNull(screen.foreground());
    }
}
