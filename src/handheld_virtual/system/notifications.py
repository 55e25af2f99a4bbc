"""The notifications that apps have posted, newest first, and those that are snoozed."""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .timers import Timers

MOST = 50
"""Android's limit for each app; the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class NotificationAction:
    """A button below a notification."""

    title: str
    on_press: Callable[[str], object] | None = None
    """Receives the text of a reply, or "" for a button. None if the app gave no intent."""
    takes_text: bool = False
    opens: bool = False
    """Whether it starts an activity."""
    guarded: bool = False
    """Whether it requires an unlocked phone."""


@dataclass(frozen=True, eq=False, slots=True)
class Notification:
    package: str
    title: str
    text: str
    posted: float
    """The world's time."""
    on_open: Callable[[], object] | None = None
    """Called by a tap; by default a tap opens the app."""
    id: int = 0
    tag: str | None = None
    channel: str = "default"
    stays: bool = False
    """Whether it remains after a tap."""
    big_text: str | None = None
    sub_text: str | None = None
    lines: tuple[str, ...] = ()
    """The lines of the inbox style."""
    actions: tuple[NotificationAction, ...] = ()
    ongoing: bool = False
    """Whether only its app can remove it."""
    opens: bool = True
    """Whether a tap does anything."""
    group: str | None = None
    summary: bool = False
    """Whether it is the summary of its group."""
    category: str | None = None
    user: int = 0
    problem: str | None = None
    """The exception thrown when it is read; a listener then gets no text."""
    on_delete: Callable[[], object] | None = None
    """Its deleteIntent: called when a person or a listener dismisses it."""
    clings: bool = False
    """Whether Android keeps it although it is not ongoing, because its app has not yet confirmed a
    reply."""


class NotificationOptions(TypedDict, total=False):
    """Properties that few notifications have."""

    id: int
    tag: str | None
    channel: str
    stays: bool
    big_text: str | None
    sub_text: str | None
    lines: tuple[str, ...]
    actions: tuple[NotificationAction, ...]
    ongoing: bool
    opens: bool
    group: str | None
    summary: bool
    category: str | None
    user: int
    problem: str | None
    on_delete: Callable[[], object] | None
    clings: bool


@dataclass(frozen=True, slots=True)
class Snoozed:
    notification: Notification
    until: float
    """The world's time."""


class Notifications:
    def __init__(
        self,
        timers: "Timers",
        changed: Callable[[], object],
        on_new: Callable[[Notification], object],
    ) -> None:
        self._timers, self._changed, self._on_new = timers, changed, on_new
        self.posted: list[Notification] = []
        self.snoozed: list[Snoozed] = []
        self.profiles: Container[int] = ()
        """The other users whose notifications are shown."""
        self._numbered = 0
        self.count = 0
        """How many times a notification was posted, updated or removed, as a listener counts
        them."""

    @property
    def shown(self) -> list[Notification]:
        """The notifications of the current user, which is the first one, and of its profiles."""
        return [each for each in self.posted if each.user <= 0 or each.user in self.profiles]

    def new_id(self) -> int:
        """An id for an app that does not number its notifications."""
        self._numbered += 1
        return self._numbered

    def post(self, notification: Notification) -> Notification:
        """Post a notification; it replaces one of the same app with the same id and tag."""

        def name(other: Notification) -> tuple[str, int, str | None, int]:
            return other.package, other.id, other.tag, other.user

        others = [other for other in self.posted if name(other) != name(notification)]
        new = len(others) == len(self.posted)
        self.posted = [notification, *others]
        own = [other for other in self.posted if other.package == notification.package]
        for old in own[MOST:]:
            self.posted.remove(old)
        if new:  # accessibility services are not notified of updates
            self._on_new(notification)
        self._tell()
        return notification

    def clicked(self, notification: Notification) -> None:
        """Handle a tap as the status bar reports it: the deleteIntent is not sent."""
        if not notification.stays:
            self.remove(notification)

    def remove(self, notification: Notification) -> None:
        if notification in self.posted:
            self.posted.remove(notification)
            self._tell()

    def dismiss(self, notification: Notification) -> None:
        """Dismiss a notification as a person or a listener does. Android silently keeps an ongoing
        one."""
        if notification in self.posted and not (notification.ongoing or notification.clings):
            self.remove(notification)
            _deleted(notification)

    def snooze(self, notification: Notification, ms: float) -> None:
        """Hide a notification for a time; a summary hides its group as well."""
        if notification not in self.posted:
            return
        taken = [notification]
        if notification.summary:
            taken += [
                other
                for other in self.posted
                if other is not notification
                and other.group is not None
                and (other.package, other.user, other.group)
                == (notification.package, notification.user, notification.group)
            ]
        until = self._timers.now() + ms
        for each in taken:
            self.posted.remove(each)
            kept = Snoozed(each, until)
            self.snoozed.append(kept)
            self._timers.after(ms, lambda kept=kept: self.unsnooze(kept))
        self._tell()

    def unsnooze(self, snoozed: Snoozed) -> None:
        """Post a snoozed notification again."""
        if snoozed in self.snoozed:
            self.snoozed.remove(snoozed)
            self.post(replace(snoozed.notification, posted=self._timers.now()))

    def forget(self, package: str) -> None:
        """Remove the notifications of an uninstalled app."""
        self.snoozed = [kept for kept in self.snoozed if kept.notification.package != package]
        if any(notification.package == package for notification in self.posted):
            self.posted = [
                notification for notification in self.posted if notification.package != package
            ]
            self._tell()

    def clear(self) -> None:
        """Remove all notifications except ongoing ones, as Clear all does."""
        left = [each for each in self.posted if each.ongoing or each.clings]
        cleared = [each for each in self.posted if each not in left]
        if cleared:
            self.posted = left
            self._tell()
        for each in cleared:
            _deleted(each)

    def reset(self) -> None:
        """Remove all notifications except snoozed ones, as a restart does."""
        if self.posted:
            self.posted.clear()
            self._tell()

    def _tell(self) -> None:
        self.count += 1
        self._changed()
        self._timers.stir()


def _deleted(notification: Notification) -> None:
    if notification.on_delete is not None:
        notification.on_delete()
