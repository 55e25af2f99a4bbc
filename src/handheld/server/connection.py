"""A connection to the server, closed when it stays idle for too long.

uvicorn alone has no timeout for the head of the first request, nor for a client that keeps sending
data which nothing reads, nor for one that reads nothing of its reply.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from ..clock import Clock, Timer
from .exchange import SCOPE_TOKEN, STATE_WIRE
from .limits import REQUEST_SECONDS, UNREAD_SECONDS
from .requests import Requests

_log = logging.getLogger(__name__)
_log.setLevel(logging.ERROR)
"""uvicorn traces every connection where no level is set, and anybody may open one."""


class _Held:
    """Keeps what a response writes, so that it is sent at once. uvicorn writes its head and its
    body separately, and each of these is a system call and a packet."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._parts.append(data)

    def flush(self) -> None:
        if self._parts:
            self._transport.write(b"".join(self._parts))
            self._parts.clear()

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


class _ClockedLoop:
    """The event loop as uvicorn uses it. It starts a timer after each response, and knows only the
    loop's own clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self.create_task = loop.create_task
        self.call_soon = loop.call_soon
        self.call_later = clock.call_later


class Connection(Requests):
    def __init__(self, *given: Any, clock: Clock, **named: Any) -> None:
        super().__init__(*given, **named)
        self.logger = _log
        self.loop = cast("asyncio.AbstractEventLoop", _ClockedLoop(self.loop, clock))
        self.app_state = {**self.app_state, STATE_WIRE: self}
        self._clock = clock
        self._closed = False
        self._left: Callable[[], None] | None = None
        self._held: tuple[RequestResponseCycle, _Held] | None = None
        self._waiting: Timer | None = None
        self._unread: Timer | None = None
        self._since = 0.0
        self._token: str | None = None
        self.lost: Callable[[], object] = lambda: None
        """Called when the connection is closed."""

    def _abort(self) -> None:
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        self.lost()
        self._stop_waiting()
        self._end_unread()
        super().connection_lost(exc)
        if self._left is not None:
            self._left()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        self.release()  # before the response to a request that came with this one
        super().on_response_complete()
        self._update_timer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_unread()

    def resume_writing(self) -> None:
        self._end_unread()
        super().resume_writing()

    def _watch_unread(self) -> None:
        """Close the connection unless its client reads something. A response that waits for that
        would wait for ever."""
        left = self.transport.get_write_buffer_size()

        def check() -> None:
            if self.transport.get_write_buffer_size() < left:
                self._watch_unread()
            else:
                self._abort()

        self._unread = self._clock.call_later(UNREAD_SECONDS, check)

    # What an exchange does without ASGI.

    @property
    def has_whole_body(self) -> bool:
        return not self.cycle.more_body

    @property
    def stays_open(self) -> bool:
        return self.cycle.keep_alive

    def watch(self, left: Callable[[], None]) -> None:
        self._left = left
        self.flow.resume_reading()  # else the end of the connection is not noticed
        if self._closed:
            self.loop.call_soon(left)

    def unwatch(self) -> None:
        self._left = None

    def hold(self) -> None:
        cycle = self.cycle
        self._held = cycle, _Held(self.transport)
        cycle.transport = cast("asyncio.Transport", self._held[1])

    def release(self) -> None:
        if self._held is not None:
            cycle, held = self._held
            self._held = None
            cycle.transport = self.transport
            held.flush()

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

    def _end_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    @property
    def waiting_since(self) -> float | None:
        """None while a request is running."""
        return self._since if self._waiting else None

    @property
    def running(self) -> bool:
        """Whether a request runs, as `running` means it: not while its body is awaited, nor while
        its answer is sent."""
        return self._left is not None

    @property
    def token(self) -> str | None:
        """The name of the last token that was shown here; None: there was none."""
        scope = cast("dict[str, Any] | None", self.scope)
        if scope is not None and SCOPE_TOKEN in scope:
            self._token = scope[SCOPE_TOKEN]
        return self._token
