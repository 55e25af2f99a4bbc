"""Bytes between programs: pipes with a bound, and ends that lead nowhere."""

import asyncio
import errno
import os
from typing import NamedTuple, Protocol

from ..files.open_file import OpenFile
from .process import Input, Output

NAME = "/system/bin/sh"
"""Who says what a shell says."""
PIPE_SIZE = 64 * 1024
LINE_SIZE = 1024 * 1024


def broken_pipe() -> BrokenPipeError:
    return BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class Streams(NamedTuple):
    """What a command reads and writes."""

    stdin: Input
    stdout: Output
    stderr: Output

    async def write(self, text: str) -> None:
        await self.stdout.write(os.fsencode(text))

    async def say(self, text: str) -> None:
        """As the shell."""
        await self.stderr.write(os.fsencode(f"{NAME}: {text}\n"))


class Duplex(Protocol):
    """A connection: bytes both ways."""

    async def read(self, limit: int = 65536) -> bytes:
        """b"" once the other side has closed."""
        ...

    async def write(self, data: bytes) -> None:
        """Raises BrokenPipeError once the other side has closed."""
        ...

    async def aclose(self) -> None: ...


class Pipe:
    """One writer, one reader, and at most `size` bytes between them."""

    def __init__(self, size: int = PIPE_SIZE) -> None:
        self._size = size
        self._buffer = bytearray()
        self._ended = False
        self._broken = False
        self._moved = asyncio.Event()

    async def read(self, limit: int = 65536) -> bytes:
        while not self._buffer:
            if self._ended:
                return b""
            await self._wait()
        data = bytes(self._buffer[:limit])
        del self._buffer[:limit]
        self._moved.set()
        return data

    async def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if self._broken or self._ended:
                raise broken_pipe()
            room = self._size - len(self._buffer)
            if room <= 0:
                await self._wait()
                continue
            self._buffer += rest[:room]
            rest = rest[room:]
            self._moved.set()

    def end(self) -> None:
        """The writer is done: the reader gets what is left, then end of file."""
        self._ended = True
        self._moved.set()

    def stop(self) -> None:
        """The reader is gone: writing fails from now on."""
        self._broken = True
        self._buffer.clear()
        self._moved.set()

    async def _wait(self) -> None:
        self._moved.clear()
        await self._moved.wait()


class Nothing:
    """Input at its end."""

    async def read(self, limit: int = 65536) -> bytes:
        return b""


class Discard:
    """Output that nobody wants."""

    async def write(self, data: bytes) -> None:
        pass


class Collector:
    """Output kept, up to a limit beyond which writing fails."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    async def write(self, data: bytes) -> None:
        if len(self.data) + len(data) > self._limit:
            raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))
        self.data += data


class Given:
    """Input that is already there."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self, limit: int = 65536) -> bytes:
        data, self._data = self._data[:limit], self._data[limit:]
        return data


class LineInput:
    """Input that the shell reads line by line, and its commands as it comes."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._ahead = bytearray()

    async def read(self, limit: int = 65536) -> bytes:
        if not self._ahead:
            return await self._source.read(limit)
        data = bytes(self._ahead[:limit])
        del self._ahead[:limit]
        return data

    async def read_line(self) -> bytes:
        """With its newline; without one at the end of the input; b"" after it."""
        while (end := self._ahead.find(b"\n")) < 0:
            data = await self._source.read()
            if not data or len(self._ahead) > LINE_SIZE:
                line = bytes(self._ahead)
                self._ahead.clear()
                return line
            self._ahead += data
        line = bytes(self._ahead[: end + 1])
        del self._ahead[: end + 1]
        return line


class FileOutput:
    """Output into a file of the phone."""

    def __init__(self, file: OpenFile) -> None:
        self._file = file

    async def write(self, data: bytes) -> None:
        self._file.write(data)


class FileInput:
    def __init__(self, file: OpenFile) -> None:
        self._file = file

    async def read(self, limit: int = 65536) -> bytes:
        return self._file.read(limit)
