package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.AppOpsManager;
import android.content.Context;
import android.location.Location;
import android.location.LocationManager;
import android.os.SystemClock;
import dev.handheld.helper.device.Fix;
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

@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34, 35})
public final class AndroidLocationsTest implements InvocationHandler {
    private final Context context = RuntimeEnvironment.getApplication();
    private final LocationManager manager =
            (LocationManager) context.getSystemService(Context.LOCATION_SERVICE);
    private final AndroidLocations locations = new AndroidLocations(context);

    private static Location at(String provider, double latitude, long ago) {
        Location location = new Location(provider);
        location.setLatitude(latitude);
        location.setLongitude(19.25);
        location.setTime(System.currentTimeMillis());
        location.setElapsedRealtimeNanos(SystemClock.elapsedRealtimeNanos() - ago * 1000000);
        return location;
    }

    @Test
    public void newestPlaceOfAnyProviderIsTold() {
        assertNull(locations.last());
        SystemClock.setCurrentTimeMillis(60000);
        shadowOf(manager).setLastKnownLocation("network", at("network", 47.5, 9000));
        shadowOf(manager).setLastKnownLocation("gps", at("gps", 48.5, 1000));

        Fix fix = locations.last();

        assertNotNull(fix);
        assertEquals("gps", fix.provider);
        assertEquals(48.5, fix.latitude, 0);
        assertNull(fix.accuracy);
        assertFalse(fix.mock);
    }

    @Test
    public void switchOfTheOwnerIsTold() {
        shadowOf(manager).setProviderEnabled(LocationManager.GPS_PROVIDER, true);
        shadowOf(manager).setProviderEnabled(LocationManager.NETWORK_PROVIDER, true);
        assertTrue(locations.enabled());
    }

    /** What Android's own LocationManager asks of the service behind it. */
    private final List<String> asked = new ArrayList<String>();

    private Location put;

    private void listen() throws ReflectiveOperationException {
        Field service = LocationManager.class.getDeclaredField("mService");
        service.setAccessible(true);
        Class<?> type = service.getType();
        service.set(
                manager,
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        String name = method.getName();
        asked.add(name + " " + arguments[0]);
        if (name.equals("setTestProviderLocation")) {
            put = (Location) arguments[1];
        }
        if (name.equals("removeTestProvider")) {
            // As until Android 9 where there is none.
            throw new IllegalArgumentException("Provider \"" + arguments[0] + "\" unknown");
        }
        return null;
    }

    /** Whether the shell may pretend a place. */
    private int mode() {
        AppOpsManager ops = (AppOpsManager) context.getSystemService(Context.APP_OPS_SERVICE);
        return ops.checkOpNoThrow(
                AppOpsManager.OPSTR_MOCK_LOCATION, ShellContext.UID, ShellContext.PACKAGE);
    }

    @Test
    public void bothProvidersArePretended() throws ReflectiveOperationException {
        SystemClock.setCurrentTimeMillis(60000);
        listen();

        locations.pretend(47.5, 19.25, 3);

        List<String> wanted = new ArrayList<String>();
        for (String provider : new String[] {"gps", "network"}) {
            wanted.add("removeTestProvider " + provider);
            wanted.add("addTestProvider " + provider);
            wanted.add("setTestProviderEnabled " + provider);
            wanted.add("setTestProviderLocation " + provider);
        }
        assertEquals(wanted, asked);
        assertEquals("network", put.getProvider());
        assertEquals(47.5, put.getLatitude(), 0);
        assertEquals(19.25, put.getLongitude(), 0);
        assertEquals(3, put.getAccuracy(), 0);
        assertEquals(SystemClock.elapsedRealtimeNanos(), put.getElapsedRealtimeNanos());
        assertEquals(AppOpsManager.MODE_ALLOWED, mode());
    }

    @Test
    public void thePlaceIsToldAgainAlsoToTheFusedProvider() throws ReflectiveOperationException {
        shadowOf(manager).setProviderEnabled("fused", true);
        listen();

        locations.repeat(47.5, 19.25, 3);

        assertEquals(
                Arrays.asList(
                        "setTestProviderLocation gps",
                        "setTestProviderLocation network",
                        "setTestProviderLocation fused"),
                asked);
    }

    @Test
    public void allAreGivenUpAlsoWhereThereAreNone() throws ReflectiveOperationException {
        locations.pretend(47.5, 19.25, 3);
        listen();

        locations.stopPretending();

        assertEquals(
                Arrays.asList(
                        "removeTestProvider gps",
                        "removeTestProvider network",
                        "removeTestProvider fused"),
                asked);
        assertEquals(AppOpsManager.MODE_DEFAULT, mode());
    }
}
