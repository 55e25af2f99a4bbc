"""Settings that makers require in addition to USB debugging. docs/phones.md has the details."""

from collections.abc import Mapping
from typing import NamedTuple

from ...adb import shell
from ...adb.link import AdbError, Link


class _Vendor(NamedTuple):
    switches: str
    """Settings to change on such a phone, and why."""
    touching: str = ""
    """The setting that lets adb touch the screen, as the object of “turn on”."""


_XIAOMI = _Vendor(
    "switch on “USB debugging (Security settings)” in the developer options, then restart the "
    "phone, else touches are refused; “Install via USB” for installing apps",
    "“USB debugging (Security settings)” in its developer options and restart it",
)
_OPPO = _Vendor(
    "switch on “Disable permission monitoring” in the developer options, else touches and "
    "permissions may be refused",
    "“Disable permission monitoring” in its developer options",
)
_HUAWEI = _Vendor(
    "switch on “Allow ADB debugging in charge only mode” in the developer options, else adb goes "
    "when the cable's mode changes"
)
_SAMSUNG = _Vendor(
    "if adb is refused though debugging is on, switch off Auto Blocker (Settings, Security and "
    "privacy)"
)
_VIVO = _Vendor(
    "switch on “USB security operations” in the developer options where it is offered, else "
    "touches are refused",
    "“USB security operations” in its developer options",
)
_ANY = _Vendor(
    "",
    "any further setting for security or permissions in its developer options, and restart it",
)
_VENDORS: Mapping[str, _Vendor] = {
    "xiaomi": _XIAOMI,
    "redmi": _XIAOMI,
    "poco": _XIAOMI,
    "oppo": _OPPO,
    "realme": _OPPO,
    "oneplus": _OPPO,
    "huawei": _HUAWEI,
    "honor": _HUAWEI,
    "samsung": _SAMSUNG,
    "vivo": _VIVO,
    "iqoo": _VIVO,
}


def _vendor(manufacturer: str, brand: str) -> _Vendor:
    return _VENDORS.get(brand.lower()) or _VENDORS.get(manufacturer.lower(), _ANY)


def switches_of(manufacturer: str, brand: str) -> str:
    """Return the settings to change on such a phone; "" if none are known."""
    return _vendor(manufacturer, brand).switches


def touching_of(manufacturer: str, brand: str) -> str:
    """Return the setting to turn on if adb may not touch the screen."""
    return _vendor(manufacturer, brand).touching or _ANY.touching


async def ask_for_touching(link: Link) -> str:
    """Return `touching_of` for a phone that refused a touch; a general hint if unknown."""
    names = ["", ""]
    try:
        for place, part in enumerate(("manufacturer", "brand")):
            result = await shell.run(link, ["getprop", f"ro.product.{part}"])
            names[place] = result.stdout.decode(errors="replace").strip()
    except AdbError:
        pass
    return touching_of(*names)
