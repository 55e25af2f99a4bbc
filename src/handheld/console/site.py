"""What a console serves to a person who is logged in: the pages of one process, or of a fleet."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ..clock import Clock
from .routes import Route

Queue = asyncio.Queue[bytes]
"""Encoded events for one page."""
Holds = Callable[[], bool]
"""Whether the page's session goes on."""
Sources = Callable[[ExitStack, Queue, Holds], Sequence[Coroutine[Any, Any, object]]]
"""Fill the queue of a page that was opened; the stack is closed with it."""


@dataclass(frozen=True, slots=True)
class Site:
    frame: str
    """The static file with the frame of its pages."""
    routes: Sequence[Route]
    sources: Sources
    clock: Clock
