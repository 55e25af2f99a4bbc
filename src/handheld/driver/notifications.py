"""Notifications: the protocol and its values."""

from enum import Enum, auto
from typing import NamedTuple, Protocol


class NotificationAction(NamedTuple):
    """A button of a notification."""

    title: str
    takes_text: bool | None
    """None: not known."""
    opens: bool = False
    """It is known to start an activity."""


class Notification(NamedTuple):
    """A notification of the phone's current user. Words of the app, uncleaned."""

    key: str
    """Android's name of it: user, package, number, tag and uid."""
    package: str
    label: str
    """The app's name; its package where that is not known."""
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
    """It was read from what Android prints, and can be compared only with that."""
    problem: str | None = None
    """Why not all of it could be read, in Android's words."""
    unreadable: bool = False
    """Its words could not be told from those of another app."""

    @property
    def user(self) -> int:
        """Whose it is; -1 for everybody's, also where that is not known."""
        number = self.key.partition("|")[0]
        return int(number) if number.isascii() and number.isdigit() else -1


class Posted(NamedTuple):
    """What is posted, newest first."""

    notifications: tuple[Notification, ...]
    now: int
    """The phone's clock, in ms."""
    seq: int | None = None
    """How many were posted, changed or removed; None where that is not counted."""
    complete: bool = True
    """Whether all of these are counted; else only those that are new."""
    starts: bool = True
    """Whether Android lets us start what they open; else only a tap in the shade does."""


class Deed(NamedTuple):
    """What to do with a notification."""

    do: str
    """open, dismiss, snooze, press or reply."""
    action: int | None = None
    """The place of the button; None in a reply: the first one that takes a text."""
    text: str | None = None
    for_ms: int | None = None


class NotificationProblem(Enum):
    GONE = auto()
    """It was removed, or another has taken its place."""
    CHANGED = auto()
    """The action is another."""
    ONGOING = auto()
    """Only its app ends it."""
    NO_INTENT = auto()
    """The app gave nothing to send."""
    NO_TEXT = auto()
    """The action takes no text."""
    UNSEEN = auto()
    """It was posted before we listened."""
    BLOCKED = auto()
    """Android does not let us start what it opens."""


class NotificationFailed(Exception):
    """Nothing was done."""

    def __init__(self, problem: NotificationProblem) -> None:
        super().__init__(problem.name)
        self.problem = problem


class NotificationDriver(Protocol):
    async def notifications(self, after: int | None = None, within_ms: int = 0) -> Posted:
        """List them; with `after`, as soon as the count exceeds it, but after `within_ms` at the
        latest. Where nothing is counted it does not wait."""
        ...

    async def act_on_notification(self, seen: Notification, deed: Deed) -> str:
        """Compare it with what was seen, and do the deed; return the package of the app in front
        after `open`, "" where that is not known. Raises NotificationFailed."""
        ...
