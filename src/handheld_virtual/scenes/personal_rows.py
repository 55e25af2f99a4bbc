"""Contacts, events and calls in a scene."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..system.personal import (
    INCOMING,
    MISSED,
    OUTGOING,
    PRIVATE,
    REJECTED,
    SHOWN,
    WHOLE_DAY,
    Contact,
    Event,
    LoggedCall,
)
from .table import SceneTable

CALLS = {"incoming": INCOMING, "outgoing": OUTGOING, "missed": MISSED, "rejected": REJECTED}
_FARTHEST = 5_000_000
"""The limit of minutes from now to an event, about nine years."""


@dataclass(frozen=True, slots=True)
class SceneEvent:
    event: Event
    """The event, whose beginning is replaced."""
    in_minutes: int
    all_day: bool

    def at(self, now: datetime) -> Event:
        begins = (now + timedelta(minutes=self.in_minutes)).replace(second=0, microsecond=0)
        return self.event._replace(begins=begins.date() if self.all_day else begins)


@dataclass(frozen=True, slots=True)
class SceneCall:
    call: LoggedCall
    minutes_ago: int

    def at(self, now: datetime) -> LoggedCall:
        return self.call._replace(date=int((now.timestamp() - self.minutes_ago * 60) * 1000))


def read_contact(row: SceneTable) -> Contact:
    contact = Contact(
        row.needed_text("name", 1000),
        row.text("number", most=64),
        row.text("kind", "Mobile", 100),
        row.text("email", most=1000),
    )
    row.close()
    return contact


def read_event(row: SceneTable) -> SceneEvent:
    days = row.number("all_day", 0, 0, 366)
    minutes = row.number("minutes", 60, 0, _FARTHEST)
    event = Event(
        row.needed_text("title", 1000),
        date.min,
        days * WHOLE_DAY if days else timedelta(minutes=minutes),
        row.text("location", most=1000) or None,
        row.text("description", most=100_000) or None,
        row.text("calendar", "Personal", 1000),
        row.number("every_days", 0, 0, 366),
        row.number("times", 1, 1, 1000),
        row.flag("shown", True),
    )
    in_minutes = row.number("in_minutes", 0, -_FARTHEST, _FARTHEST)
    row.close()
    return SceneEvent(event, in_minutes, days > 0)


def read_call(row: SceneTable) -> SceneCall:
    number = row.text("number", most=64)
    call = LoggedCall(
        number,
        CALLS[row.choice("kind", "incoming", tuple(CALLS))],
        0,
        row.number("seconds", 0, 0, 86_400),
        row.text("name", most=1000) or None,
        SHOWN if number else PRIVATE,
    )
    minutes_ago = row.number("minutes_ago", 0, 0, 10_000_000)
    row.close()
    return SceneCall(call, minutes_ago)
