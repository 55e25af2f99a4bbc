"""One lease of a phone, the calls under it, and sentences about it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

from ...errors import PermissionDenied
from .shares import OWNER

HANDLE_PREFIX = "lease-"
LAST_PART = 0.1
"""The last part of a lease, in which replies say when it ends."""

Clean = Callable[[], Awaitable[object]]
"""Cleans up a phone before it is free. Raises ToolError."""
Stop = Callable[[str], object]
"""Stops a call, given the reason why its lease ended."""
Names = Callable[[], Collection[str]]
"""Returns the names of a phone that are known so far."""


class LeaseRefused(PermissionDenied):
    """The phone or the lease does not belong to the caller."""


class State(Enum):
    PENDING = auto()
    """Others' calls still run on the phone."""
    HELD = auto()
    ENDING = auto()
    """The lease's calls are being stopped, and the phone is being cleaned up."""
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
        """The lease that the call runs under."""
        self.lasts = False
        """Whether the work continues after its call. Such work is not awaited but stopped."""
        self._ended: asyncio.Future[None] | None = None

    def ended(self) -> asyncio.Future[None]:
        """Return a future that is done when the call has ended."""
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
    """The holder's name for others."""
    phone: str
    """The slug or the serial."""
    names: frozenset[str]
    """All names of the phone."""
    seconds: float
    """The requested duration, which is the maximum."""
    stamp: Hashable
    """Identifies the token: another token may have its name later."""
    clean: Clean | None = None
    state: State = State.PENDING
    since: float = 0.0
    """The time of day when it was granted."""
    began: float = 0.0
    """The monotonic time when it was granted. `used`, also monotonic, is the end of the last
    call."""
    used: float = 0.0
    uses: set[Use] = field(default_factory=set[Use])
    ended_at: float = 0.0
    """The time of day when it ended."""
    why: str = ""
    """It ended."""
    moved: bool = False
    """Whether it ended because another host has the phone."""
    fault: str = ""
    """Why the phone was not cleaned up before this lease."""
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
        """The latest time of day when it ends."""
        return self.since + self.seconds

    def left(self, now: float) -> float:
        """Return the seconds until its latest end."""
        return max(0.0, self.began + self.seconds - now)

    def describe(self) -> str:
        """Return a sentence for others about the holder."""
        if self.held:
            return f"{self.phone} is leased to {self.who} until {clock_text(self.until)}."
        if self.state is State.PENDING:
            return f"{self.phone} is being taken by {self.who}."
        return f"The lease of {self.phone} by {self.who} is ending."

    def describe_last_part(self, now: float) -> str:
        """Return a line for replies near the lease's end; "" before that."""
        left = self.left(now)
        if not self.held or left > self.seconds * LAST_PART:
            return ""
        return f"The lease of {self.phone} ends in {span_text(left)}."

    def describe_end(self, now: "Lease | None") -> str:
        """Return sentences for the former holder. `now` is the phone's current lease."""
        if now is None and self.moved:
            then = "Take a phone again, and read its screen first."
        elif now is None:
            then = f"{self.phone} is free: take it again, and read its screen first."
        elif now is self:
            then = f"{self.phone} is not free yet."
        elif now.token == self.token:
            then = f"You have {self.phone} under another lease."
        else:
            then = now.describe()
            if now.held:
                then = f"{then.removesuffix('.')}, since {clock_text(now.since)}."
        at = clock_text(self.ended_at)
        return f"Your lease of {self.phone} ended at {at}: {self.why}. {then}"


def holder(token: str) -> str:
    """Return the token's name; without a required token, the lease is the owner's."""
    return token or OWNER


def clock_text(time: float) -> str:
    """Format a time of day in the local time zone."""
    return f"{datetime.fromtimestamp(time, UTC).astimezone():%H:%M}"


def span_text(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
