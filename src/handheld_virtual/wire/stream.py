"""Streams of services that adb clients open on the phone."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from handheld.adb import wire
from handheld.adb.wire import WireError

from ..sh.streams import broken_pipe

if TYPE_CHECKING:
    from .adbd import AdbConnection

INPUT_AHEAD = 256 * 1024
"""How many bytes a program may leave unread before its client has to wait."""
INPUT_LIMIT = INPUT_AHEAD + wire.MAX_PAYLOAD
WINDOW = 1024 * 1024
"""How many bytes a client with delayed acknowledgements may send before the first
acknowledgement."""
OUTPUT_AHEAD = 256 * 1024
MOST_CREDIT = 1 << 31
CLOSING_SECONDS = 10.0
"""How long a program may continue after its client disconnected, unless it is stopped
immediately."""


class AdbStream:
    """A bidirectional byte stream. By default, one message in each direction may be unacknowledged;
    with delayed acknowledgements, as many bytes as the other side's credit."""

    def __init__(
        self,
        connection: "AdbConnection",
        local: int,
        remote: int,
        service: str = "",
        credit: int | None = None,
    ) -> None:
        """`credit` is the number of bytes that may be sent initially with delayed
        acknowledgements."""
        self.connection = connection
        self.local = local
        self.remote = remote
        self.service = service
        """The requested service."""
        self._stalled = False
        self.task: asyncio.Task[None] | None = None
        self.linger = False
        """Whether the program may process its remaining input after the client has disconnected."""
        self.closed = False
        """Whether either side has closed it."""
        self._input: deque[bytes] = deque()
        self._input_size = 0
        self._owes_ack = False
        self._output = bytearray()
        self._unacked = 0
        """The number of bytes sent but not acknowledged."""
        self._credit = credit
        self._granted = WINDOW
        """How many bytes the client may still send, with delayed acknowledgements."""
        self._taken = 0
        """The number of bytes read but not acknowledged."""
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None

    async def read(self, limit: int = 65536) -> bytes:
        """Read at most `limit` bytes; b"" once the client has closed."""
        while not self._input or self._stalled:
            if self.closed:
                return b""
            self._reader = self.connection.loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        data = self._input.popleft()
        if len(data) > limit:
            self._input.appendleft(data[limit:])
            data = data[:limit]
        self._input_size -= len(data)
        self.connection.unread -= len(data)
        self._acknowledge(len(data))
        return data

    async def write(self, data: bytes) -> None:
        """Queue `data`; wait only while too much is in transit."""
        if self.closed:
            raise broken_pipe()
        self._output += data
        self.flush()
        while len(self._output) > OUTPUT_AHEAD:
            await self._drained()
            if self.closed:
                raise broken_pipe()

    async def aclose(self) -> None:
        """Close the stream once all written data is acknowledged."""
        while not self.closed and (self._output or self._unacked):
            await self._drained()
        if not self.closed:
            self.closed = True
            self.connection.send(wire.CLSE, self.local, self.remote)
        self.connection.forget(self)
        self.forget_input()
        self._wake()

    def flush(self) -> None:
        if self.closed or self._stalled:
            return
        most = self.connection.maxdata
        while self._output and not self.connection.paused:
            if self._unacked if self._credit is None else self._credit <= 0:
                return
            if len(self._output) <= most:
                data, self._output = bytes(self._output), bytearray()
            else:
                data = bytes(memoryview(self._output)[:most])
                del self._output[:most]
            self._unacked += len(data)
            if self._credit is not None:
                self._credit -= len(data)
            self.connection.send(wire.WRTE, self.local, self.remote, data)

    def _acknowledge(self, read: int) -> None:
        """Let the client send more, because the program has read `read` bytes."""
        if self._credit is None:
            if self._owes_ack and self._input_size <= INPUT_AHEAD:
                self._owes_ack = False
                if not self.closed:
                    self.connection.send(wire.OKAY, self.local, self.remote)
            return
        self._taken += read
        if self._taken and (self._taken >= WINDOW // 8 or not self._input) and not self.closed:
            self._granted += self._taken
            credit = self._taken.to_bytes(4, "little")
            self._taken = 0
            self.connection.send(wire.OKAY, self.local, self.remote, credit)

    def stall(self, stalled: bool) -> None:
        """Stop both directions, or resume them."""
        self._stalled = stalled
        if stalled or self.closed:
            return
        self._acknowledge(0)
        self.flush()
        self._wake()

    # Events from the client

    def wrote(self, data: bytes) -> None:
        if self._credit is not None and self._granted <= 0:
            raise WireError("A stream was written to beyond its window.")
        if self._credit is None and self._input_size + len(data) > INPUT_LIMIT:
            raise WireError("A stream was written to without waiting for the acknowledgement.")
        self._granted -= len(data)
        if data:
            self._input.append(data)
            self._input_size += len(data)
            self.connection.unread += len(data)
        if self._credit is None:
            if self._input_size <= INPUT_AHEAD and not self._stalled:
                self.connection.send(wire.OKAY, self.local, self.remote)
            else:
                self._owes_ack = True
        if self._reader is not None and not self._reader.done() and not self._stalled:
            self._reader.set_result(None)

    def acknowledged(self, credit: int | None) -> None:
        """Handle the acknowledgement of a message, or with delayed acknowledgements of `credit`
        bytes."""
        if (credit is None) != (self._credit is None):
            return
        if self._credit is None or credit is None:
            self._unacked = 0
        else:
            self._credit = min(self._credit + credit, MOST_CREDIT)
            self._unacked = max(0, self._unacked - max(0, credit))
        self.flush()
        if self._writer is not None and not self._writer.done():
            self._writer.set_result(None)

    def abandoned(self) -> None:
        """Handle that the client has closed the stream or disconnected."""
        self.closed = True
        self._output.clear()
        if self.task is not None and not self.linger:
            self.forget_input()
        self._wake()
        if self.task is None:
            return
        if self.linger:
            timer = self.connection.loop.call_later(CLOSING_SECONDS, self.task.cancel)
            self.task.add_done_callback(lambda _: timer.cancel())
        else:
            self.task.cancel()

    def forget_input(self) -> None:
        """Discard the remaining input."""
        self.connection.unread -= self._input_size
        self._input.clear()
        self._input_size = 0

    def _wake(self) -> None:
        for waiter in (self._reader, self._writer):
            if waiter is not None and not waiter.done():
                waiter.set_result(None)

    async def _drained(self) -> None:
        self._writer = self.connection.loop.create_future()
        try:
            await self._writer
        finally:
            self._writer = None
