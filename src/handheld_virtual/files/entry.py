"""Entries of the file tree, with owners and permissions."""

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

DIRECTORY_SIZE = 3452

ROOT_UID = 0
SYSTEM_UID = 1000
SHELL_UID = 2000
SDCARD_RW = 1015


class User(NamedTuple):
    """The user who runs an operation."""

    uid: int
    groups: frozenset[int]


ROOT = User(ROOT_UID, frozenset((ROOT_UID,)))
SHELL = User(
    SHELL_UID,
    frozenset((2000, 1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011)),
)


@dataclass(slots=True, eq=False)
class TreeEntry:
    """A file, folder, link or device."""

    mode: int
    uid: int
    gid: int
    mtime: float
    ino: int
    parent: "TreeEntry | None" = None
    children: "dict[str, TreeEntry]" = field(default_factory=dict[str, "TreeEntry"])
    content: bytearray = field(default_factory=bytearray)
    target: str = ""
    read_only: bool = False
    """Whether it is a read-only mount, in which nothing can be created, changed or removed."""
    shared: bool = False
    """Whether it is shared storage, which sets owners and modes itself and ignores chmod."""
    linked: bool = True
    opened: int = 0
    generate: Callable[[], str] | None = None
    """For a file of the kernel: makes the line that opening it returns. The file has no content or
    size."""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def status(self) -> "Status":
        size = len(os.fsencode(self.target)) if self.target else len(self.content)
        links = 1
        if self.is_folder:
            size, links = DIRECTORY_SIZE, 2
        return Status(self.mode, size, int(self.mtime), self.ino, self.uid, self.gid, links)

    def demand(self, user: User, want: int, path: str) -> None:
        """Check permission to read (4), write (2), execute or enter (1). Raises EACCES."""
        if user.uid == ROOT_UID:
            return
        if user.uid == self.uid:
            given = self.mode >> 6
        elif self.gid in user.groups:
            given = self.mode >> 3
        else:
            given = self.mode
        if want & ~given & 7:
            raise failure(errno.EACCES, path)

    def demand_change(self, user: User, path: str) -> None:
        """Check that the user may create and remove entries in this folder."""
        if self.read_only and user.uid != ROOT_UID:
            raise failure(errno.EROFS, path)
        self.demand(user, 3, path)


class Status(NamedTuple):
    """The result of the system call `stat`."""

    mode: int
    size: int
    mtime: int
    ino: int
    uid: int
    gid: int
    links: int


def failure(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)
