"""Query and parse Android's output about the device, fact by fact.

A missing or meaningless value is None, never a guess.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..device import Fix
from ..packages import PACKAGE

_GET = "settings get --user current"
"""Gets the foreground user's setting: the shell itself belongs to the first user."""
STREAMS = {"call": 0, "system": 1, "ring": 2, "music": 3, "alarm": 4, "notification": 5}
"""Kinds of sound, with AudioManager's stream numbers."""


def _volume(stream: int, before_11: str) -> str:
    ask = " ".join(f"cmd audio get-{what}-volume {stream};" for what in ("stream", "min", "max"))
    return (
        "case $(getprop ro.build.version.sdk) in"
        f" 2?) {before_11};;"
        f" 3[0-4]) cmd media_session volume --stream {stream} --get;;"
        f" *) {ask} cmd media_session volume --stream {stream} --get;; esac"
    )


FACTS: Mapping[str, str] = {
    "api": "getprop ro.build.version.sdk",
    "android": "getprop ro.build.version.release",
    "patch": "getprop ro.build.version.security_patch",
    "manufacturer": "getprop ro.product.manufacturer",
    "model": "getprop ro.product.model",
    "hardware": "getprop ro.hardware",
    "locale": "getprop persist.sys.locale; getprop ro.product.locale",
    "timezone": "getprop persist.sys.timezone",
    "abis": "getprop ro.product.cpu.abilist",
    "space": "df -k /data",
    "size": "wm size",
    "density": "wm density",
    "current": "dumpsys window displays | grep -m1 -E 'cur='",
    "awake": "dumpsys power | grep -m1 mWakefulness=",
    "locked": "dumpsys activity activities | grep -m1 KeyguardShowing=;"
    " dumpsys window displays | grep -m1 isKeyguardShowing=",
    "battery": "dumpsys battery",
    "wifi": "settings get global wifi_on",
    "airplane_mode": "settings get global airplane_mode_on",
    "bluetooth": "settings get global bluetooth_on",
    "mobile_data": "getprop persist.radio.multisim.config; settings get global mobile_data;"
    " settings get global mobile_data$(settings get global multi_sim_data_call)",
    "rotation": f"{_GET} system accelerometer_rotation; {_GET} system user_rotation",
    "dark_mode": "cmd uimode night",
    "brightness": f"{_GET} system screen_brightness_mode; {_GET} system screen_brightness",
    "font_scale": f"{_GET} system font_scale",
    "location_mode": f"{_GET} secure location_mode",
    "place": "dumpsys location",
    **{
        f"volume.{name}": _volume(number, f"media volume --stream {number} --get")
        for name, number in STREAMS.items()
    },
    # Avoids the `media` program of Android 8 to 10, which takes a second to start for each stream.
    **{f"level.{name}": _volume(number, "true") for name, number in STREAMS.items()},
    "audio": "case $(getprop ro.build.version.sdk) in 2?) dumpsys audio"
    " | grep -E '^(- STREAM_|   (Muted|Min|Max|Current|Devices|streamVolume):)';; esac",
}
"""Each with the command line that prints it."""
APP_LANGUAGE = "app_language/"
"""Followed by a package: the name of the fact for that app's language."""


def fact_line(name: str) -> str:
    """Return the command line that prints a fact. Raises ValueError."""
    if not name.startswith(APP_LANGUAGE):
        return FACTS[name]
    package = name.removeprefix(APP_LANGUAGE)
    if not PACKAGE.fullmatch(package):
        raise ValueError(f"{package} is not a package name")
    return f"cmd locale get-app-locales {package} --user $(am get-current-user) 2>&1"


_WHOLE = re.compile(r"-?\d{1,9}")
_REAL = re.compile(r"\d{1,3}(\.\d{1,9})?")
_VOLUME = re.compile(r"volume is (-?\d{1,5}) in range \[(-?\d{1,5})\.\.(-?\d{1,5})\]")
_AUDIO = re.compile(r"AudioManager\.getStream(Min|Max|)Volume\(\d{1,3}\) -> (-?\d{1,5})")
_DUMPED_STREAMS = {
    "STREAM_VOICE_CALL": "call",
    **{f"STREAM_{name.upper()}": name for name in STREAMS if name != "call"},
}
_DUMPED = re.compile(r"^   (Muted|Min|Max|Current|Devices|streamVolume):(.{0,2000})$", re.MULTILINE)
_OF_DEVICE = re.compile(r"[0-9a-f]{1,8} \((\w{1,40})\): (\d{1,5})(?:, |$)", re.ASCII)
_NIGHT = re.compile(r"^Night mode: ([a-z_]{1,40})\s*$", re.MULTILINE)
_FIELD = re.compile(r"^ {2}([A-Za-z ]{1,40}): (\S{1,40})\s*$", re.MULTILINE)
_LOCALES = re.compile(r"^Locales for \S{1,255} for user -?\d{1,9} are \[([^\]\n]{0,2000})\]", re.M)
_STATUS = {"2": "charging", "3": "discharging", "4": "not charging", "5": "full"}
_SEVERAL = ("dsds", "dsda", "tsts")
"""Phones that have a mobile data switch for each SIM card."""
_FIX = re.compile(
    r"Location\[(?P<provider>[a-z]{1,20}) (?P<place>[-\d.,]{3,60}+)"
    r"(?: h?[aA]cc=(?P<accuracy>[\d.,]{1,20}+))?(?P<rest>[^\]\n]{0,400})\]"
)
_PLACE = re.compile(r"(-?\d{1,3})[.,](\d{1,15}),(-?\d{1,3})[.,](\d{1,15})")


class Rotation(NamedTuple):
    automatic: bool
    fixed: int
    """Quarter turns from the natural rotation, while it is not automatic."""


class Brightness(NamedTuple):
    automatic: bool
    level: int
    """0 to 255."""


class Volume(NamedTuple):
    level: int
    least: int
    most: int


class Battery(NamedTuple):
    level: int | None
    status: str | None
    plugged: str | None
    celsius: float | None


def first(printed: str) -> str:
    """Return the first line; "" where there is none."""
    lines = printed.splitlines()
    return lines[0].strip() if lines else ""


def read_switch(printed: str) -> bool | None:
    """Read the switch of a radio. 2 is on in spite of airplane mode, 3 off because of it."""
    return {"0": False, "1": True, "2": True, "3": False}.get(first(printed))


def read_mobile_data(printed: str) -> bool | None:
    several, plain, of_card = [*(line.strip() for line in printed.splitlines()), "", "", ""][:3]
    if any(word in several for word in _SEVERAL) and of_card in ("0", "1"):
        return of_card == "1"
    return read_switch(plain)


def read_rotation(printed: str) -> Rotation | None:
    automatic, fixed = [*(line.strip() for line in printed.splitlines()), "", ""][:2]
    if automatic not in ("0", "1"):
        return None
    return Rotation(automatic == "1", int(fixed) if fixed in ("0", "1", "2", "3") else 0)


def read_brightness(printed: str) -> Brightness | None:
    mode, level = [*(line.strip() for line in printed.splitlines()), "", ""][:2]
    if not _WHOLE.fullmatch(level) or not 0 <= int(level) <= 100_000:
        return None
    return Brightness(mode == "1", int(level))


def read_night(printed: str) -> str | None:
    """Return Android's own word: yes, no, auto, or the name of a schedule."""
    found = _NIGHT.search(printed)
    return None if found is None else found[1]


def read_font_scale(printed: str) -> float | None:
    """Parse the font scale. If the owner never chose one, the phone has none: then it is 1."""
    word = first(printed)
    if word == "null":
        return 1.0
    return float(word) if _REAL.fullmatch(word) else None


def read_volume(printed: str) -> Volume | None:
    asked = {found[1]: int(found[2]) for found in _AUDIO.finditer(printed)}
    if asked.keys() == {"", "Min", "Max"}:
        return Volume(asked[""], asked["Min"], asked["Max"])
    found = _VOLUME.findall(printed)
    return Volume(*map(int, found[-1])) if found else None


def read_dumped_volumes(printed: str) -> dict[str, Volume]:
    """Parse `dumpsys audio` of Android 8 to 10, which prints a volume for each output device: the
    active device's counts. Streams with several active devices, or unreadable ones, are left
    out."""
    found: dict[str, Volume] = {}
    for block in re.split(r"^- ", printed, flags=re.MULTILINE)[1:]:
        kind = _DUMPED_STREAMS.get(first(block).partition(":")[0].partition(" ")[0])
        fields = {match[1]: match[2].strip() for match in _DUMPED.finditer(block)}
        least, most = (_whole(fields.get(name)) for name in ("Min", "Max"))
        level = _whole(fields.get("streamVolume"))
        if level is None and fields.get("Muted") == "true":
            level = 0
        elif level is None:
            each = _OF_DEVICE.findall(fields.get("Current", ""))
            levels, playing = {name: int(index) for name, index in each}, fields.get("Devices", "")
            level = levels.get(playing, levels.get("default")) if "," not in playing else None
        if kind and level is not None and least is not None and most is not None:
            found[kind] = Volume(level, least, most)
    return found


def read_battery(printed: str) -> Battery:
    fields = {found[1]: found[2] for found in _FIELD.finditer(printed)}
    level, scale = (_whole(fields.get(name)) for name in ("level", "scale"))
    if level is not None and scale and scale != 100:
        level = round(level * 100 / scale)
    powered = [
        name.removesuffix(" powered").lower()
        for name, value in fields.items()
        if name.endswith(" powered") and value == "true"
    ]
    any_told = any(name.endswith(" powered") for name in fields)
    tenths = _whole(fields.get("temperature"))
    return Battery(
        level,
        _STATUS.get(fields.get("status", "")),
        (powered[0] if powered else "none") if any_told else None,
        None if tenths is None else tenths / 10,
    )


def _whole(word: str | None) -> int | None:
    return int(word) if word is not None and _WHOLE.fullmatch(word) else None


def read_space(printed: str) -> int | None:
    """Parse `df -k`: the free bytes. A long device name is on a separate line."""
    lines = [line for line in printed.splitlines() if line.strip()]
    numbers = [word for word in lines[-1].split() if _WHOLE.fullmatch(word)] if lines else []
    return int(numbers[2]) * 1024 if len(numbers) >= 3 else None


def read_app_languages(printed: str) -> list[str] | None:
    """Parse `cmd locale get-app-locales`; None for any other output."""
    found = _LOCALES.search(printed)
    return None if found is None else [tag.strip() for tag in found[1].split(",") if tag.strip()]


def read_last_fix(printed: str) -> Fix | None:
    """Parse `dumpsys location`: the last known location of the most accurate provider. Numbers have
    the decimal separator of the phone's language."""
    fixes = [fix for found in _FIX.finditer(printed) if (fix := _fix(found)) is not None]
    order = {"gps": 0, "fused": 1, "network": 2}
    return min(fixes, key=lambda fix: order.get(fix.provider, 3), default=None)


def _fix(found: re.Match[str]) -> Fix | None:
    place = _PLACE.fullmatch(found["place"])
    if place is None:
        return None
    latitude, longitude = float(f"{place[1]}.{place[2]}"), float(f"{place[3]}.{place[4]}")
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        return None
    accuracy = (found["accuracy"] or "").rstrip(",").replace(",", ".")
    exact = float(accuracy) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", accuracy) else None
    return Fix(latitude, longitude, exact, found["provider"], None, "mock" in found["rest"])
