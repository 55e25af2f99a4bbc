"""Whether a call may run: by the owner's rules, and by a person at a console where they say ask."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .call import Call

WAIT_SECONDS = 45.0

Answered = Literal["asked", "allowed", "denied", "unanswered", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits for a person."""

    id: int
    call: Call
    asked_at: float
    """In seconds since 1970, as is `until`."""
    until: float
    rule: str
    """The owner's rule by which it is asked."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something became of a question."""

    pending: Pending
    state: Answered
    who: str = ""
    """Who answered."""


class Gate:
    """Questions and their answers. The answers come from outside: no tool can give one."""

    def __init__(
        self, *, wait_seconds: float = WAIT_SECONDS, require_console: bool = False
    ) -> None:
        self.consoles = 0
        """How many consoles are open now; kept by whoever serves them."""
        self._wait_seconds = wait_seconds
        self._require_console = require_console

    def wants_app(self, call: Call) -> bool:
        """Whether the package in front makes a difference to this call; `call.app` is to be filled
        in then."""
        return False

    async def ask(self, call: Call) -> None:
        """Return when the call may run. Raises PermissionDenied. Cancelled, the question is gone."""

    def pending(self) -> list[Pending]:
        """The oldest first."""
        return []

    def answer(self, id: int, allow: bool, who: str) -> bool:
        """False: the question is not open any more, and this answer counts for nothing."""
        return False

    def subscribe(self) -> "Watch":
        """Every question and answer from now on."""
        return Watch(lambda watch: None)


_MOST_WAITING = 1000


class Watch:
    """Changes as they come, with `async for`, until it is closed; a context manager closes it. Who
    does not keep up loses the oldest."""

    def __init__(self, gone: "Callable[[Watch], None]") -> None:
        self._queue: asyncio.Queue[Change | None] = asyncio.Queue(_MOST_WAITING)
        self._gone = gone

    def put(self, change: Change | None) -> None:
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(change)

    def close(self) -> None:
        self._gone(self)
        self.put(None)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> "Watch":
        return self

    async def __anext__(self) -> Change:
        change = await self._queue.get()
        if change is None:
            self.put(None)  # for whoever iterates once more
            raise StopAsyncIteration
        return change
