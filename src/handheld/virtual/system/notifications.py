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
    id: int = 0
    tag: str | None = None
    channel: str = "default"
    stays: bool = False
    """A tap on it does not remove it."""


class Notifications:
    def __init__(
        self, changed: Callable[[], object], on_new: Callable[[Notification], object]
    ) -> None:
        self._changed, self._on_new = changed, on_new
        self.posted: list[Notification] = []
        self._count = 0

    def new_id(self) -> int:
        """For apps that do not number theirs."""
        self._count += 1
        return self._count

    def post(self, notification: Notification) -> Notification:
        """Post it, in place of one of the same app with the same id and tag."""

        def name(other: Notification) -> tuple[str, int, str | None]:
            return other.package, other.id, other.tag

        others = [other for other in self.posted if name(other) != name(notification)]
        new = len(others) == len(self.posted)
        self.posted = [notification, *others]
        own = [other for other in self.posted if other.package == notification.package]
        for old in own[MOST:]:
            self.posted.remove(old)
        if new:  # accessibility services do not learn of updates
            self._on_new(notification)
        self._changed()
        return notification

    def opened(self, notification: Notification) -> None:
        """It was tapped."""
        if not notification.stays:
            self.remove(notification)

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
