package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import android.app.ActivityManager;
import android.app.IActivityManager;
import android.content.res.Configuration;
import android.os.Build;
import android.os.LocaleList;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collections;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityManager;

/** The activity manager keeps a configuration, as the one of the system does. */
@RunWith(RobolectricTestRunner.class)
@Config(shadows = AndroidLocalesTest.StandIn.class)
public final class AndroidLocalesTest implements InvocationHandler {
    private final AndroidLocales locales = new AndroidLocales();
    private final Configuration kept = new Configuration();
    private String asked = "";
    private boolean refuses;

    @Before
    public void standIn() {
        kept.setLocales(LocaleList.forLanguageTags("en-US,de-DE"));
        kept.fontScale = 1.3f;
        StandIn.answers = this;
    }

    /** Robolectric's own activity manager answers nothing. */
    @Implements(ActivityManager.class)
    public static final class StandIn extends ShadowActivityManager {
        static InvocationHandler answers;

        @Implementation
        protected static IActivityManager getService() {
            Class<?>[] type = {IActivityManager.class};
            return (IActivityManager)
                    Proxy.newProxyInstance(type[0].getClassLoader(), type, answers);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        if (method.getName().equals("getConfiguration")) {
            return new Configuration(kept);
        }
        asked = method.getName();
        if (refuses) {
            throw new SecurityException("Permission Denial: updateConfiguration()");
        }
        if (arguments.length == 3) {
            assertEquals("com.android.shell", arguments[1]);
        }
        kept.updateFrom((Configuration) arguments[0]);
        return null;
    }

    @Test
    public void languagesAreToldInTheirOrder() {
        assertEquals(Arrays.asList("en-US", "de-DE"), locales.get());
    }

    @Test
    public void languagesAreSetAsTheSettingsDoAndNothingElse() throws Exception {
        locales.set(Arrays.asList("zh-Hant-TW", "en-US"));

        assertEquals(Arrays.asList("zh-Hant-TW", "en-US"), locales.get());
        assertEquals(1.3f, kept.fontScale, 0);
        Field chosen = Configuration.class.getDeclaredField("userSetLocale");
        chosen.setAccessible(true);
        assertTrue(chosen.getBoolean(kept));
        assertEquals(
                Build.VERSION.SDK_INT >= 31
                        ? "updatePersistentConfigurationWithAttribution"
                        : "updatePersistentConfiguration",
                asked);
    }

    @Test
    public void refusalIsAFailureWithItsWords() {
        refuses = true;
        try {
            locales.set(Collections.singletonList("fr"));
            fail();
        } catch (Failure failure) {
            assertEquals(Code.FAILED, failure.code);
            assertTrue(failure.getMessage(), failure.getMessage().contains("Permission Denial"));
        }
        assertEquals(Arrays.asList("en-US", "de-DE"), locales.get());
    }
}
