"""A connection to the server, closed when it stays idle for too long.

uvicorn alone has no timeout for the head of the first request, nor for a client that keeps sending
data which nothing reads.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ..clock import Clock, Timer
from .limits import MAX_CONNECTIONS, REQUEST_SECONDS


class Connection(H11Protocol):
    def __init__(self, *given: Any, clock: Clock, **named: Any) -> None:
        super().__init__(*given, **named)
        self._clock = clock
        self._waiting: Timer | None = None
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_timer()
        if len(self.connections) > MAX_CONNECTIONS:
            _close_longest_waiting(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None:
            # uvicorn's own timer, which only knows the event loop's clock.
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = cast(
                "asyncio.TimerHandle",
                self._clock.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler),
            )
        self._update_timer()

    def _update_timer(self) -> None:
        """Start the timer while a request is awaited; data that arrives does not reset it."""
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
    def waiting_since(self) -> float | None:
        """None while a request is running."""
        return self._since if self._waiting else None


def _close_longest_waiting(connections: set[Any]) -> None:
    """Close the connection that has waited longest for a request, if there is one."""
    waiting = [
        (connection.waiting_since, id(connection), connection)
        for connection in connections
        if isinstance(connection, Connection) and connection.waiting_since is not None
    ]
    if waiting:
        min(waiting)[2].transport.abort()
