"""This process's standard input and output, reserved for the protocol.

Both are served by threads: a terminal or a file cannot be polled like a socket, and making them
non-blocking would affect every process that shares them.
"""

import asyncio
import fcntl
import os
import queue
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

_CHUNK = 65536
_CHUNKS_AHEAD = 4


class PipeSource:
    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_CHUNKS_AHEAD)
        # A daemon thread: a read that never ends must not keep the process alive.
        threading.Thread(target=self._pump, name="stdin", daemon=True).start()

    async def read(self, n: int, /) -> bytes:
        chunk = await self._chunks.get()
        self._room.release()
        return chunk

    def _pump(self) -> None:
        chunk = b"first"
        while chunk:
            self._room.acquire()
            try:
                chunk = os.read(self._fd, _CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:
                return  # the loop is closed


class PipeSink:
    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._pending: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._pump, name="stdout", daemon=True).start()

    async def write(self, data: bytes, /) -> None:
        written: asyncio.Future[None] = self._loop.create_future()
        self._pending.put((data, written))
        await written

    def _pump(self) -> None:
        while True:
            data, written = self._pending.get()
            failure: OSError | None = None
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self._fd, rest) :]
            except OSError as error:
                failure = error
            try:
                self._loop.call_soon_threadsafe(_settle, written, failure)
            except RuntimeError:
                return


def _settle(written: "asyncio.Future[None]", failure: OSError | None) -> None:
    if written.done():
        return
    if failure is None:
        written.set_result(None)
    else:
        written.set_exception(failure)


@contextmanager
def standard_streams() -> Generator[tuple[PipeSource, PipeSink]]:
    """The protocol's streams. Meanwhile fd 0 is empty and fd 1 is stderr, so that stray prints do
    not reach the client."""
    sys.stdout.flush()
    wire_in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    wire_out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        # The threads may still use the copies, so they are never closed.
        yield PipeSource(wire_in), PipeSink(wire_out)
    finally:
        sys.stdout.flush()
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
