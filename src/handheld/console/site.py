"""What a console serves to a logged-in person: the pages of one process, or of a fleet."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from ..clock import Clock
from .routes import Route

LINGER_SECONDS = 5.0

Queue = asyncio.Queue[bytes]
"""Encoded events for one page."""
Holds = Callable[[], bool]
"""Whether the page's session is still open."""
Sources = Callable[[ExitStack, Queue, Holds], Sequence[Coroutine[Any, Any, object]]]
"""Fill the queue of an opened page. The stack is closed with the page."""


@dataclass(frozen=True, slots=True)
class Site:
    frame: str
    """The static file that frames its pages."""
    routes: Sequence[Route]
    sources: Sources
    clock: Clock


class Asks(Protocol):
    """Asks people for approval while consoles are open."""

    @property
    def consoles(self) -> int: ...

    @consoles.setter
    def consoles(self, count: int) -> None: ...


def count_page(asks: Asks, stack: ExitStack, linger: float, clock: Clock, holds: Holds) -> None:
    """Count an opened console until the stack is closed, and for `linger` seconds more: the page
    may be reloading, and no call may skip approval meanwhile."""

    def close() -> None:
        asks.consoles -= 1

    def leave() -> None:
        if linger and holds():
            clock.call_later(linger, close)
        else:
            close()

    asks.consoles += 1
    stack.callback(leave)
