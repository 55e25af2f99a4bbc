"""How much each token may take of what all callers share: something is always left for the owner.

Only the limits of all apply to the owner, and to everybody where no token is required.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

OWNER = "owner"
"""The name of the token that the server is started with."""


class Share(NamedTuple):
    of_one: int
    """Of one named token."""
    of_all: int
    """Of all named tokens together."""


CALLS = Share(8, 16)
"""Each may have a call to the helper open, which has 32 at a time."""
WAITS = Share(4, 8)
"""Each reads the screen again and again."""
APP_CALLS = Share(4, 6)
"""Calls to tools of apps, which may not answer: a phone has 8 at a time."""
QUESTIONS = Share(10, 50)
SAVED_STEPS = Share(20, 60)
"""Kept and proposed steps, of the 100 that there may be."""
SAVED_BYTES = Share(500_000, 2_000_000)
"""What those take of their file."""
REQUESTS = Share(100, 250)
CONNECTIONS = Share(150, 300)
"""Of a server. More than requests, so one without a running call can always be closed."""


def is_owner(token: str) -> bool:
    return token in ("", OWNER)


class Shares:
    """How much of one thing is taken by each named token."""

    def __init__(self, share: Share) -> None:
        self._share = share
        self._taken: Counter[str] = Counter()

    def room(self, token: str, amount: int = 1) -> bool:
        """Whether the token may take that much more."""
        if is_owner(token):
            return True
        share = self._share
        return (
            self._taken[token] + amount <= share.of_one
            and self._taken.total() + amount <= share.of_all
        )

    def take(self, token: str, amount: int = 1) -> None:
        """A negative amount is given back."""
        if not is_owner(token):
            self._taken[token] += amount
            if not self._taken[token]:
                del self._taken[token]

    @contextmanager
    def taken(self, token: str) -> Generator[bool]:
        """Take one for the length of the block. False: there was no room."""
        if not self.room(token):
            yield False
            return
        self.take(token)
        try:
            yield True
        finally:
            self.take(token, -1)


class RoundRobin:
    """Callers that wait for something that one at a time may have. They take turns, and each gets
    what it wants in its own order: one with much to do does not keep the others waiting."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By caller; the first one has the next turn."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def join(self, caller: str) -> asyncio.Future[None]:
        """Return a future that is done at the caller's turn. Cancelling it gives the turn up."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(ready)
        return ready

    def let_next(self) -> bool:
        """Give the next one its turn. False: nobody waits."""
        while self._waiting:
            caller, queue = next(iter(self._waiting.items()))
            ready = queue.popleft()
            if queue:
                self._waiting.move_to_end(caller)
            else:
                del self._waiting[caller]
            if not ready.done():  # else it was cancelled
                ready.set_result(None)
                return True
        return False
