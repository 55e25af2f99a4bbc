"""Byte streams between programs: bounded pipes, and null ends."""

import asyncio
import errno
import os
from typing import NamedTuple, Protocol

from ..files.open_file import OpenFile
from .process import Input, Output

NAME = "/system/bin/sh"
"""The name at the beginning of a shell's error messages."""
PIPE_SIZE = 64 * 1024
LINE_SIZE = 1024 * 1024


def broken_pipe() -> BrokenPipeError:
    return BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class Streams(NamedTuple):
    """The streams of a command."""

    stdin: Input
    stdout: Output
    stderr: Output

    async def write(self, text: str) -> None:
        await self.stdout.write(os.fsencode(text))

    async def report(self, text: str) -> None:
        """Write an error message of the shell."""
        await self.stderr.write(os.fsencode(f"{NAME}: {text}\n"))


class Duplex(Protocol):
    """A bidirectional connection."""

    async def read(self, limit: int = 65536) -> bytes:
        """Read at most `limit` bytes; b"" once the other side has closed."""
        ...

    async def write(self, data: bytes) -> None:
        """Write data. Raises BrokenPipeError once the other side has closed."""
        ...

    async def aclose(self) -> None: ...


class Pipe:
    """A pipe between a writer and a reader, with at most `size` bytes in it."""

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
        """Close the writing end: the reader gets the remaining bytes, then end of file."""
        self._ended = True
        self._moved.set()

    def stop(self) -> None:
        """Close the reading end: writing fails from now on."""
        self._broken = True
        self._buffer.clear()
        self._moved.set()

    async def _wait(self) -> None:
        self._moved.clear()
        await self._moved.wait()


class Nothing:
    """Empty input."""

    async def read(self, limit: int = 65536) -> bytes:
        return b""


class Discard:
    """Output that is discarded."""

    async def write(self, data: bytes) -> None:
        pass


class Collector:
    """Output that is kept in memory up to a limit, beyond which writing fails."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    async def write(self, data: bytes) -> None:
        if len(self.data) + len(data) > self._limit:
            raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))
        self.data += data


class Given:
    """Input from memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self, limit: int = 65536) -> bytes:
        data, self._data = self._data[:limit], self._data[limit:]
        return data


class LineInput:
    """Input that the shell reads by lines, and its commands as raw bytes."""

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
        """Return a line with its newline, which the last line may lack; b"" at the end."""
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
    """Output to a file of the phone."""

    def __init__(self, file: OpenFile) -> None:
        self._file = file

    async def write(self, data: bytes) -> None:
        self._file.write(data)


class FileInput:
    def __init__(self, file: OpenFile) -> None:
        self._file = file

    async def read(self, limit: int = 65536) -> bytes:
        return self._file.read(limit)
