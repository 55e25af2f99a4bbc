package dev.handheld.helper.compat;

import android.annotation.SuppressLint;
import android.app.AppOpsManager;
import android.content.Context;
import android.location.Criteria;
import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.os.Build;
import android.os.Bundle;
import android.os.HandlerThread;
import android.os.SystemClock;
import dev.handheld.helper.device.Fix;
import dev.handheld.helper.device.Locations;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The phone's location as the shell may read it, and test providers, which the shell may add. */
final class AndroidLocations implements Locations {
    /** AppOpsManager.OP_MOCK_LOCATION. */
    private static final int MOCK_LOCATION = 58;

    /** LocationManager.FUSED_PROVIDER, which is not hidden since API 31. */
    private static final String FUSED = "fused";

    private static final String[] PRETENDED = {
        LocationManager.GPS_PROVIDER, LocationManager.NETWORK_PROVIDER, FUSED
    };

    static final Hidden SET_MODE =
            Hidden.method(
                    Hidden.form(
                            "android.app.AppOpsManager",
                            "setMode",
                            "the same in all versions",
                            "int",
                            "int",
                            "java.lang.String",
                            "int"));

    private final LocationManager manager;
    private final AppOpsManager ops;

    AndroidLocations(Context context) {
        manager = (LocationManager) context.getSystemService(Context.LOCATION_SERVICE);
        ops = (AppOpsManager) context.getSystemService(Context.APP_OPS_SERVICE);
        if (manager == null) {
            throw new Failure(Code.FAILED, "This device knows no locations.");
        }
    }

    @Override
    public boolean enabled() {
        if (Build.VERSION.SDK_INT >= 28) {
            return manager.isLocationEnabled();
        }
        // Earlier, the providers' own switches count.
        return !manager.getProviders(true).isEmpty()
                && (manager.isProviderEnabled(LocationManager.GPS_PROVIDER)
                        || manager.isProviderEnabled(LocationManager.NETWORK_PROVIDER));
    }

    @SuppressLint("MissingPermission") // The shell holds it; if not, Android says so.
    @Override
    public Fix last() {
        Location newest = null;
        try {
            for (String provider : manager.getAllProviders()) {
                Location known = manager.getLastKnownLocation(provider);
                if (known != null
                        && (newest == null
                                || known.getElapsedRealtimeNanos()
                                        > newest.getElapsedRealtimeNanos())) {
                    newest = known;
                }
            }
        } catch (RuntimeException refused) {
            throw refusal("does not tell the shell where the phone is", refused);
        }
        return newest == null ? null : fix(newest);
    }

    @SuppressLint("MissingPermission")
    @SuppressWarnings("deprecation") // The newer method is in API 30, and this one still exists.
    @Override
    public Runnable find(Listener listener) {
        final HandlerThread thread = new HandlerThread("handheld-location");
        thread.setDaemon(true);
        thread.start();
        final List<LocationListener> asked = new ArrayList<LocationListener>();
        Runnable end =
                new Runnable() {
                    @Override
                    public void run() {
                        for (LocationListener one : asked) {
                            manager.removeUpdates(one);
                        }
                        thread.quit();
                    }
                };
        try {
            for (String provider : manager.getProviders(true)) {
                if (provider.equals(LocationManager.PASSIVE_PROVIDER)) {
                    continue; // it only reports fixes of other providers
                }
                Heard heard = new Heard(listener);
                asked.add(heard);
                manager.requestSingleUpdate(provider, heard, thread.getLooper());
            }
        } catch (RuntimeException refused) {
            end.run();
            throw refusal("does not tell the shell where the phone is", refused);
        }
        return end;
    }

    @Override
    public void pretend(double latitude, double longitude, double accuracy) {
        try {
            setMode(AppOpsManager.MODE_ALLOWED);
            for (String provider : pretended()) {
                remove(provider);
                add(provider);
                manager.setTestProviderEnabled(provider, true);
                tell(provider, latitude, longitude, accuracy);
            }
        } catch (RuntimeException refused) {
            throw refusal("refuses a test provider", refused);
        }
    }

    @Override
    public void repeat(double latitude, double longitude, double accuracy) {
        try {
            for (String provider : pretended()) {
                tell(provider, latitude, longitude, accuracy);
            }
        } catch (RuntimeException refused) {
            throw refusal("refuses a test provider", refused);
        }
    }

    /** Apps may ask for the fused provider since API 31; earlier, getAllProviders leaves it out. */
    private List<String> pretended() {
        List<String> found = new ArrayList<String>(Arrays.asList(PRETENDED));
        if (!manager.getAllProviders().contains(FUSED)) {
            found.remove(FUSED);
        }
        return found;
    }

    private void tell(String provider, double latitude, double longitude, double accuracy) {
        Location location = new Location(provider);
        location.setLatitude(latitude);
        location.setLongitude(longitude);
        location.setAccuracy((float) accuracy);
        location.setTime(System.currentTimeMillis());
        location.setElapsedRealtimeNanos(SystemClock.elapsedRealtimeNanos());
        manager.setTestProviderLocation(provider, location);
    }

    private void add(String provider) {
        boolean satellites = provider.equals(LocationManager.GPS_PROVIDER);
        manager.addTestProvider(
                provider,
                !satellites,
                satellites,
                false,
                false,
                true,
                true,
                true,
                Criteria.POWER_LOW,
                Criteria.ACCURACY_FINE);
    }

    private void remove(String provider) {
        try {
            manager.removeTestProvider(provider);
        } catch (IllegalArgumentException none) {
            // No provider has that name.
        }
    }

    @Override
    public void stopPretending() {
        try {
            // Without the permission, nothing is removed.
            setMode(AppOpsManager.MODE_ALLOWED);
            for (String provider : PRETENDED) {
                remove(provider);
            }
            setMode(AppOpsManager.MODE_DEFAULT);
        } catch (RuntimeException refused) {
            throw refusal("does not remove the test provider", refused);
        }
    }

    private void setMode(int mode) {
        SET_MODE.call(ops, MOCK_LOCATION, ShellContext.UID, ShellContext.PACKAGE, mode);
    }

    private static Failure refusal(String what, RuntimeException refused) {
        return new Failure(Code.FAILED, "Android " + what + ": " + refused.getMessage());
    }

    @SuppressWarnings("deprecation") // The newer method is in API 31, and this one still exists.
    private static Fix fix(Location location) {
        long nanos = SystemClock.elapsedRealtimeNanos() - location.getElapsedRealtimeNanos();
        return new Fix(
                location.getLatitude(),
                location.getLongitude(),
                location.hasAccuracy() ? (double) location.getAccuracy() : null,
                location.getProvider(),
                nanos / 1000000,
                location.isFromMockProvider());
    }

    /** Implements every method of the interface: until API 29 none has a default body. */
    private static final class Heard implements LocationListener {
        private final Listener listener;

        Heard(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void onLocationChanged(Location location) {
            listener.found(fix(location));
        }

        @Override
        public void onStatusChanged(String provider, int status, Bundle extras) {}

        @Override
        public void onProviderEnabled(String provider) {}

        @Override
        public void onProviderDisabled(String provider) {}
    }
}
