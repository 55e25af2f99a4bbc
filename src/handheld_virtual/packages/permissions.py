"""Runtime permissions: the owner's answers, as the package manager stores them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..system.android import Android

if TYPE_CHECKING:
    from ..world import World

ONE_TIME_MS = 60_000.0
"""How long a one-time permission lasts after the user left the app."""

SHELL_PERMISSIONS = (
    "android.permission.DUMP",
    "android.permission.FORCE_STOP_PACKAGES",
    "android.permission.INJECT_EVENTS",
    "android.permission.INTERACT_ACROSS_USERS",
    "android.permission.READ_LOGS",
    "android.permission.SEND_SMS",
)
"""Permissions of adb's shell that a component may require. It has none that an app defines."""

FOREGROUND = {
    "android.permission.CAMERA": "take pictures and record video",
    "android.permission.RECORD_AUDIO": "record audio",
    "android.permission.ACCESS_FINE_LOCATION": "access this device’s location",
    "android.permission.ACCESS_COARSE_LOCATION": "access this device’s approximate location",
}
"""Runtime permissions that can be granted while the app is in use, and the dialog's text."""
ALWAYS = {
    "android.permission.POST_NOTIFICATIONS": "send you notifications",
    "android.permission.READ_CONTACTS": "access your contacts",
    "android.permission.WRITE_CONTACTS": "access your contacts",
    "android.permission.GET_ACCOUNTS": "access your contacts",
    "android.permission.READ_CALENDAR": "access your calendar",
    "android.permission.WRITE_CALENDAR": "access your calendar",
    "android.permission.SEND_SMS": "send and view SMS messages",
    "android.permission.READ_SMS": "send and view SMS messages",
    "android.permission.RECEIVE_SMS": "send and view SMS messages",
    "android.permission.CALL_PHONE": "make and manage phone calls",
    "android.permission.READ_PHONE_STATE": "make and manage phone calls",
    "android.permission.READ_PHONE_NUMBERS": "make and manage phone calls",
    "android.permission.READ_CALL_LOG": "access your phone call logs",
    "android.permission.WRITE_CALL_LOG": "access your phone call logs",
    "android.permission.READ_EXTERNAL_STORAGE": "access photos and media on your device",
    "android.permission.WRITE_EXTERNAL_STORAGE": "access photos and media on your device",
    "android.permission.READ_MEDIA_IMAGES": "access photos and videos on this device",
    "android.permission.READ_MEDIA_VIDEO": "access photos and videos on this device",
    "android.permission.READ_MEDIA_AUDIO": "access music and audio on this device",
    "android.permission.BODY_SENSORS": "access sensor data about your vital signs",
    "android.permission.ACTIVITY_RECOGNITION": "access your physical activity",
    "android.permission.BLUETOOTH_CONNECT": (
        "find, connect to, and determine the relative position of nearby devices"
    ),
    "android.permission.BLUETOOTH_SCAN": (
        "find, connect to, and determine the relative position of nearby devices"
    ),
}
RUNTIME = frozenset(FOREGROUND) | frozenset(ALWAYS)
"""Android's dangerous permissions, which the owner grants at run time."""
_ADDED = {
    "android.permission.POST_NOTIFICATIONS": Android.notification_permission,
    "android.permission.READ_MEDIA_IMAGES": Android.media_permissions,
    "android.permission.READ_MEDIA_VIDEO": Android.media_permissions,
    "android.permission.READ_MEDIA_AUDIO": Android.media_permissions,
    "android.permission.BLUETOOTH_CONNECT": Android.bluetooth_permissions,
    "android.permission.BLUETOOTH_SCAN": Android.bluetooth_permissions,
    "android.permission.ACTIVITY_RECOGNITION": Android.activity_recognition_permission,
}


def runtime_permissions(android: Android) -> frozenset[str]:
    """This release's runtime permissions."""
    return RUNTIME - {name for name, change in _ADDED.items() if not android.has(change)}


@dataclass(frozen=True, slots=True)
class Answer:
    """The state of one permission of one app."""

    granted: bool = False
    user_set: bool = False
    """Whether the owner has answered."""
    user_fixed: bool = False
    """Whether it is denied permanently: the app may not ask again."""
    one_time: bool = False
    """Whether it lasts only until the user leaves the app."""

    def flags_in(self, android: Android) -> tuple[str, ...]:
        """The names that `dumpsys package` prints, in its order."""
        named = {
            "USER_SET": self.user_set,
            "USER_FIXED": self.user_fixed,
            "USER_SENSITIVE_WHEN_GRANTED": android.permission_sensitivity,
            "USER_SENSITIVE_WHEN_DENIED": android.permission_sensitivity,
            "ONE_TIME": self.one_time,
        }
        return tuple(name for name, on in named.items() if on)


class Permissions:
    """Answers by package and permission."""

    def __init__(self) -> None:
        self._answers: dict[str, dict[str, Answer]] = {}

    def of(self, package: str) -> dict[str, Answer]:
        """The answers for an app, by permission."""
        return dict(sorted(self._answers.get(package, {}).items()))

    def get(self, package: str, permission: str) -> Answer:
        return self._answers.get(package, {}).get(permission, Answer())

    def granted(self, package: str, permission: str) -> bool:
        return self.get(package, permission).granted

    def grant(self, package: str, permission: str) -> None:
        """Grant a permission as `pm grant` does, which forgets the owner's answer."""
        self._put(package, permission, Answer(granted=True))

    def revoke(self, package: str, permission: str) -> None:
        """Revoke a permission as `pm revoke` does."""
        self._put(package, permission, Answer())

    def allow(self, package: str, permission: str, *, one_time: bool = False) -> None:
        """Record that the owner has allowed a permission."""
        self._put(package, permission, Answer(granted=True, user_set=True, one_time=one_time))

    def deny(self, package: str, permission: str, *, for_good: bool = False) -> None:
        """Record that the owner has denied a permission."""
        self._put(package, permission, Answer(user_set=True, user_fixed=for_good))

    def app_left(self, world: "World", package: str) -> None:
        """Note that the app is no longer in front: its one-time permissions end unless it returns
        in time."""
        if any(answer.one_time for answer in self._answers.get(package, {}).values()):
            world.timers.after(
                ONE_TIME_MS, lambda: world.is_in_front(package) or self.end_one_time(package)
            )

    def end_one_time(self, package: str) -> None:
        for permission, answer in self._answers.get(package, {}).items():
            if answer.one_time:
                self._answers[package][permission] = Answer()

    def forget(self, package: str) -> None:
        """Forget an app that was removed, or whose data was cleared."""
        self._answers.pop(package, None)

    def _put(self, package: str, permission: str, answer: Answer) -> None:
        self._answers.setdefault(package, {})[permission] = answer
