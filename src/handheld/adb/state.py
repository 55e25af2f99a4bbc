"""What state a phone is in, and what to do about each."""

from enum import StrEnum

from .link import AdbError


class PhoneState(StrEnum):
    """adb's own words, except `absent`, which it says only by an error, and `unknown`."""

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
        """adb's word for a state; what we have not heard of is `unknown`."""
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
    "Debian run `apt-get install android-sdk-platform-tools-common`, then replug the phone",
    PhoneState.RECOVERY: "is in recovery mode: restart it into Android",
    PhoneState.RESCUE: "is in rescue mode: restart it into Android",
    PhoneState.SIDELOAD: "is in sideload mode: restart it into Android",
    PhoneState.BOOTLOADER: "is in its bootloader: restart it into Android",
    PhoneState.ABSENT: "is not connected: `adb devices` lists the phones that are",
    PhoneState.UNKNOWN: "is in a state that cannot be used: unplug and replug it",
}


class PhoneUnavailable(AdbError):
    """The phone cannot be used as it is; `state` says why, the message what to do."""

    def __init__(self, serial: str, state: PhoneState, message: str = "") -> None:
        remedy = _REMEDIES.get(state, _REMEDIES[PhoneState.UNKNOWN])
        super().__init__(message or f"The phone {serial} {remedy}.")
        self.serial = serial
        self.state = state
