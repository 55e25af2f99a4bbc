"""One lease of a phone, the calls on it, and how it is told of."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

from ...errors import PermissionDenied
from .shares import OWNER

HANDLE_PREFIX = "lease-"
LAST_PART = 0.1
"""The part of a lease, at its end, in which replies say when it ends."""

Clean = Callable[[], Awaitable[object]]
"""Cleans a phone up before it is free. Raises ToolError."""
Stop = Callable[[str], object]
"""Stops a call, with why its lease ended."""
Names = Callable[[], Collection[str]]
"""The names of a phone, as far as they are known by now."""


class LeaseRefused(PermissionDenied):
    """The phone, or the lease, is not the caller's."""


class State(Enum):
    PENDING = auto()
    """Taken; calls of others still run."""
    HELD = auto()
    ENDING = auto()
    """Its calls are being stopped, and the phone is cleaned up."""
    OVER = auto()


class Use:
    """A call on a phone, from its check until it has really ended."""

    __slots__ = ("_ended", "call", "lasts", "lease", "names", "stop", "token")

    def __init__(self, token: str, call: str, names: Names, stop: Stop) -> None:
        self.token = token
        self.call = call
        self.names = names
        self.stop = stop
        self.lease: Lease | None = None
        """The one that it runs under."""
        self.lasts = False
        """Whether it goes on after its call: nobody waits for that, it is stopped."""
        self._ended: asyncio.Future[None] | None = None

    def ended(self) -> asyncio.Future[None]:
        """Done when it has ended."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
        return self._ended

    def end(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)


@dataclass(eq=False, slots=True)
class Lease:
    handle: str
    token: str
    who: str
    """The holder, as others are told."""
    phone: str
    """Slug or serial."""
    names: frozenset[str]
    """All names of the phone."""
    seconds: float
    """As asked for; it lasts no longer."""
    stamp: Hashable
    """Of the token: another one may have its name later."""
    clean: Clean | None = None
    state: State = State.PENDING
    since: float = 0.0
    """When it was granted, by the time of day."""
    began: float = 0.0
    """The same by the clock's own time, as is `used`, when the last call ended."""
    used: float = 0.0
    uses: set[Use] = field(default_factory=set[Use])
    ended_at: float = 0.0
    """By the time of day."""
    why: str = ""
    """It ended."""
    moved: bool = False
    """It ended because another host has the phone."""
    fault: str = ""
    """Why the phone was not cleaned up before it."""
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def held(self) -> bool:
        return self.state is State.HELD

    @property
    def open(self) -> bool:
        return self.state in (State.PENDING, State.HELD)

    @property
    def until(self) -> float:
        """When it ends at the latest, by the time of day."""
        return self.since + self.seconds

    def left(self, now: float) -> float:
        """Seconds until it ends at the latest."""
        return max(0.0, self.began + self.seconds - now)

    def describe(self) -> str:
        """A sentence on who has the phone, for others."""
        if self.held:
            return f"{self.phone} is leased to {self.who} until {clock_text(self.until)}."
        if self.state is State.PENDING:
            return f"{self.phone} is being taken by {self.who}."
        return f"The lease of {self.phone} by {self.who} is ending."

    def describe_last_part(self, now: float) -> str:
        """A line for replies near its end; "" before."""
        left = self.left(now)
        if not self.held or left > self.seconds * LAST_PART:
            return ""
        return f"The lease of {self.phone} ends in {span_text(left)}."

    def describe_end(self, now: "Lease | None") -> str:
        """Sentences for its former holder. `now` is the lease that the phone has by now."""
        if now is None and self.moved:
            then = "Take a phone anew, and read its screen first."
        elif now is None:
            then = f"{self.phone} is free: take it anew, and read its screen first."
        elif now is self:
            then = f"{self.phone} is not free yet."
        elif now.token == self.token:
            then = f"You have {self.phone} by another lease."
        else:
            then = now.describe()
            if now.held:
                then = f"{then.removesuffix('.')}, since {clock_text(now.since)}."
        at = clock_text(self.ended_at)
        return f"Your lease of {self.phone} ended at {at}: {self.why}. {then}"


def holder(token: str) -> str:
    """Whose lease it is: where no token is required, the owner's."""
    return token or OWNER


def clock_text(time: float) -> str:
    """A time of day, as people here read it."""
    return f"{datetime.fromtimestamp(time, UTC).astimezone():%H:%M}"


def span_text(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
