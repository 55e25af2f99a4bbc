"""The owner's personal data: contacts, events and calls."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

WHOLE_DAY = timedelta(days=1)


class Contact(NamedTuple):
    name: str
    number: str
    kind: str
    email: str


class Event(NamedTuple):
    title: str
    begins: datetime | date
    """A date for an all-day event, otherwise a time with a zone."""
    lasts: timedelta = timedelta(hours=1)
    location: str | None = None
    description: str | None = None
    calendar: str = "Personal"
    every_days: int = 0
    times: int = 1
    """How many times a recurring event takes place."""
    shown: bool = True
    """Whether its calendar is visible."""

    @property
    def all_day(self) -> bool:
        return not isinstance(self.begins, datetime)

    def instances(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end in milliseconds since 1970; all-day events are in UTC."""
        first = self.begins
        if not isinstance(first, datetime):
            first = datetime.combine(first, time(), UTC)
        for number in range(self.times if self.every_days else 1):
            begin = first + number * timedelta(days=self.every_days)
            yield _ms(begin), _ms(begin + self.lasts)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


INCOMING, OUTGOING, MISSED, REJECTED = 1, 2, 3, 5
"""Call types, with the numbers of Android's call log."""
SHOWN, PRIVATE = 1, 2
"""Number presentations, with the numbers of Android's call log."""


class LoggedCall(NamedTuple):
    number: str
    kind: int
    date: int
    """Milliseconds since 1970."""
    seconds: int = 0
    name: str | None = None
    presentation: int = SHOWN


class Personal:
    def __init__(self) -> None:
        self.contacts: list[Contact] = []
        """Contacts in addition to those of every phone."""
        self.events: list[Event] = []
        self.calls: list[LoggedCall] = []
