"""The switches of the quick settings. Each except the torch reflects a preference, and changes
it."""

from collections.abc import Callable

from .preferences import Preferences

RADIOS = ("wifi", "bluetooth")
"""The radios that airplane mode switches off."""
KEPT = {
    "wifi": ("global", "wifi_on"),
    "bluetooth": ("global", "bluetooth_on"),
    "airplane": ("global", "airplane_mode_on"),
    "rotate": ("system", "accelerometer_rotation"),
}
MOBILE_DATA = ("global", "mobile_data")
NIGHT = "2"
"""The value of `ui_night_mode` for yes; 1 is no, 0 automatic, 3 the owner's schedule."""


class Switches:
    def __init__(
        self,
        preferences: Preferences,
        changed: Callable[[], object],
        fix: Callable[[bool], object],
    ) -> None:
        """`fix` locks or unlocks the screen's rotation."""
        self._preferences = preferences
        self._fix = fix
        self._changed = changed
        self._torch = False
        self.forbidden: set[str] = set()
        """Radios whose state a device policy fixes."""
        self._before: dict[str, bool] = {}
        """The states of the radios before airplane mode."""
        self._flying = self["airplane"]
        self._following = False
        for name, (table, key) in KEPT.items():
            preferences.watch(table, key, lambda _, name=name: self._follow(name))
        preferences.watch("secure", "ui_night_mode", lambda _: changed())

    def __getitem__(self, name: str) -> bool:
        if name == "torch":
            return self._torch
        if name == "dark":
            return self._preferences.get("secure", "ui_night_mode") == NIGHT
        return self._preferences.is_on(*KEPT[name])

    def turn(self, name: str) -> None:
        """Toggle a switch."""
        on = not self[name]
        if name == "torch":
            self._torch = on
            self._changed()
        elif name == "rotate":
            self._fix(on)
        elif name == "dark":
            self._preferences.put("secure", "ui_night_mode", NIGHT if on else "1")
        else:
            self._preferences.turn(*KEPT[name], on)

    def set(self, name: str, on: bool) -> None:
        """Switch a radio or airplane mode on or off, as commands do."""
        if name in self.forbidden:
            return
        if name == "mobile_data":
            self._preferences.turn(*MOBILE_DATA, on)
        elif self[name] != on:
            self.turn(name)

    def _follow(self, name: str) -> None:
        if name in RADIOS and not self._following:
            # A radio that is switched during airplane mode stays as it is afterwards.
            self._before.pop(name, None)
        flying = self["airplane"]
        if name == "airplane" and flying != self._flying:
            self._flying = flying
            self._following = True
            if flying:
                self._before = {radio: self[radio] for radio in RADIOS}
            for radio, on in self._before.items():
                self._preferences.turn(*KEPT[radio], on and not flying)
            self._following = False
        self._changed()
