"""The settings of a phone that can be changed and restored: reading each from Android's output,
setting it, and showing it. The list is closed.

A value is a text in its stored form, such as `on`, `auto 102` or `1.15`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...driver.by_shell import setting_commands
from ...driver.by_shell.probes import (
    STREAMS,
    Brightness,
    Rotation,
    Volume,
    first,
    read_brightness,
    read_font_scale,
    read_mobile_data,
    read_night,
    read_rotation,
    read_switch,
    read_volume,
)
from ...driver.by_shell.setting_commands import BRIGHTEST
from ...driver.reading.dumpsys import read_size
from ...screen.characters import plain
from ...screen.text import cut

Facts = Mapping[str, str]
POLICY = "a device policy may forbid it"
_NIGHT = {"yes": "on", "no": "off", "auto": "automatic"}
TURNED = ("portrait", "landscape", "reverse_portrait", "reverse_landscape")
"""The rotations of a device whose natural orientation is portrait, in quarter turns."""
_TURNED_TABLET = ("landscape", "reverse_portrait", "reverse_landscape", "portrait")
"""The rotations of a device whose natural orientation is landscape, in quarter turns."""


@dataclass(frozen=True, slots=True)
class Settable:
    label: str
    """Its name in replies."""
    facts: tuple[str, ...]
    """The facts that its value depends on."""
    read: Callable[[Facts], str | None]
    line: Callable[[str, int], str]
    """Return the command line that sets a value on an API level."""
    show: Callable[[str, Facts], str]
    """Return the value for a reply."""
    why_kept: str = POLICY
    same: Callable[[str, str], bool] = lambda wanted, has: wanted == has


def _switch(fact: str, line: Callable[[bool, int], str], label: str, why: str = POLICY) -> Settable:
    def read(facts: Facts) -> str | None:
        on = (read_mobile_data if fact == "mobile_data" else read_switch)(facts[fact])
        return None if on is None else word(on)

    return Settable(
        label,
        (fact,),
        read,
        lambda value, api: line(value == "on", api),
        lambda value, _: value,
        why,
    )


def word(on: bool) -> str:
    return "on" if on else "off"


# Rotation


def encode_rotation(rotation: Rotation) -> str:
    return "auto" if rotation.automatic else str(rotation.fixed)


def _decode_rotation(value: str) -> Rotation:
    return Rotation(value == "auto", 0 if value == "auto" else int(value))


def rotation_names(facts: Facts) -> tuple[str, ...]:
    """Return the names of the rotations 0 to 3 on this device."""
    size = read_size(facts["size"])
    return TURNED if size is None or size[0] <= size[1] else _TURNED_TABLET


def _read_rotation(facts: Facts) -> str | None:
    rotation = read_rotation(facts["rotation"])
    return None if rotation is None else encode_rotation(rotation)


def _show_rotation(value: str, facts: Facts) -> str:
    return value if value == "auto" else rotation_names(facts)[int(value)].replace("_", " ")


# Brightness


def encode_brightness(brightness: Brightness) -> str:
    return f"auto {brightness.level}" if brightness.automatic else str(brightness.level)


def decode_brightness(value: str) -> Brightness:
    automatic, _, level = value.rpartition(" ")
    return Brightness(bool(automatic), int(level))


def percent(level: int) -> int:
    return round(min(level, BRIGHTEST) * 100 / BRIGHTEST)


def _read_brightness(facts: Facts) -> str | None:
    brightness = read_brightness(facts["brightness"])
    return None if brightness is None else encode_brightness(brightness)


def _show_brightness(value: str, _: Facts) -> str:
    brightness = decode_brightness(value)
    return "automatic" if brightness.automatic else f"{percent(brightness.level)}%"


def _same_brightness(wanted: str, has: str) -> bool:
    """Compare roughly: Android stores brightness as a fraction, and the phone chooses an automatic
    one."""
    one, other = decode_brightness(wanted), decode_brightness(has)
    if one.automatic or other.automatic:
        return one.automatic == other.automatic
    return abs(one.level - other.level) <= 2


# The others


def _read_font_scale(facts: Facts) -> str | None:
    scale = read_font_scale(facts["font_scale"])
    return None if scale is None else f"{scale:g}"


def _show_night(value: str, _: Facts) -> str:
    return _NIGHT.get(value, "by a schedule")


def _volume_knob(stream: str) -> Settable:
    fact = f"volume.{stream}"

    def volume(facts: Facts) -> Volume | None:
        return read_volume(facts[fact])

    def read(facts: Facts) -> str | None:
        found = volume(facts)
        return None if found is None else str(found.level)

    def show(value: str, facts: Facts) -> str:
        found = volume(facts)
        return value if found is None else f"{value} of {found.most}"

    return Settable(
        f"{stream.capitalize()} volume",
        (fact,),
        read,
        lambda value, api: setting_commands.set_volume(stream, int(value), api),
        show,
        f"do not disturb is on, or {POLICY}",
    )


SETTABLE: Mapping[str, Settable] = {
    # Settings that affect others come first: values are restored in this order.
    "airplane_mode": _switch(
        "airplane_mode", lambda on, _: setting_commands.turn_airplane_mode(on), "Airplane mode"
    ),
    "wifi": _switch("wifi", setting_commands.turn_wifi, "Wi-Fi"),
    "mobile_data": _switch(
        "mobile_data",
        setting_commands.turn_mobile_data,
        "Mobile data",
        f"it may have no SIM card, or {POLICY}",
    ),
    "bluetooth": _switch("bluetooth", setting_commands.turn_bluetooth, "Bluetooth"),
    "rotation": Settable(
        "Rotation",
        ("rotation", "size", "current"),
        _read_rotation,
        lambda value, api: setting_commands.set_rotation(_decode_rotation(value), api),
        _show_rotation,
    ),
    "dark_mode": Settable(
        "Dark mode",
        ("dark_mode",),
        lambda facts: read_night(facts["dark_mode"]),
        lambda value, _: setting_commands.set_night(value),
        _show_night,
    ),
    "brightness": Settable(
        "Brightness",
        ("brightness",),
        _read_brightness,
        lambda value, api: setting_commands.set_brightness(decode_brightness(value), api),
        _show_brightness,
        same=_same_brightness,
    ),
    "font_scale": Settable(
        "Font scale",
        ("font_scale",),
        _read_font_scale,
        lambda value, _: setting_commands.set_font_scale(float(value)),
        lambda value, _: value,
    ),
    **{f"volume.{stream}": _volume_knob(stream) for stream in STREAMS},
}


LANGUAGE, PLACE, OF_APP = "language", "location", "language:"
"""Names of values that are changed in other ways; a package follows the last one."""


def label_of(name: str) -> str:
    """Return a setting's name for users."""
    if name in SETTABLE:
        return SETTABLE[name].label
    if name.startswith(OF_APP):
        return f"Language of {cut(plain(name.removeprefix(OF_APP)), 100)}"
    return cut(plain(name), 40).capitalize()


def read_api(facts: Facts) -> int:
    """Return the API level; 0 if unknown."""
    text = first(facts["api"])
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
