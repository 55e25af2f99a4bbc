package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.ActivityManager;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Foreground;
import dev.handheld.helper.device.Tree;
import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.util.ReflectionHelpers;

@SuppressWarnings("deprecation") // Made as the versions before 30 make them.
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

    private static ActivityManager.RunningTaskInfo task(String packageName, String activity) {
        ActivityManager.RunningTaskInfo task = new ActivityManager.RunningTaskInfo();
        task.topActivity = new ComponentName(packageName, activity);
        return task;
    }

    @Test
    public void aQuestionAboutAnAppIsInTheTaskThatTheAppBegan() {
        String asker = "com.google.android.permissioncontroller";
        ActivityManager.RunningTaskInfo task = task(asker, asker + ".Grant");
        task.baseActivity = new ComponentName("org.notes", "org.notes.Main");

        Foreground front = screen.inFront(null, task);

        assertEquals(asker, front.packageName);
        assertEquals("org.notes", front.begunBy);
    }

    @Test
    @Config(sdk = {30, 34})
    public void anAppThatPassedItsStartOnBeganTheTask() {
        ActivityManager.RunningTaskInfo task = task("org.browser", "org.browser.Main");
        task.baseActivity = task.topActivity;
        task.baseIntent = new Intent().setClassName("org.notes", "org.notes.Trampoline");

        Foreground front = screen.inFront(null, task);

        assertEquals("org.browser", front.packageName);
        assertEquals("org.notes", front.begunBy);
    }

    @Test
    @Config(sdk = {28, 30, 33, 34, 35})
    public void whoseTheTaskIsIsToldSinceAndroid10() {
        ActivityManager.RunningTaskInfo task = task("org.notes", "org.notes.Main");
        task.baseActivity = task.topActivity;
        boolean told = android.os.Build.VERSION.SDK_INT >= 29;
        for (int user : new int[] {0, 10}) {
            if (told) {
                ReflectionHelpers.setField(task, "userId", user);
            }
            Integer other = told && user != 0 ? user : null;
            assertEquals(other, screen.inFront(null, task).user);
        }
    }

    @Test
    public void withoutUiAutomationTheTopTaskIsInFront() {
        ActivityManager manager =
                (ActivityManager) context.getSystemService(Context.ACTIVITY_SERVICE);
        ActivityManager.RunningTaskInfo task = task("org.notes", "org.notes.Main");
        shadowOf(manager).setTasks(Arrays.asList(task));

        Foreground front = screen.foreground();

        assertEquals("org.notes", front.packageName);
        assertEquals("org.notes.Main", front.activity);
    }

    @Test
    public void nothingIsInFrontWithoutATask() {
        assertNull(screen.foreground());
    }

    @Test
    public void whatLiesOverAnAppIsNotInFront() {
        ActivityManager.RunningTaskInfo notes = task("org.notes", "org.notes.Main");
        Foreground slider =
                new Foreground("com.android.systemui", "com.android.systemui.Slider", null, null);
        Foreground mail = new Foreground("org.mail", "org.mail.Main", null, null);
        ComponentName declared = new ComponentName("org.mail", "org.mail.Main");
        shadowOf(context.getPackageManager()).addActivityIfNotPresent(declared);

        assertEquals("org.notes", screen.inFront(slider, notes).packageName);
        assertEquals("org.notes", screen.inFront(null, notes).packageName);
        // Until the other one is gone from the screen.
        assertSame(mail, screen.inFront(mail, notes));
        assertSame(slider, screen.inFront(slider, null));
        // A dialog of the app tells its own class.
        Foreground dialog = new Foreground("org.notes", "org.notes.Dialog", null, null);
        assertEquals("org.notes.Main", screen.inFront(dialog, notes).activity);
    }

    @Test
    public void aPanelIsNamedAsScreencapTakesIt() {
        assertEquals("4619827259835644672", AndroidScreen.panel("local:4619827259835644672"));
        assertEquals("-4", AndroidScreen.panel("local:-4"));
        assertNull(AndroidScreen.panel("virtual:com.example,10123,tv,0"));
        assertNull(AndroidScreen.panel(null));
        assertEquals(
                Arrays.asList("/system/bin/screencap", "-p", "-d", "4"), Screencap.command("4"));
        assertEquals(Arrays.asList("/system/bin/screencap", "-p"), Screencap.command(null));
    }

    @Test
    @Config(sdk = {28, 30}) // Of newer versions Robolectric knows no way to a child.
    public void aWalkTellsAllThatIsThereAndAddsNothingToWhatIsClosed() {
        AccessibilityNodeInfo root = AccessibilityNodeInfo.obtain(new View(context));
        AccessibilityNodeInfo child = AccessibilityNodeInfo.obtain(new View(context));
        shadowOf(root).addChild(child);
        shadowOf(child).addChild(AccessibilityNodeInfo.obtain(new View(context)));
        root.setPackageName("org.notes");
        Clock clock = new AndroidClock();

        Tree whole = new Tree(clock);
        screen.walk(root, whole);
        Tree closed = new Tree(clock);
        closed.close(false);
        screen.walk(root, closed);

        assertEquals("org.notes", whole.packageName());
        assertEquals(3, whole.nodes().size());
        assertFalse(whole.isIncomplete());
        assertEquals(2, whole.nodes().get(2).depth);
        assertTrue(closed.isEmpty());
        assertTrue(closed.isIncomplete());
    }
}
