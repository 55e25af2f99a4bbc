package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.ApplicationInfo;
import android.content.pm.ResolveInfo;
import dev.handheld.helper.device.Handler;
import dev.handheld.helper.device.IntentFields;
import dev.handheld.helper.device.IntentFields.Kind;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@RunWith(RobolectricTestRunner.class)
public final class AndroidIntentsTest {
    private static final double EXACT = 0;

    private final Context context = RuntimeEnvironment.getApplication();
    private final AndroidIntents intents = new AndroidIntents(context, new AndroidPhone(context));

    private static IntentFields fields(
            Kind kind, String className, Map<String, Object> extras, String... categories) {
        return new IntentFields(
                kind,
                Intent.ACTION_VIEW,
                "geo:47,19",
                "text/plain",
                "org.maps",
                className,
                Arrays.asList(categories),
                Intent.FLAG_ACTIVITY_NEW_TASK,
                extras);
    }

    private static IntentFields fields(Kind kind) {
        return fields(kind, null, Collections.<String, Object>emptyMap());
    }

    private static ResolveInfo found(String name, boolean exported, String permission) {
        ResolveInfo found = new ResolveInfo();
        found.activityInfo = new ActivityInfo();
        found.activityInfo.packageName = "org.maps";
        found.activityInfo.name = "org.maps." + name;
        found.activityInfo.exported = exported;
        found.activityInfo.permission = permission;
        found.activityInfo.applicationInfo = new ApplicationInfo();
        found.activityInfo.applicationInfo.packageName = "org.maps";
        found.activityInfo.applicationInfo.nonLocalizedLabel = "Maps";
        found.activityInfo.applicationInfo.uid = 10123;
        return found;
    }

    @Test
    public void anIntentHasWhatItsFieldsSay() {
        Map<String, Object> extras = new LinkedHashMap<String, Object>();
        extras.put("s", "x");
        extras.put("i", 7);
        extras.put("l", 8L);
        extras.put("f", 1.5f);
        extras.put("d", 0.1);
        extras.put("b", true);
        extras.put("t", Arrays.asList("x", "y"));
        Intent intent =
                AndroidIntents.make(
                        fields(Kind.ACTIVITY, "org.maps.Place", extras, Intent.CATEGORY_BROWSABLE));

        assertEquals(Intent.ACTION_VIEW, intent.getAction());
        assertEquals("geo:47,19", intent.getDataString());
        assertEquals("text/plain", intent.getType());
        assertEquals("org.maps", intent.getPackage());
        assertEquals(new ComponentName("org.maps", "org.maps.Place"), intent.getComponent());
        assertEquals(Collections.singleton(Intent.CATEGORY_BROWSABLE), intent.getCategories());
        assertEquals(Intent.FLAG_ACTIVITY_NEW_TASK, intent.getFlags());
        assertEquals("x", intent.getStringExtra("s"));
        assertEquals(7, intent.getIntExtra("i", 0));
        assertEquals(8L, intent.getLongExtra("l", 0));
        assertEquals(1.5f, intent.getFloatExtra("f", 0), (float) EXACT);
        assertEquals(0.1, intent.getDoubleExtra("d", 0), EXACT);
        assertTrue(intent.getBooleanExtra("b", false));
        assertEquals(Arrays.asList("x", "y"), intent.getStringArrayListExtra("t"));
    }

    @Test
    public void theActivityThatAndroidPicksIsChosen() {
        List<ResolveInfo> both =
                Arrays.asList(found("Place", true, null), found("Walk", true, null));
        List<Handler> handlers = intents.describe(both, both.get(1), Kind.ACTIVITY);

        assertEquals("org.maps/.Place", handlers.get(0).component());
        assertEquals("Maps", handlers.get(0).label);
        assertFalse(handlers.get(0).chosen);
        assertTrue(handlers.get(1).chosen);
    }

    @Test
    public void theActivityThatAsksTheOwnerIsNoChoice() {
        List<ResolveInfo> both =
                Arrays.asList(found("Place", true, null), found("Walk", true, null));
        ResolveInfo asks = found("Resolver", true, null);
        asks.activityInfo.packageName = "android";
        for (Handler handler : intents.describe(both, asks, Kind.ACTIVITY)) {
            assertFalse(handler.chosen);
        }
        for (Handler handler : intents.describe(both, null, Kind.ACTIVITY)) {
            assertFalse(handler.chosen);
        }
    }

    @Test
    public void receiversSayWhyTheyAreClosed() {
        List<Handler> handlers =
                intents.describe(
                        Arrays.asList(
                                found("Open", true, null),
                                found("Closed", false, null),
                                found("Guarded", true, "org.GUARD")),
                        null,
                        Kind.BROADCAST);

        assertNull(handlers.get(0).denial);
        assertEquals("not exported from uid 10123", handlers.get(1).denial);
        assertEquals("requires org.GUARD", handlers.get(2).denial);
        assertTrue(handlers.get(2).chosen);
    }

    @Test
    public void codesOfAStartAreToldApart() {
        for (int code : new int[] {0, 1, 2, 3, 100}) {
            assertEquals(code, AndroidIntents.check(code, fields(Kind.ACTIVITY)));
        }
        Map<Integer, Code> refused = new LinkedHashMap<Integer, Code>();
        refused.put(-91, Code.NO_HANDLER);
        refused.put(-92, Code.NO_COMPONENT);
        refused.put(-94, Code.FAILED);
        refused.put(-96, Code.FAILED);
        refused.put(101, Code.FAILED);
        refused.put(102, Code.FAILED);
        for (Map.Entry<Integer, Code> one : refused.entrySet()) {
            try {
                AndroidIntents.check(one.getKey(), fields(Kind.ACTIVITY));
                fail("code " + one.getKey());
            } catch (Failure failure) {
                assertEquals(one.getValue(), failure.code);
            }
        }
    }
}
