package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.content.Context;
import android.location.Location;
import android.location.LocationManager;
import android.os.SystemClock;
import dev.handheld.helper.device.Fix;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@RunWith(RobolectricTestRunner.class)
public final class AndroidLocationsTest {
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
}
