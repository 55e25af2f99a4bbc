"""The notifications that apps have posted, newest first."""

from collections.abc import Callable
from dataclasses import dataclass

MOST = 50
"""For each app, as on Android; the oldest are dropped."""


@dataclass(frozen=True, eq=False, slots=True)
class Notification:
    package: str
    title: str
    text: str
    posted: float
    """The world's time."""
    on_open: Callable[[], object] | None = None
    """What a tap does; by default it opens the app."""


class Notifications:
    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self.posted: list[Notification] = []

    def post(self, notification: Notification) -> None:
        self.posted.insert(0, notification)
        own = [other for other in self.posted if other.package == notification.package]
        for old in own[MOST:]:
            self.posted.remove(old)
        self._changed()

    def remove(self, notification: Notification) -> None:
        if notification in self.posted:
            self.posted.remove(notification)
            self._changed()

    def forget(self, package: str) -> None:
        """Remove those of an app that was uninstalled."""
        if any(notification.package == package for notification in self.posted):
            self.posted = [
                notification for notification in self.posted if notification.package != package
            ]
            self._changed()

    def clear(self) -> None:
        if self.posted:
            self.posted.clear()
            self._changed()
