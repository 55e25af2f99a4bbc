"""The states of a phone, and how to fix each."""

import re
from enum import StrEnum

from .link import AdbError


class PhoneState(StrEnum):
    """adb's own words, except `absent`, which adb only reports as an error, and `unknown`."""

    DEVICE = "device"
    OFFLINE = "offline"
    UNAUTHORIZED = "unauthorized"
    AUTHORIZING = "authorizing"
    CONNECTING = "connecting"
    NO_PERMISSIONS = "no permissions"
    RECOVERY = "recovery"
    RESCUE = "rescue"
    SIDELOAD = "sideload"
    BOOTLOADER = "bootloader"
    ABSENT = "absent"
    UNKNOWN = "unknown"

    @classmethod
    def read(cls, word: str) -> "PhoneState":
        """Parse adb's word for a state; others are `unknown`."""
        try:
            return cls(word)
        except ValueError:
            return cls.UNKNOWN


_REMEDIES = {
    PhoneState.OFFLINE: "is offline: unlock it, then unplug and replug it, "
    "or run `adb reconnect offline`",
    PhoneState.UNAUTHORIZED: "has not allowed this computer yet: unlock it and accept the "
    "“Allow USB debugging?” prompt on its screen (no prompt: switch USB debugging off and on)",
    PhoneState.AUTHORIZING: "is still checking this computer's key: wait a moment and try again",
    PhoneState.CONNECTING: "is still connecting: wait a moment and try again",
    PhoneState.NO_PERMISSIONS: "is plugged in, but this user may not open its USB device: on "
    "Debian run `apt-get install android-sdk-platform-tools-common` (its udev rules allow it), "
    "then replug the phone and run `adb kill-server`",
    PhoneState.RECOVERY: "is in recovery mode: choose “Reboot system now” on it, or run "
    "`adb reboot`",
    PhoneState.RESCUE: "is in rescue mode: restart it into Android with `adb reboot`",
    PhoneState.SIDELOAD: "waits for an update (sideload): restart it into Android with "
    "`adb reboot`",
    PhoneState.BOOTLOADER: "is in its bootloader: restart it into Android with `fastboot reboot`",
    PhoneState.ABSENT: "is not connected: `adb devices` lists the phones that are",
    PhoneState.UNKNOWN: "is in a state that cannot be used: unplug and replug it",
}


_WIRELESS_REMEDIES = {
    PhoneState.OFFLINE: "is offline: wake it and check its Wi-Fi connection, then run "
    "`handheld disconnect {serial}` and `handheld connect {serial}`",
    PhoneState.ABSENT: "is not connected: `handheld connect {serial}` connects it",
}
_ADDRESS = re.compile(r".+:\d{1,5}")


def _remedy(serial: str, state: PhoneState) -> str:
    if state in _WIRELESS_REMEDIES and _ADDRESS.fullmatch(serial):
        return _WIRELESS_REMEDIES[state].format(serial=serial)
    return _REMEDIES.get(state, _REMEDIES[PhoneState.UNKNOWN])


class PhoneUnavailable(AdbError):
    """The phone cannot be used in this state; the message states how to fix it."""

    def __init__(self, serial: str, state: PhoneState, message: str = "") -> None:
        super().__init__(message or f"The phone {serial} {_remedy(serial, state)}.")
        self.serial = serial
        self.state = state
