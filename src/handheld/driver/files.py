"""Files on the phone: the protocol and its values."""

from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from ..adb.link import AdbError
from ..adb.sync import RemoteEntry, SyncError

__all__ = [
    "AdbError",
    "Content",
    "FileChanged",
    "FileDriver",
    "InDoubt",
    "LeadsOutside",
    "Place",
    "RemoteEntry",
    "SyncError",
]


class Place(NamedTuple):
    """A resolved path in a storage location."""

    root: str
    """The location's own folder, absolute."""
    path: str
    """Absolute, with all links resolved."""
    kind: str | None
    """file, folder or other; None if nothing exists."""
    size: int
    available: int | None
    """Free bytes on that volume, if known."""


class Content(NamedTuple):
    """The content that a file must have to be replaced."""

    size: int
    sha256: str


class LeadsOutside(Exception):
    """A link in the path leads out of the location. Nothing was done."""


class FileChanged(Exception):
    """The file has changed since it was read. Nothing was done."""


class InDoubt(Exception):
    """The connection was lost during the call: it may or may not have happened."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class FileDriver(Protocol):
    """Files below a storage location's root, and the transfer of their content."""

    async def locate(self, root: str, path: str) -> Place:
        """Resolve `path` below `root`. Raises LeadsOutside, SyncError."""
        ...

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        """Rename the file `temp` in `root` to `path` in one step, and only while `path` still holds
        what is expected. Raises FileChanged, InDoubt, LeadsOutside, SyncError."""
        ...

    async def remove(self, root: str, path: str) -> bool:
        """Remove a file; return whether it existed. Raises InDoubt, LeadsOutside, SyncError."""
        ...

    async def list_folder(self, path: str) -> list[RemoteEntry]:
        """List an absolute path's entries. Raises AdbError."""
        ...

    async def pull(self, path: str, *, limit: int) -> bytes:
        """Read a file's content, at most `limit` bytes. Raises AdbError."""
        ...

    async def pull_to(self, path: str, target: BinaryIO, *, limit: int) -> int:
        """Write a file's content, at most `limit` bytes, to `target`; return its size. After a
        failure, `target` may have a part of it. Raises AdbError."""
        ...

    async def push(self, source: bytes | Path, path: str) -> int:
        """Write a file's content; return its size. A failure may leave a partial file. Raises
        AdbError."""
        ...
