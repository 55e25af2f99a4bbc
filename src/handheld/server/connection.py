"""A connection to the server, with an end for whoever keeps one without asking for anything.

uvicorn waits for ever for the head of a first request, and for as long as a client goes on sending
what nobody reads.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ..clock import Clock, Timer

REQUEST_SECONDS = 15.0
"""To the whole head of the first request; after an answer, what a connection may be idle comes on
top."""
MOST_CONNECTIONS = 500
"""Of one server. For another one, that goes which has waited longest for a request."""


class Connection(H11Protocol):
    def __init__(self, *given: Any, clock: Clock, **named: Any) -> None:
        super().__init__(*given, **named)
        self._clock = clock
        self._waiting: Timer | None = None
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        if len(self.connections) > MOST_CONNECTIONS:
            _shed(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None:
            # uvicorn's own, which knows no clock but the event loop's.
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = cast(
                "asyncio.TimerHandle",
                self._clock.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler),
            )
        self._look()

    def _look(self) -> None:
        """Whether a request is waited for, and since when; what is sent then does not count."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None and not self.transport.is_closing():
            seconds = REQUEST_SECONDS + (self.timeout_keep_alive if cycle is not None else 0)
            self._waiting = self._clock.call_later(seconds, self.transport.abort)
            self._since = self._clock.now()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    @property
    def waits_since(self) -> float | None:
        """None while a request is worked on."""
        return self._since if self._waiting else None


def _shed(connections: set[Any]) -> None:
    """End the one that has waited longest, if any does."""
    waiting = [
        (one.waits_since, id(one), one)
        for one in connections
        if isinstance(one, Connection) and one.waits_since is not None
    ]
    if waiting:
        min(waiting)[2].transport.abort()
