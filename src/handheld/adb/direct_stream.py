"""One stream of a `DirectLink`: its buffer, and adb's flow control of one message at a time."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import wire
from .link import LinkLost
from .wire import AdbMessage, WireError, encode_message

if TYPE_CHECKING:
    from .direct import DirectLink

WINDOW = 256 * 1024
"""With this many unread bytes, a stream sends no OKAY: the phone may not send more."""
OKAY_TURNS = 3
"""An OKAY is held back for this many turns of the event loop, to go out with a message. A caller
that
waits for the data just received needs this many turns to send its next message."""


class DirectStream:
    """One service on a `DirectLink`. One reader at a time; writers take turns.

    Data that fits in one message goes out whole or, when its writer is cancelled, not at all.
    """

    def __init__(self, link: "DirectLink", local: int) -> None:
        loop = asyncio.get_running_loop()
        self._link = link
        self._loop = loop
        self._local = local
        self._remote = 0
        self._okay = b""
        self._chunks: deque[bytes] = deque()
        self._offset = 0
        self._held = 0
        self._owes_okay = False
        self._okay_turns = 0
        self._may_send = False
        self._ended = False
        self._lost = ""
        self._reader: asyncio.Future[None] | None = None
        self._take: Callable[[bytes], object] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._writing = asyncio.Lock()
        self.opened: asyncio.Future[bool] = loop.create_future()

    async def read(self, limit: int = 65536) -> bytes:
        while not self._chunks:
            if self._lost:
                raise LinkLost(self._lost)
            if self._ended:
                return b""
            if self._reader is not None:
                raise RuntimeError("Two tasks read from one stream.")
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        head = self._chunks[0]
        if self._offset == 0 and len(head) <= limit:
            self._chunks.popleft()
        else:
            start, whole = self._offset, len(head)
            head = head[start : start + limit]
            self._offset = start + len(head)
            if self._offset == whole:
                self._chunks.popleft()
                self._offset = 0
        self._held -= len(head)
        if self._owes_okay and self._held < WINDOW:
            self._owes_okay = False
            self._link.send(self._okay)
        return head

    async def follow(self, take: Callable[[bytes], object]) -> None:
        while True:
            # `read` alone would take another turn of the event loop for each message.
            self._take = None if self._chunks else take
            try:
                data = await self.read()
            finally:
                self._take = None
            if not data:
                return
            take(data)

    async def write(self, data: bytes) -> None:
        if self._may_send and len(data) <= self._link.max_payload and not self._writing.locked():
            self._send(data)
            return
        size = self._link.max_payload
        async with self._writing:
            for start in range(0, len(data), size):
                await self._wait_to_send()
                self._send(data[start : start + size])

    async def _wait_to_send(self) -> None:
        while not self._may_send:
            self._check_open()
            self._writer = self._loop.create_future()
            try:
                await self._writer
            finally:
                self._writer = None

    def _send(self, data: bytes) -> None:
        self._check_open()
        if data:
            self._may_send = False
            message = AdbMessage(wire.WRTE, self._local, self._remote, data)
            okay, self._okay_turns = self._okay if self._okay_turns else b"", 0
            self._link.send_message(message, after=okay)

    def _check_open(self) -> None:
        if self._lost:
            raise LinkLost(self._lost)
        if self._ended:
            raise LinkLost("The phone closed the stream while bytes were still to be sent.")

    async def aclose(self) -> None:
        if self._link.forget(self._local):
            self._link.send_message(AdbMessage(wire.CLSE, self._local, self._remote))
        self._chunks.clear()
        self.end()

    # Called by the link when a message for this stream arrives.

    def take_okay(self, remote: int) -> None:
        if not self._remote:
            self._remote = remote
            self._okay = encode_message(AdbMessage(wire.OKAY, self._local, remote))
            if self.opened.cancelled():
                # The caller is gone, and the phone has just opened the service.
                self._link.forget(self._local)
                self._link.send_message(AdbMessage(wire.CLSE, self._local, remote))
                return
            self.opened.set_result(True)
        elif remote != self._remote:
            return
        self._may_send = True
        _wake(self._writer)

    def take_data(self, remote: int, data: bytes) -> None:
        if remote != self._remote or not remote:
            return
        if self._owes_okay:
            raise WireError("it sent data before our OKAY.")
        if data and self._take is not None and self._reader is not None:
            self._pass_on(data)
            if self._okay_turns:
                self._link.send(self._okay)  # for the previous data
            else:
                # Saves a system call: under load, sending OKAYs takes a fifth of the server's time.
                self._loop.call_soon(self._count_turn)
            self._okay_turns = OKAY_TURNS
            return
        if data:
            self._chunks.append(data)
            self._held += len(data)
            _wake(self._reader)
        if self._held < WINDOW:
            self._link.send(self._okay)
        else:
            self._owes_okay = True

    def _count_turn(self) -> None:
        if not self._okay_turns:
            return  # the OKAY went out with a message
        self._okay_turns -= 1
        if self._okay_turns:
            self._loop.call_soon(self._count_turn)
        else:
            self._link.send(self._okay)

    def _pass_on(self, data: bytes) -> None:
        assert self._take is not None
        assert self._reader is not None
        try:
            self._take(data)
        except Exception as problem:
            self._take = None
            if not self._reader.done():
                self._reader.set_exception(problem)

    def take_close(self, remote: int) -> None:
        if remote not in (0, self._remote):
            return
        self._link.forget(self._local)
        if self._remote:
            self._link.send_message(AdbMessage(wire.CLSE, self._local, self._remote))
        self.end()

    def end(self, lost: str = "") -> None:
        self._ended = True
        self._may_send = False
        self._okay_turns = 0
        self._lost = self._lost or lost
        if not self.opened.done():
            self.opened.set_result(False)
        _wake(self._reader)
        _wake(self._writer)

    @property
    def lost(self) -> str:
        return self._lost


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)
