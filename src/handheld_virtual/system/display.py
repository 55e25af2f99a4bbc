"""The display: rotation, brightness, theme and timeout, which all follow the preferences."""

from typing import TYPE_CHECKING

from .switches import NIGHT
from .timers import Timer

if TYPE_CHECKING:
    from ..world import World

BRIGHTEST = 255
SMALLEST, LARGEST = 0.85, 2.0
"""The range of the font scale."""
SHORTEST_TIMEOUT_MS = 10_000
"""Android's minimum; it raises lower values to this."""
LONGEST_TIMEOUT_MS = 2**31 - 1


class Display:
    """`world.rotation`, `width` and `height` describe the image; `held` is the device's
    orientation."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.held = 0
        """The device's orientation, in quarter turns."""
        self._forced: int | None = None
        self._used = world.timers.now()
        self._timer: Timer | None = None
        self._awake = True
        watch = world.preferences.watch
        watch("system", "accelerometer_rotation", lambda _: self._turn())
        watch("system", "user_rotation", lambda _: self._turn())
        self.font_scale = 1.0
        watch("system", "font_scale", lambda _: self._scale_fonts())
        watch("system", "screen_off_timeout", lambda _: self._wait())
        watch("global", "stay_on_while_plugged_in", lambda _: self._wait())

    # Rotation

    @property
    def auto_rotate(self) -> bool:
        return self._world.preferences.is_on("system", "accelerometer_rotation")

    def hold(self, rotation: int) -> None:
        """Turn the device; the screen follows if it may."""
        self.held = rotation % 4
        self._turn()

    def force(self, rotation: int | None) -> None:
        """Lock the rotation for the app in front, regardless of the owner's setting; None unlocks
        it."""
        self._forced = rotation
        self._turn()

    def fix(self, on: bool) -> None:
        """Lock or unlock the rotation with the quick settings tile; a locked screen stays as it
        is."""
        preferences = self._world.preferences
        if not on:
            preferences.put("system", "user_rotation", str(self._world.rotation))
        preferences.turn("system", "accelerometer_rotation", on)

    def _turn(self) -> None:
        world = self._world
        fixed = world.preferences.number("system", "user_rotation", 0)
        wanted = self.held if self.auto_rotate else fixed if 0 <= fixed <= 3 else 0
        if self._forced is not None:
            wanted = self._forced
        if wanted != world.rotation:
            if (wanted - world.rotation) % 2:
                world.width, world.height = world.height, world.width
            world.rotation = wanted
            world.screen.turned()

    # Light

    @property
    def brightness(self) -> int:
        """The brightness, 1 to 255. It does not affect screenshots."""
        level = self._world.preferences.number("system", "screen_brightness", 102)
        return max(1, min(level, BRIGHTEST))

    @brightness.setter
    def brightness(self, level: int) -> None:
        self._world.preferences.put("system", "screen_brightness", str(level))

    @property
    def night(self) -> bool:
        """Whether the dark theme is on."""
        return self._world.preferences.get("secure", "ui_night_mode") == NIGHT

    def _scale_fonts(self) -> None:
        try:
            scale = float(self._world.preferences.get("system", "font_scale") or 1)
        except ValueError:
            scale = 1.0
        # The range of Android's settings page, because layouts break beyond it. A NaN counts as 1.
        self.font_scale = max(SMALLEST, min(scale, LARGEST)) if scale == scale else 1.0
        self._world.screen.fonts_scaled()

    # Awake

    @property
    def awake(self) -> bool:
        return self._awake

    @awake.setter
    def awake(self, awake: bool) -> None:
        if awake != self._awake:
            self._awake = awake
            self.used()
            self._wait()

    def used(self) -> None:
        """Restart the screen timeout, because the phone is being used."""
        self._used = self._world.timers.now()

    @property
    def timeout_ms(self) -> float | None:
        """The screen timeout; None if the screen stays on."""
        preferences = self._world.preferences
        if preferences.is_on("global", "stay_on_while_plugged_in"):
            return None
        chosen = preferences.number("system", "screen_off_timeout", 60_000)
        return max(SHORTEST_TIMEOUT_MS, min(chosen, LONGEST_TIMEOUT_MS))

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        timeout = self.timeout_ms
        if timeout is None or not self._awake:
            return
        left = self._used + timeout - self._world.timers.now()
        if left > 0:
            # A single timer, however often the phone is used: it checks again when it is due.
            self._timer = self._world.timers.after(left, self._wait)
        else:
            self._world.awake = False
