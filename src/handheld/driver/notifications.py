"""Notifications: the protocol and its values."""

from enum import Enum, auto
from typing import NamedTuple, Protocol


class NotificationAction(NamedTuple):
    """A button of a notification."""

    title: str
    takes_text: bool | None
    """None if unknown."""
    opens: bool = False
    """Whether the button is known to start an activity."""


class Notification(NamedTuple):
    """A notification of the phone's current user, with the app's raw texts."""

    key: str
    """Android's key: user, package, number, tag and uid."""
    package: str
    label: str
    """The app's name; its package if the name is unknown."""
    posted: int
    """When it was posted or last changed, in ms of the phone's clock."""
    title: str | None = None
    text: str | None = None
    big_text: str | None = None
    sub_text: str | None = None
    ongoing: bool = False
    clearable: bool = True
    category: str | None = None
    group: str | None = None
    actions: tuple[NotificationAction, ...] = ()
    printed: bool = False
    """Whether it was read from Android's shell output, and can be compared only with that."""
    problem: str | None = None
    """Why parts of it could not be read, in Android's words."""
    unreadable: bool = False
    """Whether its texts could not be told from another app's."""

    @property
    def user(self) -> int:
        """The notification's user; -1 for all users, also if unknown."""
        number = self.key.partition("|")[0]
        return int(number) if number.isascii() and number.isdigit() else -1


class Posted(NamedTuple):
    """The posted notifications, newest first."""

    notifications: tuple[Notification, ...]
    now: int
    """The time of the phone's clock, in ms."""
    seq: int | None = None
    """The number of notifications posted, changed or removed; None if not counted."""
    complete: bool = True
    """Whether the count includes changes and removals; else only new notifications."""
    starts: bool = True
    """Whether Android lets us start their content intents; else only a tap in the shade opens
    them."""


class NotificationVerb(NamedTuple):
    """An action on a notification."""

    do: str
    """open, dismiss, snooze, press or reply."""
    action: int | None = None
    """The index of the button; None in a reply: the first button that takes a text."""
    text: str | None = None
    for_ms: int | None = None


class NotificationProblem(Enum):
    GONE = auto()
    """It was removed or replaced."""
    CHANGED = auto()
    """The button has changed."""
    ONGOING = auto()
    """Only its app can remove it."""
    NO_INTENT = auto()
    """The app provided no intent."""
    NO_TEXT = auto()
    """The action takes no text."""
    UNSEEN = auto()
    """It was posted before Handheld listened."""
    BLOCKED = auto()
    """Android does not let us start its content intent."""


class NotificationFailed(Exception):
    """Nothing was done."""

    def __init__(self, problem: NotificationProblem) -> None:
        super().__init__(problem.name)
        self.problem = problem


class NotificationDriver(Protocol):
    async def notifications(self, after: int | None = None, within_ms: int = 0) -> Posted:
        """List the notifications; with `after`, wait until the count exceeds it, at most
        `within_ms`. Without a count it does not wait."""
        ...

    async def act_on_notification(self, seen: Notification, verb: NotificationVerb) -> str:
        """Check that the notification is unchanged, and act on it; after `open`, return the package
        of the app in front, "" if unknown. Raises NotificationFailed."""
        ...
