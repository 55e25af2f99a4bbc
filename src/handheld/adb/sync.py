"""File transfer with adb's sync service."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path
from stat import S_ISDIR
from typing import BinaryIO, NamedTuple

from ..clock import Clock, Timeout
from . import shell, wire
from .link import AdbError, ByteStream, Link, LinkLost, NoAnswer, encode_service
from .wire import Stat, WireError, encode_sync

IDLE_SECONDS = 30.0
"""A transfer fails after this long without progress."""

_BATCH = 4 * wire.SYNC_DATA_MAX
"""Several records per write: each write waits for the acknowledgement of the one before."""
_ENTRIES = 100_000
_NAME_MAX = 4096

_REASONS = {
    # The phone's numbers are Linux's, on any host.
    1: "the phone does not permit it",
    2: "there is no such file or folder",
    5: "the phone's storage failed",
    13: "adb's shell user may not go there",
    17: "something is there already",
    18: "it lies on another file system",
    20: "a part of the path is not a folder",
    21: "it is a folder",
    22: "the phone does not take such a name",
    24: "the phone has too many files open",
    27: "the file is too large for that file system",
    28: "the phone's storage is full",
    30: "that file system is read-only",
    36: "the name is too long",
    39: "the folder is not empty",
    40: "its symbolic links form a loop",
    107: "the phone's shared storage is not ready",
}
_WORDS = {
    # The phone's messages for some of them.
    "operation not permitted": 1,
    "no such file or directory": 2,
    "permission denied": 13,
    "file exists": 17,
    "not a directory": 20,
    "is a directory": 21,
    "no space left": 28,
    "read-only file system": 30,
    "file name too long": 36,
    "too many symbolic links": 40,
    "transport endpoint is not connected": 107,
}


class SyncError(AdbError):
    """The phone refused an operation on this file. `errno` is Linux's number, 0 if unknown."""

    def __init__(self, path: str, errno: int, message: str = "") -> None:
        reason = _REASONS.get(errno) or message or f"error {errno}"
        super().__init__(f"{path}: {reason}.")
        self.path = path
        self.errno = errno


class RemoteEntry(NamedTuple):
    """An entry of a folder. Bytes of its name that are not UTF-8 are kept as surrogate escapes."""

    name: str
    stat: Stat


async def stat(link: Link, path: str, *, follow: bool = True) -> Stat:
    """Stat `path`. Phones before Android 8 do not follow links."""
    v2 = "stat_v2" in await link.features()
    async with _session(link, path) as session:
        return await session.stat(v2=v2, follow=follow)


async def list_folder(link: Link, path: str) -> list[RemoteEntry]:
    """List a folder, in the phone's order, without `.` and `..`."""
    features = await link.features()
    async with _session(link, path) as session:
        # The listing of a file is empty, like that of an empty folder: so stat it first.
        # The slash makes even old phones follow a link.
        found = await session.stat(v2="stat_v2" in features, follow=True, suffix="/")
        if not S_ISDIR(found.mode):
            raise SyncError(path, 20)
        entries = await session.list(v2="ls_v2" in features)
    if not entries:
        # Not even `.`: the folder could not be read, or its file system omits that entry.
        check = await shell.run(link, ["ls", path], limit=1 << 20)
        if check.code:
            message = check.stderr.decode(errors="replace")
            raise SyncError(path, _find_errno(message), _one_line(message))
    return [entry for entry in entries if entry.name not in (".", "..")]


async def pull(link: Link, path: str, *, limit: int = 16 * 1024 * 1024) -> bytes:
    """Return a file's content, at most `limit` bytes."""
    v2 = "sendrecv_v2" in await link.features()
    async with _session(link, path) as session:
        return await session.receive(limit, v2=v2)


async def pull_to(link: Link, path: str, target: BinaryIO, *, limit: int) -> int:
    """Write a file's content to `target`; return its size. A failure may leave a part of it."""
    v2 = "sendrecv_v2" in await link.features()
    async with _session(link, path) as session:
        return await session.receive_to(target, limit, v2=v2)


async def push(
    link: Link,
    source: bytes | Path,
    path: str,
    *,
    mode: int = 0o644,
    mtime: int | None = None,
    moved: Callable[[int], None] | None = None,
) -> int:
    """Write a file on the phone, creating missing folders; return the number of bytes. `moved` is
    told how many were sent, after every few.

    A failure may leave a partial file: push to a temporary name where that matters.
    """
    v2 = "sendrecv_v2" in await link.features()
    async with _session(link, path) as session:
        answer = asyncio.create_task(session.answer())
        sending = asyncio.create_task(session.send(source, mode, mtime, moved, v2=v2))
        try:
            # The phone may report a failure while we are still sending, and then stop reading.
            await asyncio.wait({answer, sending}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                with suppress(LinkLost):
                    await sending
            await answer
            if not sending.done():
                raise SyncError(path, 0, "the phone confirmed the file before all of it was sent")
            return await sending
        finally:
            for task in (sending, answer):
                task.cancel()
            await asyncio.gather(sending, answer, return_exceptions=True)


@asynccontextmanager
async def _session(link: Link, path: str) -> AsyncGenerator["_Session", None]:
    """Open a sync stream for one file. Stalls and invalid data from the phone become errors."""
    try:
        name = encode_service(path)
        if not path or "\0" in path or len(name) >= wire.SYNC_PATH_MAX:
            raise SyncError(path[:80], 36 if path else 2)
        stream = await link.open("sync:")
        try:
            async with link.clock.timeout(IDLE_SECONDS) as idle:
                yield _Session(stream, path, name, link.clock, idle)
        finally:
            await stream.aclose()
    except TimeoutError:
        raise NoAnswer(f"{path}: nothing moved for {IDLE_SECONDS:g} s.") from None
    except WireError as problem:
        raise LinkLost(f"{path}: the phone does not speak adb's protocol: {problem}.") from problem


class _Session:
    def __init__(
        self, stream: ByteStream, path: str, name: bytes, clock: Clock, idle: Timeout
    ) -> None:
        self._stream = stream
        self._path = path
        self._name = name
        self._clock = clock
        self._idle = idle
        self._buffer = bytearray()

    def _moved(self) -> None:
        self._idle.reschedule(self._clock.deadline(IDLE_SECONDS))

    async def write(self, data: bytes) -> None:
        await self._stream.write(data)
        self._moved()

    async def request(self, id: bytes, suffix: bytes = b"", more: bytes = b"") -> None:
        await self.write(encode_sync(id, self._name + suffix) + more)

    async def exactly(self, size: int) -> bytes:
        buffer = self._buffer
        while len(buffer) < size:
            data = await self._stream.read(256 * 1024)
            if not data:
                raise LinkLost(f"{self._path}: the phone went away in the middle of the transfer.")
            buffer += data
            self._moved()
        taken = bytes(buffer[:size])
        del buffer[:size]
        return taken

    async def record(self) -> tuple[bytes, int]:
        """Read a record's header. Raises SyncError for FAIL."""
        id, value = wire.decode_sync(await self.exactly(8))
        if id == b"FAIL":
            if value > wire.SYNC_DATA_MAX:
                raise WireError("an error message is over the limit")
            message = (await self.exactly(value)).decode(errors="replace")
            raise SyncError(self._path, _find_errno(message), _one_line(message))
        return id, value

    async def answer(self) -> None:
        id, _ = await self.record()
        if id != b"OKAY":
            raise WireError("it did not answer OKAY")

    async def stat(self, *, v2: bool, follow: bool, suffix: str = "") -> Stat:
        await self.request((b"STA2" if follow else b"LST2") if v2 else b"STAT", suffix.encode())
        size = wire.STAT_V2_SIZE if v2 else wire.STAT_V1_SIZE
        decode = wire.decode_stat_v2 if v2 else wire.decode_stat_v1
        found = decode(await self.exactly(size))
        if found.error:
            raise SyncError(self._path, found.error)
        return found

    async def list(self, *, v2: bool) -> "list[RemoteEntry]":
        await self.request(b"LIS2" if v2 else b"LIST")
        size = wire.DENT_V2_SIZE if v2 else wire.DENT_V1_SIZE
        decode = wire.decode_entry_v2 if v2 else wire.decode_entry_v1
        entries: list[RemoteEntry] = []
        while (head := await self.exactly(size))[:4] != b"DONE":
            if head[:4] != (b"DNT2" if v2 else b"DENT"):
                raise WireError("its listing is malformed")
            found, length = decode(head)
            if length > _NAME_MAX or len(entries) == _ENTRIES:
                raise WireError("its listing is over the limit")
            name = (await self.exactly(length)).decode(errors="surrogateescape")
            entries.append(RemoteEntry(name, found))
        return entries

    async def receive(self, limit: int, *, v2: bool) -> bytes:
        received = BytesIO()
        await self.receive_to(received, limit, v2=v2)
        return received.getvalue()

    async def receive_to(self, target: BinaryIO, limit: int, *, v2: bool) -> int:
        if v2:
            await self.request(b"RCV2", more=encode_sync(b"RCV2", 0))
        else:
            await self.request(b"RECV")
        size = 0
        while True:
            id, length = await self.record()
            if id == b"DONE":
                return size
            if id != b"DATA" or length > wire.SYNC_DATA_MAX:
                raise WireError("its file content is malformed")
            size += length
            if size > limit:
                raise SyncError(self._path, 0, f"it is larger than {limit} bytes")
            target.write(await self.exactly(length))

    async def send(
        self,
        source: bytes | Path,
        mode: int,
        mtime: int | None,
        moved: Callable[[int], None] | None,
        *,
        v2: bool,
    ) -> int:
        mode = 0o100000 | mode & 0o7777
        if v2:
            await self.request(b"SND2", more=encode_sync(b"SND2", mode) + bytes(4))
        else:
            await self.request(b"SEND", b",%d" % mode)
        size = 0
        async with aclosing(_batches(source)) as batches:
            async for batch in batches:
                starts = range(0, len(batch), wire.SYNC_DATA_MAX)
                parts = (batch[start : start + wire.SYNC_DATA_MAX] for start in starts)
                await self.write(b"".join(encode_sync(b"DATA", part) for part in parts))
                size += len(batch)
                if moved is not None:
                    moved(size)
        await self.write(encode_sync(b"DONE", int(self._clock.time()) if mtime is None else mtime))
        return size


async def _batches(source: bytes | Path) -> AsyncGenerator[bytes, None]:
    if isinstance(source, bytes):
        for start in range(0, len(source), _BATCH):
            yield source[start : start + _BATCH]
        return
    try:
        # Not in a thread: a task cancelled while it opens the file would leave it open.
        with source.open("rb") as file:
            while batch := file.read(_BATCH):
                yield batch
    except OSError as problem:
        raise AdbError(f"{source} cannot be read: {problem.strerror}.") from problem


def _find_errno(message: str) -> int:
    lowered = message.lower()
    return next((number for words, number in _WORDS.items() if words in lowered), 0)


def _one_line(message: str) -> str:
    return " ".join(message.split())[:300].rstrip(".")
