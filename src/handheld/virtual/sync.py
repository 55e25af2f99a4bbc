"""adb's file service: stat, list, send and receive, in both versions of each."""

import contextlib
import errno
import os
import stat
import struct
from collections.abc import Callable

from ..adb import wire
from ..adb.wire import Stat, WireError
from .files import FileTree, OpenFile, Status
from .streams import Duplex

_MODE_AND_FLAGS = struct.Struct("<4sII")


class SyncService:
    """One `sync:` stream."""

    def __init__(self, files: FileTree, stream: Duplex) -> None:
        self._files = files
        self._stream = stream
        self._buffer = bytearray()

    async def run(self) -> None:
        """Serve requests until QUIT or the client's end. Raises WireError on nonsense."""
        with contextlib.suppress(EOFError):
            while True:
                id, length = wire.decode_sync(await self._exactly(8))
                if id == b"QUIT":
                    return
                if id not in _REQUESTS:
                    await self._fail(f"unknown command {id.hex()}")
                    return
                if length > wire.SYNC_PATH_MAX:
                    await self._fail("path too long")
                    return
                path = os.fsdecode(await self._exactly(length))
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
        if not comma or not mode.isascii() or not mode.isdigit() or len(mode) > 10:
            await self._fail("missing , in ID_SEND" if not comma else "bad mode")
            raise EOFError
        await self._receive_file(path, int(mode))

    async def send_v2(self, path: str) -> None:
        id, mode, flags = _MODE_AND_FLAGS.unpack(await self._exactly(12))
        if id != b"SND2":
            raise WireError("A sync request lacks its second half.")
        if flags:
            await self._fail(f"unsupported flags: {flags}")
            raise EOFError
        await self._receive_file(path, mode)

    async def recv_v1(self, path: str) -> None:
        await self._send_file(path)

    async def recv_v2(self, path: str) -> None:
        id, flags = wire.decode_sync(await self._exactly(8))
        if id != b"RCV2":
            raise WireError("A sync request lacks its second half.")
        if flags:
            await self._fail(f"unsupported flags: {flags}")
            raise EOFError
        await self._send_file(path)

    async def _stat_v2(self, path: str, follow: bool, id: bytes) -> None:
        try:
            record = _stat(self._files.stat(path, follow=follow))
        except OSError as problem:
            record = Stat(0, 0, 0, error=problem.errno or errno.EIO)
        await self._stream.write(wire.encode_stat_v2(record, id))

    async def _list(self, path: str, encode: Callable[[Stat, bytes], bytes], *, v2: bool) -> None:
        records = bytearray()
        # A folder that cannot be read lists as empty: the protocol has no word for it.
        with contextlib.suppress(OSError):
            parent = path.rstrip("/") + "/.."
            names = [(".", path), ("..", parent)]
            names += [(name, f"{path}/{name}") for name in self._files.list(path)]
            for name, whole in names:
                with contextlib.suppress(OSError):
                    status = self._files.stat(whole, follow=False)
                    records += encode(_stat(status), os.fsencode(name))
        await self._stream.write(bytes(records) + wire.encode_list_done(v2=v2))

    async def _send_file(self, path: str) -> None:
        try:
            file = self._files.open(path)
        except OSError as problem:
            await self._fail(f"open failed: {problem.strerror}")
            return
        with file:
            try:
                while data := file.read(wire.SYNC_DATA_MAX):
                    await self._stream.write(wire.encode_sync(b"DATA", data))
            except IsADirectoryError as problem:
                await self._fail(f"read failed: {problem.strerror}")
                return
        await self._stream.write(wire.encode_sync(b"DONE", 0))

    async def _receive_file(self, path: str, mode: int) -> None:
        """Take DATA up to DONE, also when it cannot be kept, and answer once."""
        is_link = stat.S_ISLNK(mode)
        file: OpenFile | None = None
        target = bytearray()
        reason = ""
        try:
            try:
                self._make_room(path)
                if not is_link:
                    file = self._files.create(path, mode & 0o777 or 0o644)
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
                    if len(target) > wire.SYNC_PATH_MAX:
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
                reason = f"couldn't create {'symlink' if is_link else 'file'}: {problem.strerror}"
        if reason:
            self._discard(path, file)
            await self._fail(reason)
            return
        if file is not None:
            file.close()
        await self._stream.write(wire.encode_sync(b"OKAY", 0))

    def _make_room(self, path: str) -> None:
        folder = os.path.dirname(path)
        if folder and not self._files.is_folder(folder):
            self._files.make_folder(folder, 0o775, parents=True)
        # A new file, not a new content: who reads the old one keeps it, links are not followed.
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            self._files.remove(path)

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
