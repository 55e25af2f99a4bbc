"""How a call that was stopped is answered before it has ended on the phone."""

import asyncio
from collections.abc import Callable
from typing import Any

CANCEL_NOW = "The call is answered now."
"""What a call is cancelled with that was cancelled before and has not ended: it does not wait for
the phone any more."""


class EndsLater(asyncio.CancelledError):
    """A call has not ended on the phone. What it holds there stays held until it has."""

    def __init__(self, end: asyncio.Future[Any]) -> None:
        super().__init__(CANCEL_NOW)
        self._end = end

    def when_over(self, release: Callable[[], object]) -> None:
        self._end.add_done_callback(lambda _: release())
