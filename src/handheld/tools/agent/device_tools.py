"""The device for models: its properties, and its settings by short words."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from ...driver.by_shell.probes import STREAMS
from ...driver.by_shell.setting_commands import BRIGHTEST
from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut
from .elements.targets import BETWEEN

# The first call loads the implementation: most sessions do not use it.

_ON, _OFF = (
    ("on", "yes", "true", "1", "enable", "enabled"),
    (*("off", "no", "false", "0", "disable", "disabled"),),
)
_PERCENT = re.compile(r"(\d{1,3})\s*%")
_WHOLE = re.compile(r"\d{1,4}")
_SCALE = re.compile(r"\d{1,2}(\.\d{1,3})?")
_DEGREES = r"(-?\d{1,3}(?:\.\d{1,15})?)"
_PLACE = re.compile(f"{_DEGREES}{BETWEEN}{_DEGREES}")
_REAL = ("real", "off", "none", "reset", "clear")
_LONGEST_WORD = 40


async def read_device(phone: Phone, of: str, limit: int) -> str:
    info = await phone.device.info()
    screen, battery, network = info["screen"], info["battery"], info["network"]
    name = " ".join(filter(None, (info["manufacturer"], info["model"]))) or "unknown"
    simulated = ", simulated" if info["simulated"] else ""
    bright = "auto" if screen["brightness_auto"] else _or(screen["brightness_percent"], "{}%")
    lines = [
        f'"{clean(name)}" Android {_or(info["android"])}, API {_or(info["api"])}{simulated}',
        f"screen {_or(screen['width'])}x{_or(screen['height'])} {_switch(screen['on'])}"
        + (", locked" if screen["locked"] else ""),
        f"rotation {_or(screen['rotation'])}, brightness {bright},"
        f" dark_mode {_switch(screen['dark'])}, font_scale {_or(screen['font_scale'])}",
        f"battery {_or(battery['level'], '{}%')}, {_or(battery['status'])},"
        f" plugged {_or(battery['plugged'])}",
        f"wifi {_switch(network['wifi'])}, mobile_data {_switch(network['mobile_data'])},"
        f" airplane_mode {_switch(network['airplane'])}, bluetooth {_switch(network['bluetooth'])}",
    ]
    if info["volume"]:
        levels = (f"{kind} {v['level']}/{v['max']}" for kind, v in info["volume"].items())
        lines.append(f"volume {', '.join(levels)}")
    lines.append(
        f"language {clean(_or(info['language']))}, timezone {clean(_or(info['timezone']))},"
        f" location {_switch(info['location_on'])}"
    )
    if info["changed"]:
        lines.append(f"changed, and not put back: {clean(', '.join(info['changed']))}")
    return "\n".join(lines)


async def read_location(phone: Phone, of: str, limit: int) -> str:
    fresh = of.casefold() in ("fresh", "now", "new")
    fix = await phone.device.locate(fresh)
    parts = [f"{fix.latitude:.6f},{fix.longitude:.6f}"]
    if fix.accuracy is not None:
        parts.append(f"within {fix.accuracy:g} m")
    if fix.age_ms is not None:
        parts.append(f"{round(fix.age_ms / 1000)} s ago")
    if fix.mock:
        parts.append("pretended")
    return ", ".join(parts)


def _or(value: Any, form: str = "{}") -> str:
    return "unknown" if value is None else form.format(value)


def _switch(value: bool | str | None) -> str:
    from ...phone.device.settable import word

    return word(value) if isinstance(value, bool) else _or(value)


# Settings


def read_switch(what: str, value: str) -> bool:
    """Raises InvalidParams."""
    said = value.strip().casefold()
    if said in _ON or said in _OFF:
        return said in _ON
    raise InvalidParams(f'{what} is on or off, not "{_cut(value)}".')


def _cut(value: str) -> str:
    return cut(clean(value[: 4 * _LONGEST_WORD]), _LONGEST_WORD)


async def _set_switch(phone: Phone, what: str, value: str) -> list[str]:
    from ...phone.device.settable import word

    return await phone.device.change({what: word(read_switch(what, value))})


async def _set_dark(phone: Phone, what: str, value: str) -> list[str]:
    if value.strip().casefold() in ("auto", "automatic"):
        return await phone.device.change({what: "auto"})
    return await phone.device.change({what: "yes" if read_switch(what, value) else "no"})


async def _set_rotation(phone: Phone, what: str, value: str) -> list[str]:
    from ...phone.device.settable import TURNED

    said = value.strip().casefold().replace(" ", "_").replace("-", "_")
    turns = {"0": 0, "90": 1, "180": 2, "270": 3}
    name = TURNED[turns[said]] if said in turns else said
    if name in ("on", "automatic", "free"):
        name = "auto"
    if name not in ("auto", *TURNED):
        raise InvalidParams(f'rotation is auto, {", ".join(TURNED)}, not "{_cut(value)}".')
    return await phone.device.change_rotation(name)


async def _set_brightness(phone: Phone, what: str, value: str) -> list[str]:
    said = value.strip().casefold()
    if said in ("auto", "automatic"):
        return await phone.device.change({what: f"auto {BRIGHTEST // 2}"})
    share = _share(said)
    if share is None and _WHOLE.fullmatch(said) and int(said) <= 100:
        share = int(said) / 100
    if share is None:
        raise InvalidParams(f'brightness is 0% to 100%, or auto, not "{_cut(value)}".')
    return await phone.device.change({what: str(round(share * BRIGHTEST))})


def _share(said: str) -> float | None:
    found = _PERCENT.fullmatch(said)
    if found is not None and int(found[1]) <= 100:
        return int(found[1]) / 100
    return {"max": 1.0, "min": 0.0}.get(said)


async def _set_font_scale(phone: Phone, what: str, value: str) -> list[str]:
    said = value.strip().casefold()
    percent = _PERCENT.fullmatch(said)
    scale = float(said) if _SCALE.fullmatch(said) else int(percent[1]) / 100 if percent else 0
    if not 0.5 <= scale <= 2:
        raise InvalidParams(f'font_scale is 0.5 to 2, usually 1, not "{_cut(value)}".')
    return await phone.device.change({what: f"{scale:g}"})


async def _set_volume(phone: Phone, what: str, value: str) -> list[str]:
    said = value.strip().casefold().replace("=", " ").replace(":", " ")
    kind, _, rest = said.partition(" ")
    if kind not in STREAMS:
        kind, rest = "music", said
    rest = rest.strip()
    if rest in ("mute", "muted", "off"):
        rest = "min"
    share = _share(rest)
    if share is None and not _WHOLE.fullmatch(rest):
        raise InvalidParams(
            f'volume is 40% or a level, with its kind before it if not music ("ring 3"), not'
            f' "{_cut(value)}". Kinds: {", ".join(STREAMS)}.'
        )
    level = None if share is not None else int(rest)
    return await phone.device.change_volume(kind, level, share)


async def _set_language(phone: Phone, what: str, value: str) -> list[str]:
    package, _, tag = value.strip().rpartition(" ")
    return await phone.device.change_language(tag, package.strip() or None)


async def about_setting(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    """Return the app whose language is set."""
    if arguments.get("what") != "language":
        return ()
    package = str(arguments.get("value")).strip().rpartition(" ")[0].strip()
    return (package,) if package else ()


async def _set_place(phone: Phone, what: str, value: str) -> list[str]:
    said = value.strip()
    if said.casefold() in _REAL:
        return await phone.device.change_place(None)
    found = _PLACE.fullmatch(said)
    place = (float(found[1]), float(found[2])) if found else (999.0, 999.0)
    if not (-90 <= place[0] <= 90 and -180 <= place[1] <= 180):
        raise InvalidParams(f'location is latitude,longitude or real, not "{_cut(value)}".')
    return await phone.device.change_place(place)


async def _set_screen(phone: Phone, what: str, value: str) -> list[str]:
    return await phone.device.switch_screen(read_switch(what, value))


Set = Callable[[Phone, str, str], Awaitable[list[str]]]
SETTINGS: Mapping[str, tuple[Set, str]] = {
    "rotation": (_set_rotation, "set_rotation"),
    "wifi": (_set_switch, "set_network"),
    "bluetooth": (_set_switch, "set_network"),
    "mobile_data": (_set_switch, "set_network"),
    "airplane_mode": (_set_switch, "set_network"),
    "volume": (_set_volume, "set_volume"),
    "brightness": (_set_brightness, "set_appearance"),
    "dark_mode": (_set_dark, "set_appearance"),
    "font_scale": (_set_font_scale, "set_appearance"),
    "language": (_set_language, "set_language"),
    "location": (_set_place, "set_location"),
    "screen": (_set_screen, "set_screen"),
}
"""The function that sets each setting, and the equivalent main tool."""
