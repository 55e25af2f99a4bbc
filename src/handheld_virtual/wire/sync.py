"""adb's file service: stat, list, send and receive, each in both versions."""

import contextlib
import errno
import os
import re
import stat
import struct
from collections.abc import Callable

from handheld.adb import wire
from handheld.adb.wire import Stat, WireError

from ..files.entry import Status
from ..files.open_file import OpenFile
from ..files.tree import FileTree
from ..sh.streams import Duplex

_MODE_AND_FLAGS = struct.Struct("<4sII")
NAME_MAX = 255
LINK_MAX = 4096
_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]{1,16}|0[0-7]{0,20}|[1-9][0-9]{0,20})")


class SyncService:
    """A `sync:` stream."""

    def __init__(self, files: FileTree, stream: Duplex) -> None:
        self._files = files
        self._stream = stream
        self._buffer = bytearray()

    async def run(self) -> None:
        """Serve requests until QUIT or the end of the stream. Raises WireError for an invalid
        request."""
        with contextlib.suppress(EOFError):
            while True:
                id, length = wire.decode_sync(await self._exactly(8))
                if id == b"QUIT":
                    return
                if id not in _REQUESTS:
                    await self._fail(f"unknown command {int.from_bytes(id, 'little'):08x}")
                    return
                if length > wire.SYNC_PATH_MAX:
                    await self._fail("path too long")
                    return
                # In adbd, as in C, names end at a NUL.
                path = os.fsdecode((await self._exactly(length)).partition(b"\0")[0])
                await _REQUESTS[id](self, path)

    async def stat_v1(self, path: str) -> None:
        try:
            record = _stat(self._files.stat(path, follow=False))
        except OSError:
            record = Stat(0, 0, 0)
        await self._stream.write(wire.encode_stat_v1(record))

    async def lstat_v2(self, path: str) -> None:
        await self._stat_v2(path, False, b"LST2")

    async def stat_v2(self, path: str) -> None:
        await self._stat_v2(path, True, b"STA2")

    async def list_v1(self, path: str) -> None:
        await self._list(path, wire.encode_entry_v1, v2=False)

    async def list_v2(self, path: str) -> None:
        await self._list(path, wire.encode_entry_v2, v2=True)

    async def send_v1(self, request: str) -> None:
        path, comma, mode = request.rpartition(",")
        if not comma:
            await self._fail("missing , in ID_SEND_V1")
            raise EOFError
        await self._receive_file(path, _number(mode))

    async def send_v2(self, path: str) -> None:
        _id, mode, flags = _MODE_AND_FLAGS.unpack(await self._exactly(12))
        if flags:
            await self._fail(f"unknown flags: {flags}")
            raise EOFError
        await self._receive_file(path, mode)

    async def recv_v1(self, path: str) -> None:
        await self._send_file(path)

    async def recv_v2(self, path: str) -> None:
        _id, flags = wire.decode_sync(await self._exactly(8))
        if flags:
            await self._fail(f"unknown flags: {flags}")
            raise EOFError
        await self._send_file(path)

    async def _stat_v2(self, path: str, follow: bool, id: bytes) -> None:
        try:
            if any(len(os.fsencode(name)) > NAME_MAX for name in path.split("/")):
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
            record = _stat(self._files.stat(path, follow=follow))
        except OSError as problem:
            record = Stat(0, 0, 0, error=problem.errno or errno.EIO)
        await self._stream.write(wire.encode_stat_v2(record, id))

    async def _list(self, path: str, encode: Callable[[Stat, bytes], bytes], *, v2: bool) -> None:
        records = bytearray()
        # A folder that cannot be read is listed as empty, because the protocol has no error for it.
        with contextlib.suppress(OSError):
            for name in (".", "..", *self._files.list(path)):
                with contextlib.suppress(OSError):
                    status = self._files.stat(f"{path}/{name}", follow=False)
                    records += encode(_stat(status), os.fsencode(name))
        await self._stream.write(bytes(records) + wire.encode_list_done(v2=v2))

    async def _send_file(self, path: str) -> None:
        try:
            file = self._files.open(path)
        except OSError as problem:
            await self._fail(f"open failed: {problem.strerror}")
            raise EOFError from None
        with file:
            try:
                while data := file.read(wire.SYNC_DATA_MAX):
                    await self._stream.write(wire.encode_sync(b"DATA", data))
            except IsADirectoryError as problem:
                await self._fail(f"read failed: {problem.strerror}")
                raise EOFError from None
        await self._stream.write(wire.encode_sync(b"DONE", 0))

    async def _receive_file(self, path: str, mode: int) -> None:
        """Receive DATA up to DONE, even if it cannot be stored, and answer once. As in adbd, a
        failure ends the stream."""
        is_link = stat.S_ISLNK(mode)
        file: OpenFile | None = None
        target = bytearray()
        reason = ""
        try:
            reason = self._make_room(path)
            if not reason and not is_link:
                try:
                    file = self._files.create(path, _for_all(mode))
                except OSError as problem:
                    reason = f"couldn't create file: {problem.strerror}"
            while True:
                id, length = wire.decode_sync(await self._exactly(8))
                if id == b"DONE":
                    break
                if id != b"DATA" or length > wire.SYNC_DATA_MAX:
                    await self._fail("invalid data message")
                    raise EOFError
                data = await self._exactly(length)
                if is_link:
                    target += data
                    if len(target) > LINK_MAX:
                        raise WireError("The target of a link is too long.")
                elif file is not None and not reason:
                    try:
                        file.write(data)
                    except OSError as problem:
                        reason = f"write failed: {problem.strerror}"
        except BaseException:
            self._discard(path, file)
            raise
        if not reason:
            try:
                if is_link:
                    self._files.link(os.fsdecode(bytes(target).rstrip(b"\0")), path)
                self._files.set_time(path, length, follow=False)
            except OSError as problem:
                what = "symlink failed" if is_link else "couldn't create file"
                reason = f"{what}: {problem.strerror}"
        if reason:
            self._discard(path, file)
            await self._fail(reason)
            raise EOFError
        if file is not None:
            file.close()
        await self._stream.write(wire.encode_sync(b"OKAY", 0))

    def _make_room(self, path: str) -> str:
        """Create the parent folders and remove an old file; return the reason of a failure, or
        ""."""
        folder = os.path.dirname(path)
        try:
            if not path:
                self._files.stat(path)
            if folder and not self._files.exists(folder):
                self._files.make_folder(folder, 0o775, parents=True)
        except NotADirectoryError:
            pass  # creating the file will report the problem
        except OSError as problem:
            return f"secure_mkdirs failed: {problem.strerror}"
        # Replaced, not overwritten: a reader of the old file keeps it, and links are not followed.
        with contextlib.suppress(OSError):
            self._files.remove(path)
        return ""

    def _discard(self, path: str, file: OpenFile | None) -> None:
        if file is not None:
            file.close()
            with contextlib.suppress(OSError):
                self._files.remove(path)

    async def _fail(self, reason: str) -> None:
        await self._stream.write(wire.encode_sync(b"FAIL", reason.encode()))

    async def _exactly(self, size: int) -> bytes:
        buffer = self._buffer
        while len(buffer) < size:
            data = await self._stream.read(wire.MAX_PAYLOAD)
            if not data:
                raise EOFError
            buffer += data
        part = bytes(memoryview(buffer)[:size])
        del buffer[:size]
        return part


_REQUESTS = {
    b"STAT": SyncService.stat_v1,
    b"LST2": SyncService.lstat_v2,
    b"STA2": SyncService.stat_v2,
    b"LIST": SyncService.list_v1,
    b"LIS2": SyncService.list_v2,
    b"SEND": SyncService.send_v1,
    b"SND2": SyncService.send_v2,
    b"RECV": SyncService.recv_v1,
    b"RCV2": SyncService.recv_v2,
}


def _number(text: str) -> int:
    """Parse a number as C's strtoul does: decimal, `0x` or octal; other text is 0."""
    found = _NUMBER.match(text)
    if found is None:
        return 0
    sign, digits = found.groups()
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
    return (-1 if sign == "-" else 1) * int(digits, base) & 0xFFFFFFFF


def _for_all(mode: int) -> int:
    """Copy the owner's permission bits to group and others, as adbd does."""
    mode &= 0o777
    mode |= mode >> 3 & 0o070
    return mode | mode >> 3 & 0o007


def _stat(status: Status) -> Stat:
    return Stat(
        status.mode,
        status.size,
        status.mtime,
        dev=1,
        ino=status.ino,
        nlink=status.links,
        uid=status.uid,
        gid=status.gid,
        atime=status.mtime,
        ctime=status.mtime,
    )
