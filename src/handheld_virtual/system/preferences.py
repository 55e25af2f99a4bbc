"""The owner's preferences: the three tables behind `settings` and the settings app."""

from collections.abc import Callable, Mapping

from .android import Android

TABLES = ("system", "secure", "global")
LATIN = "com.android.inputmethod.latin/.LatinIME"
PLUGGED = "7"
"""`stay_on_while_plugged_in` for AC, USB and wireless power, as developers set it."""

Watcher = Callable[[str | None], object]


def defaults(android: Android) -> dict[str, dict[str, str]]:
    """The preferences of a developer's phone: USB debugging is on, and the screen stays on while
    the phone is plugged in, which it always is."""
    secure = {
        "accessibility_enabled": "0",
        "android_id": "5eed000000000001",
        "default_input_method": LATIN,
        "enabled_input_methods": LATIN,
        "install_non_market_apps": "1",
        "location_mode": "3",
        "lock_screen_lock_after_timeout": "5000",
        "lock_screen_show_notifications": "1",
        "lockscreen.disabled": "1",
        "long_press_timeout": "400",
        "mock_location": "0",
        "selected_input_method_subtype": "-1",
        "show_ime_with_hard_keyboard": "0",
        "sleep_timeout": "-1",
        "touch_exploration_enabled": "0",
        "ui_night_mode": "1",
        "user_setup_complete": "1",
    }
    if android.navigation_mode_setting:
        secure["navigation_mode"] = "0"
    if android.night_mode_override_settings:
        secure["ui_night_mode_override_off"] = secure["ui_night_mode_override_on"] = "0"
    return {
        "system": {
            "accelerometer_rotation": "1",
            "dim_screen": "1",
            "font_scale": "1.0",
            "haptic_feedback_enabled": "1",
            "pointer_speed": "0",
            "screen_brightness": "102",
            "screen_brightness_mode": "0",
            "screen_off_timeout": "60000",
            "sound_effects_enabled": "1",
            "user_rotation": "0",
            "vibrate_when_ringing": "0",
            "volume_alarm": "6",
            "volume_music": "5",
            "volume_ring": "5",
        },
        "secure": secure,
        "global": {
            "adb_enabled": "1",
            "airplane_mode_on": "0",
            "airplane_mode_radios": "cell,bluetooth,wifi,nfc,wimax",
            "animator_duration_scale": "1.0",
            "auto_time": "1",
            "auto_time_zone": "1",
            "bluetooth_on": "0",
            "boot_count": "1",
            "data_roaming": "0",
            "development_settings_enabled": "1",
            "device_name": "Handheld Virtual",
            "device_provisioned": "1",
            "heads_up_notifications_enabled": "1",
            "low_power": "0",
            "mobile_data": "1",
            "mode_ringer": "2",
            "stay_on_while_plugged_in": PLUGGED,
            "transition_animation_scale": "1.0",
            "wifi_on": "1",
            "window_animation_scale": "1.0",
            "zen_mode": "0",
        },
    }


class Preferences:
    """The owner's preferences. Values are strings, as in Android; every change calls the
    watchers."""

    def __init__(self, values: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._values = {table: dict((values or {}).get(table, {})) for table in TABLES}
        self._watchers: dict[tuple[str, str], list[Watcher]] = {}
        self._watchers_of_all: list[Callable[[], object]] = []

    def get(self, table: str, name: str) -> str | None:
        return self._values[table].get(name)

    def number(self, table: str, name: str, default: int) -> int:
        """Read a number as Android does; the default applies if the value is missing or not a
        number."""
        try:
            return int(self._values[table].get(name, ""))
        except ValueError:
            return default

    def is_on(self, table: str, name: str) -> bool:
        """Whether the value is a number other than 0."""
        return self.number(table, name, 0) != 0

    def turn(self, table: str, name: str, on: bool) -> None:
        self.put(table, name, "1" if on else "0")

    def all(self, table: str) -> dict[str, str]:
        return dict(sorted(self._values[table].items()))

    def put(self, table: str, name: str, value: str) -> None:
        if self._values[table].get(name) != value:
            self._values[table][name] = value
            self._notify(table, name, value)

    def delete(self, table: str, name: str) -> bool:
        """Delete a value; return whether it existed."""
        if self._values[table].pop(name, None) is None:
            return False
        self._notify(table, name, None)
        return True

    def watch(self, table: str, name: str, watcher: Watcher) -> None:
        self._watchers.setdefault((table, name), []).append(watcher)

    def watch_all(self, watcher: Callable[[], object]) -> None:
        """Call the watcher for every change of any value."""
        self._watchers_of_all.append(watcher)

    def _notify(self, table: str, name: str, value: str | None) -> None:
        for watcher in self._watchers.get((table, name), ()):
            watcher(value)
        for watcher in self._watchers_of_all:
            watcher()
