package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.content.ActivityNotFoundException;
import android.content.Context;
import android.content.Intent;
import android.os.Build;
import android.telephony.TelephonyFrameworkInitializer;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;

@RunWith(RobolectricTestRunner.class)
public final class ShellContextTest {
    private final ShellContext context = new ShellContext(RuntimeEnvironment.getApplication());

    @Test
    public void servicesAskInTheNameOfTheShell() {
        assertOwned(Context.CLIPBOARD_SERVICE, ShellContext.CLIPBOARD);
        assertOwned(Context.ACTIVITY_SERVICE, ShellContext.ACTIVITIES);
        assertOwned(Context.POWER_SERVICE, ShellContext.POWER);
        assertOwned(Context.TELEPHONY_SUBSCRIPTION_SERVICE, ShellContext.SUBSCRIPTIONS);
    }

    private void assertOwned(String service, Hidden owner) {
        assertSame(service, context, owner.get(context.getSystemService(service)));
    }

    @Test
    public void itIsTheShell() {
        assertEquals("com.android.shell", context.getPackageName());
        assertEquals("com.android.shell", context.getOpPackageName());
        assertSame(context, context.getApplicationContext());
        if (Build.VERSION.SDK_INT >= 31) {
            assertEquals(2000, context.getAttributionSource().getUid());
            assertEquals("com.android.shell", context.getAttributionSource().getPackageName());
        }
    }

    @Test
    public void providersAreFoundWithoutBeingAnApp() {
        assertEquals(ShellResolver.class, context.getContentResolver().getClass());
    }

    @Test
    public void whatAsksThePhonesOwnerIsToldThatItCannot() {
        try {
            context.startActivity(new Intent("com.android.settings.sim.SIM_PICK"));
            fail("It would have come up on the screen.");
        } catch (ActivityNotFoundException told) {
            assertTrue(told.getMessage().contains("SIM_PICK"));
        }
    }

    @Test
    public void telephonyFindsItsServices() {
        ShellContext.meetModules();

        assertEquals(Build.VERSION.SDK_INT >= 30, ShellContext.MODULES.isThere());
        if (Build.VERSION.SDK_INT >= 30) {
            assertNotNull(TelephonyFrameworkInitializer.getTelephonyServiceManager());
        }
    }
}
