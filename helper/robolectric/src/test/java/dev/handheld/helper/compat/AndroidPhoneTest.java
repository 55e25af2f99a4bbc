package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.KeyguardManager;
import android.content.Context;
import android.os.PowerManager;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPowerManager;

@RunWith(RobolectricTestRunner.class)
public final class AndroidPhoneTest {
    private final Context context = RuntimeEnvironment.getApplication();
    private final AndroidPhone phone = new AndroidPhone(context);

    @Test
    public void lockAndScreenAreTold() {
        KeyguardManager keyguard =
                (KeyguardManager) context.getSystemService(Context.KEYGUARD_SERVICE);
        PowerManager power = (PowerManager) context.getSystemService(Context.POWER_SERVICE);
        shadowOf(keyguard).setKeyguardLocked(true);
        shadowOf(power).turnScreenOn(false);

        assertTrue(phone.isLocked());
        assertFalse(phone.isAwake());

        shadowOf(keyguard).setKeyguardLocked(false);
        shadowOf(power).turnScreenOn(true);

        assertFalse(phone.isLocked());
        assertTrue(phone.isAwake());
    }

    @Config(shadows = Waking.class)
    @Test
    public void theScreenIsSwitchedOnWithoutAKey() {
        PowerManager power = (PowerManager) context.getSystemService(Context.POWER_SERVICE);
        shadowOf(power).turnScreenOn(false);

        assertTrue(phone.wakeUp());

        assertTrue(phone.isAwake());
    }

    @Config(shadows = Refusing.class)
    @Test
    public void aPhoneThatMayNotBeWokenIsTold() {
        assertFalse(phone.wakeUp());
    }

    /** Robolectric's phone cannot be woken so; each version in its own form. */
    @Implements(PowerManager.class)
    public static final class Waking extends ShadowPowerManager {
        @Implementation(maxSdk = 28)
        protected void wakeUp(long time, String reason) {
            turnScreenOn(true);
        }

        @Implementation(minSdk = 29)
        protected void wakeUp(long time, int reason, String details) {
            turnScreenOn(true);
        }
    }

    /** As where the shell lacks the permission. */
    @Implements(PowerManager.class)
    public static final class Refusing extends ShadowPowerManager {
        @Implementation(maxSdk = 28)
        protected void wakeUp(long time, String reason) {
            throw new SecurityException("DEVICE_POWER");
        }

        @Implementation(minSdk = 29)
        protected void wakeUp(long time, int reason, String details) {
            throw new SecurityException("DEVICE_POWER");
        }
    }

    @Test
    public void thePhoneIsKeptUpWhileCallsAreOpen() {
        phone.stayUp(true);
        PowerManager.WakeLock lock = ShadowPowerManager.getLatestWakeLock();
        assertTrue(lock.isHeld());

        phone.stayUp(false);
        phone.stayUp(false);

        assertFalse(lock.isHeld());
    }

    @Test
    public void aBootHasItsNumber() {
        assertEquals(phone.bootId(), new AndroidPhone(context).bootId());
        assertFalse(phone.bootId().isEmpty());
    }
}
