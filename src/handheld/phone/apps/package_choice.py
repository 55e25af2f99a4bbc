"""Chooses the parts of an app that a phone needs from an archive with parts for many phones."""

import re
from collections.abc import Mapping, Sequence

from ...driver.packages import PhoneTraits
from ...errors import ActionFailed
from .package_parts import Part

_CONFIGURATION = re.compile(r"(?:(.+)\.)?config\.([A-Za-z0-9_]+)", re.ASCII)
"""The name of a configuration split, and the module that it belongs to."""
_ABIS = {
    "armeabi": "armeabi",
    "armeabi_v7a": "armeabi-v7a",
    "arm64_v8a": "arm64-v8a",
    "x86": "x86",
    "x86_64": "x86_64",
    "mips": "mips",
    "mips64": "mips64",
    "riscv64": "riscv64",
}
_DENSITIES = {
    "ldpi": 120,
    "mdpi": 160,
    "tvdpi": 213,
    "hdpi": 240,
    "xhdpi": 320,
    "xxhdpi": 480,
    "xxxhdpi": 640,
}


def depends_on_phone(parts: Sequence[Part]) -> bool:
    return any(_configuration(part)[1] in (*_ABIS, *_DENSITIES) for part in parts)


def choose_parts(parts: Sequence[Part], traits: PhoneTraits) -> list[Part]:
    """Choose each module's code for this phone's ABI and pictures for its screen density, and all
    languages. Raises ActionFailed for an app without code for this ABI."""
    codes: dict[str, dict[str, Part]] = {}
    pictures: dict[str, dict[str, Part]] = {}
    chosen: list[Part] = []
    for part in parts:
        module, kind = _configuration(part)
        if kind in _ABIS:
            codes.setdefault(module, {})[_ABIS[kind]] = part
        elif kind in _DENSITIES:
            pictures.setdefault(module, {})[kind] = part
        else:
            chosen.append(part)
    chosen += (_choose_code(found, traits.abis) for found in codes.values())
    chosen += (_choose_pictures(found, traits.density) for found in pictures.values())
    return chosen


def _configuration(part: Part) -> tuple[str, str]:
    match = _CONFIGURATION.fullmatch(part.manifest.split or "")
    return ("", "") if match is None else (match[1] or "", match[2])


def _choose_code(found: Mapping[str, Part], abis: Sequence[str]) -> Part:
    for abi in abis:
        if abi in found:
            return found[abi]
    raise ActionFailed(
        f"It is not made for this phone: it has code for {', '.join(sorted(found))}, and the phone"
        f" runs {', '.join(abis) or 'another ABI'}."
    )


def _choose_pictures(found: Mapping[str, Part], density: int) -> Part:
    """Return the smallest density that is sufficient, else the largest."""
    sizes = sorted(found, key=lambda kind: _DENSITIES[kind])
    return found[next((kind for kind in sizes if _DENSITIES[kind] >= density), sizes[-1])]
