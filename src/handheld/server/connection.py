"""A connection to the server, closed when it is idle or leaves a response unread for too long."""

import asyncio
from collections.abc import Callable

from ..clock import Clock, Timer
from .exchange import App
from .limits import IDLE_SECONDS, REQUEST_SECONDS, UNREAD_SECONDS
from .requests import Requests


class Connection(Requests):
    def __init__(self, app: App, clock: Clock, tasks: set[asyncio.Task[None]]) -> None:
        super().__init__(app, clock, tasks)
        self._waiting: Timer | None = None
        self._heard = False
        """Something came after the last response."""
        self._unread: Timer | None = None
        self._token: str | None = None
        self._stopping = False
        self.lost: Callable[[], object] = lambda: None
        """Called when the connection is closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._wait(REQUEST_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost()
        self._stop_waiting()
        self._end_unread()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._heard = True
        super().data_received(data)
        if self.is_running:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        if self._stopping:
            self.transport.close()
        self._heard = False
        super().on_response_complete()
        if not (self.is_running or self.transport.is_closing()):
            self._wait(IDLE_SECONDS, self._end_idle)

    def shut_down(self) -> None:
        """Close it, after the response to the request that runs."""
        self._stopping = True
        if self.exchange is None or self.exchange.complete:
            self.transport.close()
        else:
            self.exchange.keep = False

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
                self.transport.abort()

        self._unread = self.clock.call_later(UNREAD_SECONDS, check)

    def _end_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _wait(self, seconds: float, end: Callable[[], object]) -> None:
        """Data that arrives does not reset the timer: nothing may ever read it."""
        self._stop_waiting()
        self._waiting = self.clock.call_later(seconds, end)

    def _end_idle(self) -> None:
        if self._heard:
            self._wait(REQUEST_SECONDS, self.transport.abort)
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    @property
    def idle(self) -> bool:
        """Whether a request is awaited."""
        return self._waiting is not None

    @property
    def running(self) -> bool:
        """Whether a request runs, as `running` means it: not while its body is awaited, nor while
        its answer is sent."""
        return self.exchange is not None and self.exchange.watched

    @property
    def token(self) -> str | None:
        """The name of the last token that was shown here; None: there was none."""
        if self.exchange is not None and self.exchange.token is not None:
            self._token = self.exchange.token
        return self._token
