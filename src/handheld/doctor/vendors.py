"""What makers of phones ask for beside USB debugging. docs/phones.md tells the same at length."""

from collections.abc import Mapping

_XIAOMI = (
    "switch on “USB debugging (Security settings)” in the developer options, then restart the "
    "phone, else touches are refused; “Install via USB” for installing apps"
)
_OPPO = (
    "switch on “Disable permission monitoring” in the developer options, else touches and "
    "permissions may be refused"
)
_HUAWEI = (
    "switch on “Allow ADB debugging in charge only mode” in the developer options, else adb goes "
    "when the cable's mode changes"
)
_SAMSUNG = (
    "if adb is refused though debugging is on, switch off Auto Blocker (Settings, Security and "
    "privacy)"
)
_VIVO = (
    "switch on “USB security operations” in the developer options where it is offered, else "
    "touches are refused"
)
_SWITCHES: Mapping[str, str] = {
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


def switches_of(manufacturer: str, brand: str) -> str:
    """What to switch on such a phone; "" where nothing is known."""
    return _SWITCHES.get(brand.lower()) or _SWITCHES.get(manufacturer.lower(), "")
