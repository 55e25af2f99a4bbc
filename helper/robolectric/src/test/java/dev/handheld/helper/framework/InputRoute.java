package dev.handheld.helper.framework;

import android.view.InputEvent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowInputManager;
import org.robolectric.shadows.ShadowInputManagerGlobal;
import org.robolectric.shadows.ShadowUiAutomation;

/**
 * Injected events go to the window at their place, or the one with the focus: on a phone the native
 * input dispatcher decides that, of which a JVM has nothing.
 */
final class InputRoute {
    private InputRoute() {}

    @Implements(value = android.hardware.input.InputManager.class)
    public static final class Manager extends ShadowInputManager {
        @Implementation(maxSdk = 33)
        protected boolean injectInputEvent(InputEvent event, int mode) {
            return ShadowUiAutomation.injectInputEvent(event);
        }
    }

    @Implements(
            className = "android.hardware.input.InputManagerGlobal",
            minSdk = 34,
            isInAndroidSdk = false)
    public static final class Global extends ShadowInputManagerGlobal {
        @Implementation
        protected boolean injectInputEvent(InputEvent event, int mode) {
            return ShadowUiAutomation.injectInputEvent(event);
        }
    }
}
