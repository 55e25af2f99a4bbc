package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;
import static org.robolectric.Shadows.shadowOf;

import android.app.ActivityOptions;
import android.app.Application;
import android.app.Notification;
import android.app.PendingIntent;
import android.app.RemoteInput;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.os.Build;
import android.os.Bundle;
import android.os.IInterface;
import android.os.Process;
import android.os.UserHandle;
import android.os.UserManager;
import android.service.notification.NotificationListenerService;
import android.service.notification.StatusBarNotification;
import android.view.accessibility.AccessibilityEvent;
import dev.handheld.helper.device.Posted;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowServiceManager;

/** Notifications made and sent with Android's own classes. */
@RunWith(RobolectricTestRunner.class)
public final class AndroidNotificationsTest {
    private final Application context = RuntimeEnvironment.getApplication();
    private final Notices notices = new Notices();
    private final AndroidNotifications all =
            new AndroidNotifications(context, new AndroidPhone(context), notices);

    private PendingIntent broadcast(String action) {
        Intent intent = new Intent(action).setPackage(context.getPackageName());
        return PendingIntent.getBroadcast(context, 0, intent, PendingIntent.FLAG_MUTABLE);
    }

    private Notification.Builder builder() {
        return new Notification.Builder(context, "channel")
                .setSmallIcon(android.R.drawable.ic_dialog_email)
                .setContentTitle("Ada")
                .setContentText("Hello");
    }

    private Notification.Action.Builder action(String title) {
        return new Notification.Action.Builder(null, title, broadcast(title));
    }

    private static RemoteInput input(String key, boolean free) {
        return new RemoteInput.Builder(key)
                .setChoices(new CharSequence[] {"Yes", "No"})
                .setAllowFreeFormInput(free)
                .build();
    }

    private Posted read(Notification notification) {
        return all.read(posted(notification));
    }

    private static StatusBarNotification posted(Notification notification) {
        return posted(notification, Process.myUserHandle());
    }

    private StatusBarNotification postedTo(int user) {
        return posted(builder().build(), UserHandle.getUserHandleForUid(user * 100_000 + 10_001));
    }

    private static StatusBarNotification posted(Notification notification, UserHandle user) {
        return new StatusBarNotification(
                "com.x", "com.x", 7, "tag", 10_001, 0, notification, user, null, 1234);
    }

    @Test
    public void oneThatIsOddTakesNoOtherAlong() {
        Notification odd = builder().build();
        odd.actions = new Notification.Action[] {null};
        StatusBarNotification[] both = {posted(odd), posted(builder().build())};
        List<Posted> found = all.readAll(both);
        assertEquals(2, found.size());
        assertEquals("com.x", found.get(0).packageName);
        assertTrue(found.get(0).problem, found.get(0).problem.contains("NullPointerException"));
        assertEquals("Ada", found.get(1).title);
        assertNull(found.get(1).problem);
    }

    /** Android makes the views of every notification for listeners of before Android 7. */
    @Test
    @Config(sdk = {28, 30, 33, 34, 35})
    public void androidMakesNoViewsForThisListener() throws ReflectiveOperationException {
        final ApplicationInfo old = new ApplicationInfo(context.getApplicationInfo());
        old.targetSdkVersion = 0;
        Context before =
                new ContextWrapper(context) {
                    @Override
                    public ApplicationInfo getApplicationInfo() {
                        return old;
                    }
                };
        assertNotNull(populated(before).contentView);
        assertNull(populated(new ShellContext(context)).contentView);
    }

    private Notification populated(Context listening) throws ReflectiveOperationException {
        NotificationListenerService listener = new NotificationListenerService() {};
        Field system = NotificationListenerService.class.getDeclaredField("mSystemContext");
        system.setAccessible(true);
        system.set(listener, listening);
        Notification made = builder().build();
        made.contentView = null;
        Method populate =
                NotificationListenerService.class.getDeclaredMethod(
                        "maybePopulateRemoteViews", Notification.class);
        populate.setAccessible(true);
        populate.invoke(listener, made);
        return made;
    }

    @Test
    public void aNotificationIsReadWithItsActions() {
        Notification made =
                builder()
                        .setSubText("Home")
                        .setStyle(new Notification.BigTextStyle().bigText("Hello and more"))
                        .setCategory(Notification.CATEGORY_MESSAGE)
                        .setGroup("chat")
                        .setAutoCancel(true)
                        .setContentIntent(broadcast("open"))
                        .addAction(action("Mute").build())
                        .addAction(action("Pick").addRemoteInput(input("a", false)).build())
                        .addAction(action("Answer").addRemoteInput(input("b", true)).build())
                        .build();
        Posted posted = read(made);
        assertEquals("com.x", posted.packageName);
        assertTrue(posted.key, posted.key.startsWith("0|com.x|7|tag|10001"));
        assertEquals(1234, posted.posted);
        assertEquals("Ada", posted.title);
        assertEquals("Hello", posted.text);
        assertEquals("Hello and more", posted.bigText);
        assertEquals("Home", posted.subText);
        assertEquals("msg", posted.category);
        assertTrue(posted.group, posted.group.contains("chat"));
        assertTrue(posted.clearable);
        assertFalse(posted.ongoing);
        assertEquals(Posted.Tap.OTHER, posted.tap);
        String[] titles = {"Mute", "Pick", "Answer"};
        boolean[] takes = {false, false, true};
        for (int one = 0; one < titles.length; one++) {
            assertEquals(titles[one], posted.actions.get(one).title);
            assertEquals(takes[one], posted.actions.get(one).takesText);
            assertTrue(posted.actions.get(one).does);
        }
    }

    @Test
    public void oneThatSaysLittleHasNothing() {
        Notification made =
                new Notification.Builder(context, "channel")
                        .setOngoing(true)
                        .setStyle(new Notification.InboxStyle().addLine("one").addLine("two"))
                        .build();
        Posted posted = read(made);
        assertNull(posted.title);
        assertNull(posted.text);
        assertEquals("one\ntwo", posted.bigText);
        assertNull(posted.group);
        assertTrue(posted.ongoing);
        assertFalse(posted.clearable);
        assertEquals(Posted.Tap.NOTHING, posted.tap);
        assertTrue(posted.actions.isEmpty());
    }

    private Intent sent() {
        List<Intent> broadcasts = shadowOf(context).getBroadcastIntents();
        return broadcasts.get(broadcasts.size() - 1);
    }

    @Test
    public void aTapSendsTheContentIntent() {
        all.open(read(builder().setContentIntent(broadcast("open")).build()));
        assertEquals("open", sent().getAction());
    }

    @Test
    public void aReplyFillsEveryInputThatTakesAnyText() {
        Notification.Action answer =
                action("Answer")
                        .addRemoteInput(input("a", true))
                        .addRemoteInput(input("b", false))
                        .addRemoteInput(input("c", true))
                        .build();
        all.press(read(builder().addAction(answer).build()), 0, "Hi");
        assertEquals("Answer", sent().getAction());
        Bundle results = RemoteInput.getResultsFromIntent(sent());
        assertEquals("Hi", String.valueOf(results.getCharSequence("a")));
        assertNull(results.getCharSequence("b"));
        assertEquals("Hi", String.valueOf(results.getCharSequence("c")));
        all.press(read(builder().addAction(action("Mute").build()).build()), 0, null);
        assertEquals("Mute", sent().getAction());
        assertNull(RemoteInput.getResultsFromIntent(sent()));
    }

    @Test
    public void whatTheAppHasWithdrawnIsNotSent() {
        PendingIntent intent = broadcast("open");
        Posted posted = read(builder().setContentIntent(intent).build());
        intent.cancel();
        try {
            all.open(posted);
        } catch (Failure refused) {
            assertEquals(Code.FAILED, refused.code);
            return;
        }
        fail("It was sent.");
    }

    @Test
    public void whatCameInAnEventCanBeActedOn() {
        notices.keepWhole();
        AccessibilityEvent event =
                AccessibilityEvent.obtain(AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED);
        event.setPackageName("com.x");
        event.setClassName(Notification.class.getName());
        final int[] told = {0};
        all.listen(
                new Runnable() {
                    @Override
                    public void run() {
                        told[0]++;
                    }
                });
        event.setParcelableData(builder().setContentIntent(broadcast("open")).build());
        notices.keep(event);
        assertEquals(1, told[0]);
        assertEquals(1, all.count());
        Posted heard = all.heard().get(0);
        assertEquals("com.x", heard.packageName);
        assertEquals("Hello", heard.text);
        all.open(heard);
        assertEquals("open", sent().getAction());
    }

    @Test
    public void onlyTheLastFiftyAreKept() {
        notices.keepWhole();
        for (int number = 0; number < 60; number++) {
            AccessibilityEvent event =
                    AccessibilityEvent.obtain(AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED);
            event.setPackageName("com.x");
            event.setClassName(Notification.class.getName());
            event.setParcelableData(builder().setContentTitle("n" + number).build());
            notices.keep(event);
        }
        assertEquals(50, all.heard().size());
        assertEquals("n59", all.heard().get(0).title);
        assertEquals(60, all.count());
    }

    /** After a switch a listener of one user hears nothing more. */
    @Test
    @Config(sdk = {30, 33, 34, 35})
    public void theListenerIsForEveryUser() throws ReflectiveOperationException {
        final List<Object> users = new ArrayList<Object>();
        Class<? extends IInterface> type =
                Class.forName("android.app.INotificationManager").asSubclass(IInterface.class);
        Object service =
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] with) {
                                if (method.getName().equals("registerListener")) {
                                    users.add(with[2]);
                                }
                                return null;
                            }
                        });
        ShadowServiceManager.addBinderService(
                Context.NOTIFICATION_SERVICE, type, (IInterface) service);

        assertTrue(all.listens());

        assertEquals(Arrays.<Object>asList(-1), users);
    }

    @Test
    @Config(sdk = {28, 30, 33, 34, 35})
    public void thoseOfAProfileAreReadAndOthersAreNot() throws ReflectiveOperationException {
        Class<?> type = Class.forName("android.os.IUserManager");
        Object service =
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] with) {
                                assertEquals("getProfileIds", method.getName());
                                assertEquals(Arrays.<Object>asList(0, true), Arrays.asList(with));
                                return new int[] {0, 10};
                            }
                        });
        Field asked = UserManager.class.getDeclaredField("mService");
        asked.setAccessible(true);
        asked.set(context.getSystemService(Context.USER_SERVICE), service);
        List<String> keys = new ArrayList<String>();
        for (Posted one :
                all.readAll(
                        new StatusBarNotification[] {postedTo(0), postedTo(10), postedTo(11)})) {
            keys.add(one.key.substring(0, one.key.indexOf('|')));
        }
        assertEquals(Arrays.asList("0", "10"), keys);
    }

    @Test
    public void theCallsThatAreHiddenAreThere() {
        assertTrue(AndroidNotifications.PROFILES.isThere());
        assertTrue(AndroidNotifications.REGISTER.isThere());
        assertTrue(AndroidNotifications.IS_ACTIVITY.isThere());
        assertTrue(AndroidNotifications.CLICK.isThere());
        assertTrue(AndroidNotifications.VISIBILITY.isThere());
    }

    /** What Android's server makes of the options of a sender. */
    @Test
    @Config(sdk = {28, 30, 33, 34, 35})
    public void theAppIsLentThePermissionOfTheShell() throws ReflectiveOperationException {
        boolean lends = Build.VERSION.SDK_INT >= 33;
        assertEquals(lends || Build.VERSION.SDK_INT < 29, all.starts());
        Bundle options = AndroidNotifications.options();
        assertEquals(lends, options != null);
        if (!lends) {
            return;
        }
        Object read =
                ActivityOptions.class
                        .getMethod("fromBundle", Bundle.class)
                        .invoke(null, options);
        for (String name : new String[] {"", "ByPermission"}) {
            String question = "isPendingIntentBackgroundActivityLaunchAllowed" + name;
            assertEquals(
                    name, true, ActivityOptions.class.getMethod(question).invoke(read));
        }
    }

    /** With the signature that Android's service has: since 28 with what was seen of it. */
    @Test
    @Config(sdk = {28, 30, 33, 34, 35})
    public void theStatusBarIsToldWhatWasClicked() throws ReflectiveOperationException {
        final List<Object> told = new ArrayList<Object>();
        Class<? extends IInterface> type =
                Class.forName("com.android.internal.statusbar.IStatusBarService")
                        .asSubclass(IInterface.class);
        Object service =
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] with) {
                                if (method.getName().equals("onNotificationClick")) {
                                    told.addAll(Arrays.asList(with));
                                }
                                return null;
                            }
                        });
        ShadowServiceManager.addBinderService("statusbar", type, (IInterface) service);
        Posted seen = read(builder().build());

        all.clicked(seen);

        assertEquals(2, told.size());
        assertEquals(seen.key, told.get(0));
        Object visibility = told.get(1);
        assertEquals(seen.key, visibility.getClass().getField("key").get(visibility));
        assertEquals(true, visibility.getClass().getField("visible").get(visibility));
    }
}
