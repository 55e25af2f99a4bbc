"""The command lines that change a setting, by Android's API level.

`settings put` succeeds with any name, so only names in this module are used. Values in a command
line are numbers, or words of a closed list.
"""

import re

from ..packages import PACKAGE
from .probes import STREAMS, Brightness, Rotation

_PUT = "settings put --user current"
AIRPLANE_SINCE = 28
"""Before this API level, only the settings app may switch the radios."""
APP_LANGUAGES_SINCE = 33
"""The API level since which an app can have its own language."""
PLACES_SINCE = 31
"""The API level since which `cmd location` has test providers."""
EVERYWHERE_SINCE = 29
"""The API level since which the dark theme applies to the whole system."""
_WM_SINCE, _WM_RENAMED = 29, 31
_DISPLAY_SINCE = 29
"""`cmd display set-brightness` exists since 28, but accepts only 0 and 1 there."""
_WIFI_SINCE, _DATA_SINCE, _BLUETOOTH_SINCE = 30, 30, 33
_SESSION_SINCE, AUDIO_SINCE = 30, 35
BRIGHTEST = 255
NIGHT_WORDS = frozenset({"yes", "no", "auto", "custom", "custom_schedule", "custom_bedtime"})
_SHELL = "com.android.shell"
_TEST_PROVIDERS = ("gps", "network", "fused")


def turn_wifi(on: bool, api: int) -> str:
    if api < _WIFI_SINCE:
        return f"svc wifi {_able(on)}"
    return f"cmd wifi set-wifi-enabled {_able(on)}d"


def turn_mobile_data(on: bool, api: int) -> str:
    return f"{'svc data' if api < _DATA_SINCE else 'cmd phone data'} {_able(on)}"


def turn_bluetooth(on: bool, api: int) -> str:
    program = "svc bluetooth" if api < _BLUETOOTH_SINCE else "cmd bluetooth_manager"
    return f"{program} {_able(on)}"


def turn_airplane_mode(on: bool) -> str:
    return f"cmd connectivity airplane-mode {_able(on)}"


def _able(on: bool) -> str:
    return "enable" if on else "disable"


def set_rotation(rotation: Rotation, api: int) -> str:
    if api < _WM_SINCE:
        # The rotation first: unlocked, it has no effect yet.
        return (
            f"{_PUT} system user_rotation {rotation.fixed};"
            f" {_PUT} system accelerometer_rotation {int(rotation.automatic)}"
        )
    verb = "set-user-rotation" if api < _WM_RENAMED else "user-rotation"
    return f"wm {verb} " + ("free" if rotation.automatic else f"lock {rotation.fixed}")


def set_night(word: str) -> str:
    if word not in NIGHT_WORDS:
        raise ValueError(word)
    return f"cmd uimode night {word}"


def set_brightness(brightness: Brightness, api: int) -> str:
    mode = f"{_PUT} system screen_brightness_mode {int(brightness.automatic)}"
    if api < _DISPLAY_SINCE:
        return f"{mode}; {_PUT} system screen_brightness {brightness.level}"
    # Android maps 0 to 1 onto 1 to 255.
    share = max(0.0, min((brightness.level - 1) / (BRIGHTEST - 1), 1.0))
    return f"{mode}; cmd display set-brightness {share:.4f}"


def set_font_scale(scale: float) -> str:
    return f"{_PUT} system font_scale {round(scale, 3)}"


def set_volume(stream: str, level: int, api: int) -> str:
    number = STREAMS[stream]
    if api >= AUDIO_SINCE:
        return f"cmd audio set-volume {number} {level}"
    program = "media" if api < _SESSION_SINCE else "cmd media_session"
    return f"{program} volume --stream {number} --set {level}"


def set_volume_by_session(stream: str, level: int) -> str:
    """Return the command line for a phone whose `cmd audio` does nothing."""
    return f"cmd media_session volume --stream {STREAMS[stream]} --set {level}"


def switch_screen(on: bool) -> str:
    return f"input keyevent {224 if on else 223}"


def set_app_language(package: str, tag: str) -> str:
    """An empty tag selects the system's language. Raises ValueError."""
    if not PACKAGE.fullmatch(package) or not re.fullmatch(r"[A-Za-z0-9,-]{0,200}", tag):
        raise ValueError(f"{package} {tag}")
    chosen = f" --locales {tag}" if tag else ""
    return f"cmd locale set-app-locales {package} --user $(am get-current-user){chosen}"


def pretend_place(latitude: float, longitude: float) -> str:
    providers = "cmd location providers"
    return (
        f"appops set {_SHELL} android:mock_location allow;"
        f" for p in {' '.join(_TEST_PROVIDERS)}; do"
        f" {providers} add-test-provider $p;"
        f" {providers} set-test-provider-enabled $p true;"
        f" {providers} set-test-provider-location $p"
        f" --location {latitude:.7f},{longitude:.7f} --accuracy 3; done"
    )


def stop_pretending() -> str:
    """Also ends the helper's mock location. Without the app op nothing is removed."""
    return (
        f"appops set {_SHELL} android:mock_location allow;"
        f" for p in {' '.join(_TEST_PROVIDERS)}; do"
        " cmd location providers remove-test-provider $p; done;"
        f" appops set {_SHELL} android:mock_location default"
    )
