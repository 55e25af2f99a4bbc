"""The virtual phone's file tree: in memory, with Android's folders, owners and limits.

Errors are OSErrors with Linux's errno. All paths are absolute; bytes that are not UTF-8 travel as
surrogate escapes.
"""

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import NamedTuple

CAPACITY = 256 * 1024 * 1024
ENTRY_COST = 512
"""What a file or folder takes besides its content, so that empty ones are not free."""
NAME_MAX = 255
PATH_MAX = 4096
LINKS_MAX = 40
DIRECTORY_SIZE = 3452

ROOT_UID = 0
SYSTEM_UID = 1000
SHELL_UID = 2000
SDCARD_RW = 1015


class User(NamedTuple):
    """Who does something to the tree."""

    uid: int
    groups: frozenset[int]


ROOT = User(ROOT_UID, frozenset((ROOT_UID,)))
SHELL = User(
    SHELL_UID,
    frozenset((2000, 1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011)),
)


@dataclass(slots=True, eq=False)
class Entry:
    """A file, folder, link or device."""

    mode: int
    uid: int
    gid: int
    mtime: float
    ino: int
    parent: "Entry | None" = None
    children: "dict[str, Entry]" = field(default_factory=dict[str, "Entry"])
    content: bytearray = field(default_factory=bytearray)
    target: str = ""
    read_only: bool = False
    """A read-only mount: nothing in this folder can be made, changed or removed."""
    shared: bool = False
    """Shared storage: it decides owners and modes by itself, and chmod has no effect."""
    linked: bool = True
    opened: int = 0
    tell: Callable[[], str] | None = None
    """The line that the kernel says whenever the file is opened: it has no content, and no size."""

    @property
    def size(self) -> int:
        if stat.S_ISDIR(self.mode):
            return DIRECTORY_SIZE
        return len(os.fsencode(self.target)) if self.target else len(self.content)


class Status(NamedTuple):
    """What stat says."""

    mode: int
    size: int
    mtime: int
    ino: int
    uid: int
    gid: int
    links: int


def failure(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


class OpenFile:
    """A file opened for reading or writing. It sees the file as it is now, as Linux does."""

    def __init__(self, tree: "FileTree", entry: Entry, path: str) -> None:
        self._tree = tree
        self._entry = entry
        self._path = path
        self._offset = 0
        self._closed = False
        self._told = None if entry.tell is None else f"{entry.tell()}\n".encode()
        entry.opened += 1

    def read(self, limit: int = 65536) -> bytes:
        if stat.S_ISDIR(self._entry.mode):
            raise failure(errno.EISDIR, self._path)
        content = self._entry.content if self._told is None else self._told
        data = bytes(memoryview(content)[self._offset : self._offset + limit])
        self._offset += len(data)
        return data

    def write(self, data: bytes) -> None:
        """Append `data`. All of it, or ENOSPC and none."""
        if stat.S_ISCHR(self._entry.mode):
            return
        self._tree._take(len(data), self._path)  # pyright: ignore[reportPrivateUsage]
        self._entry.content += data
        self._entry.mtime = self._tree.now()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._entry.opened -= 1
            self._tree._release(self._entry)  # pyright: ignore[reportPrivateUsage]

    def __enter__(self) -> "OpenFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class FileTree:
    """Folders and files. `now` gives the phone's wall clock in seconds."""

    def __init__(self, now: Callable[[], float], capacity: int = CAPACITY) -> None:
        self.now = now
        self.capacity = capacity
        self.used = 0
        self.locked: set[str] = set()
        """Paths on which a running program holds an exclusive lock."""
        self._count = 1
        self._root = Entry(stat.S_IFDIR | 0o755, 0, 0, now(), 1)
        self._root.parent = self._root

    # Looking

    def stat(self, path: str, *, follow: bool = True, user: User = SHELL) -> Status:
        entry = self._find(path, user, follow)
        links = 2 if stat.S_ISDIR(entry.mode) else 1
        return Status(
            entry.mode, entry.size, int(entry.mtime), entry.ino, entry.uid, entry.gid, links
        )

    def exists(self, path: str, user: User = SHELL) -> bool:
        try:
            self._find(path, user, True)
        except OSError:
            return False
        return True

    def is_folder(self, path: str, user: User = SHELL) -> bool:
        try:
            return stat.S_ISDIR(self._find(path, user, True).mode)
        except OSError:
            return False

    def list(self, path: str, user: User = SHELL) -> list[str]:
        entry = self._find(path, user, True)
        if not stat.S_ISDIR(entry.mode):
            raise failure(errno.ENOTDIR, path)
        _demand(entry, user, 4, path)
        return sorted(entry.children)

    def read_link(self, path: str, user: User = SHELL) -> str:
        entry = self._find(path, user, False)
        if not stat.S_ISLNK(entry.mode):
            raise failure(errno.EINVAL, path)
        return entry.target

    def real_path(self, path: str, user: User = SHELL) -> str:
        """Where `path` leads once every link is followed. What is not there yet counts as itself,
        and must not come after `..`."""
        names = [name for name in reversed(path.split("/")) if name not in ("", ".")]
        real = ""
        links = 0
        while names:
            name = names.pop()
            if name == "..":
                real = real.rpartition("/")[0]
                continue
            try:
                target = self.read_link(f"{real}/{name}", user)
            except OSError as problem:
                if problem.errno not in (errno.EINVAL, errno.ENOENT):
                    raise
                real += f"/{name}"
                continue
            links += 1
            if links > LINKS_MAX:
                raise failure(errno.ELOOP, path)
            names += [part for part in reversed(target.split("/")) if part not in ("", ".")]
            if target.startswith("/"):
                real = ""
        return real or "/"

    def open(self, path: str, user: User = SHELL) -> OpenFile:
        """Open for reading."""
        entry = self._find(path, user, True)
        _demand(entry, user, 4, path)
        return OpenFile(self, entry, path)

    def read(self, path: str, user: User = SHELL) -> bytes:
        with self.open(path, user) as file:
            return file.read(self.capacity)

    def may(self, path: str, want: int, user: User = SHELL) -> bool:
        """Whether `user` may read (4), write (2), execute or enter (1)."""
        try:
            entry = self._find(path, user, True)
            _demand(entry, user, want, path)
        except OSError:
            return False
        return not (want & 2 and entry.parent is not None and entry.parent.read_only)

    # Changing

    def create(
        self,
        path: str,
        mode: int = 0o666,
        *,
        append: bool = False,
        user: User = SHELL,
    ) -> OpenFile:
        """Open for writing, making the file if need be; its old content goes unless `append`."""
        folder, name, entry = self._place(path, user, True)
        if entry is None:
            if not name:
                raise failure(errno.EISDIR, path)
            entry = self._add(folder, name, stat.S_IFREG | (mode & 0o7777), user, path)
        elif stat.S_ISDIR(entry.mode):
            raise failure(errno.EISDIR, path)
        else:
            _demand(entry, user, 2, path)
            if folder.read_only and not stat.S_ISCHR(entry.mode):
                raise failure(errno.EROFS, path)
            if not append:
                self.used -= len(entry.content)
                entry.content = bytearray()
                entry.mtime = self.now()
        return OpenFile(self, entry, path)

    def write(
        self,
        path: str,
        data: bytes,
        mode: int = 0o666,
        *,
        append: bool = False,
        user: User = SHELL,
    ) -> None:
        with self.create(path, mode, append=append, user=user) as file:
            file.write(data)

    def make_folder(
        self,
        path: str,
        mode: int = 0o777,
        *,
        parents: bool = False,
        user: User = SHELL,
    ) -> None:
        if parents:
            whole = ""
            for name in filter(None, path.split("/")):
                whole += "/" + name
                if not self.is_folder(whole, user):
                    self.make_folder(whole, mode, user=user)
            return
        folder, name, entry = self._place(path.rstrip("/") or "/", user, False)
        if entry is not None or not name:
            raise failure(errno.EEXIST, path)
        self._add(folder, name, stat.S_IFDIR | (mode & 0o7777), user, path)

    def link(self, target: str, path: str, user: User = SHELL) -> None:
        """Make a symbolic link at `path` that leads to `target`."""
        folder, name, entry = self._place(path, user, False)
        if not target:
            raise failure(errno.ENOENT, path)
        if entry is not None or not name:
            raise failure(errno.EEXIST, path)
        if len(os.fsencode(target)) >= PATH_MAX:
            raise failure(errno.ENAMETOOLONG, path)
        if folder.shared:
            raise failure(errno.EPERM, path)
        self._add(folder, name, stat.S_IFLNK | 0o777, user, path).target = target

    def remove(self, path: str, user: User = SHELL) -> None:
        """Remove a file or link."""
        folder, name, entry = self._present(path, user)
        if stat.S_ISDIR(entry.mode):
            raise failure(errno.EISDIR, path)
        _demand_change(folder, user, path)
        self._drop(folder, name, entry)

    def remove_folder(self, path: str, user: User = SHELL) -> None:
        folder, name, entry = self._present(path.rstrip("/") or "/", user)
        if not stat.S_ISDIR(entry.mode):
            raise failure(errno.ENOTDIR, path)
        if not name:
            raise failure(errno.EBUSY, path)
        _demand_change(folder, user, path)
        if entry.children:
            raise failure(errno.ENOTEMPTY, path)
        self._drop(folder, name, entry)

    def rename(self, old: str, new: str, user: User = SHELL) -> None:
        """Give `old` the name `new` in one step; a file that was there is replaced."""
        source, source_name, entry = self._present(old.rstrip("/") or "/", user)
        target, target_name, present = self._place(new.rstrip("/") or "/", user, False)
        if not source_name or not target_name:
            raise failure(errno.EBUSY, old)
        _demand_change(source, user, old)
        _demand_change(target, user, new)
        if source.shared != target.shared:
            raise failure(errno.EXDEV, new)
        if present is entry:
            return
        folder: Entry = target
        while True:
            if folder is entry:
                raise failure(errno.EINVAL, new)
            if folder is self._root:
                break
            assert folder.parent is not None
            folder = folder.parent
        if present is not None:
            if stat.S_ISDIR(present.mode) and not stat.S_ISDIR(entry.mode):
                raise failure(errno.EISDIR, new)
            if stat.S_ISDIR(entry.mode) and not stat.S_ISDIR(present.mode):
                raise failure(errno.ENOTDIR, new)
            if present.children:
                raise failure(errno.ENOTEMPTY, new)
            self._drop(target, target_name, present)
        _check_name(target_name, new)
        del source.children[source_name]
        target.children[target_name] = entry
        entry.parent = target
        source.mtime = target.mtime = self.now()

    def chmod(self, path: str, mode: int, *, user: User = SHELL) -> None:
        folder, _, entry = self._place(path, user, True)
        if entry is None:
            raise failure(errno.ENOENT, path)
        self._demand_owner(folder, entry, user, path)
        if not entry.shared:
            entry.mode = stat.S_IFMT(entry.mode) | (mode & 0o7777)

    def set_time(self, path: str, mtime: float, *, follow: bool = True, user: User = SHELL) -> None:
        folder, _, entry = self._place(path, user, follow)
        if entry is None:
            raise failure(errno.ENOENT, path)
        if not entry.shared:
            self._demand_owner(folder, entry, user, path)
        entry.mtime = mtime

    # For whoever furnishes the tree

    def furnish(
        self,
        path: str,
        mode: int = 0o755,
        uid: int = 0,
        gid: int = 0,
        *,
        read_only: bool | None = None,
        shared: bool = False,
    ) -> None:
        """Make a folder as the system would, or change what an existing one is."""
        if not self.exists(path, ROOT):
            self.make_folder(path, user=ROOT)
        entry = self._find(path, ROOT, True)
        entry.mode, entry.uid, entry.gid = stat.S_IFDIR | mode, uid, gid
        entry.shared = shared
        if read_only is not None:
            entry.read_only = read_only

    def furnish_device(self, path: str) -> None:
        folder, name, _ = self._place(path, ROOT, False)
        self._add(folder, name, stat.S_IFCHR | 0o666, ROOT, path)

    def furnish_told(self, path: str, tell: Callable[[], str]) -> None:
        """Make a file in which the kernel says a line."""
        folder, name, _ = self._place(path, ROOT, False)
        self._add(folder, name, stat.S_IFREG | 0o444, ROOT, path).tell = tell

    def furnish_mode(self, path: str, mode: int) -> None:
        """Change what an entry allows even where `chmod` has no effect, and give it to root."""
        entry = self._find(path, ROOT, False)
        entry.mode = stat.S_IFMT(entry.mode) | mode
        entry.uid = entry.gid = ROOT_UID

    def furnish_link(self, target: str, path: str) -> None:
        """Make a link even where the phone's programs cannot."""
        folder, name, _ = self._place(path, ROOT, False)
        self._add(folder, name, stat.S_IFLNK | 0o777, ROOT, path).target = target

    # Within

    def _find(self, path: str, user: User, follow: bool) -> Entry:
        entry = self._place(path, user, follow)[2]
        if entry is None:
            raise failure(errno.ENOENT, path)
        return entry

    def _present(self, path: str, user: User) -> tuple[Entry, str, Entry]:
        folder, name, entry = self._place(path, user, False)
        if entry is None:
            raise failure(errno.ENOENT, path)
        return folder, name, entry

    def _place(self, path: str, user: User, follow: bool) -> tuple[Entry, str, Entry | None]:
        """The folder that `path` leads to, its last name ("" for a folder reached by `/`, `.` or
        `..`), and what is there now."""
        if not path:
            raise failure(errno.ENOENT, path)
        if "\0" in path:
            raise failure(errno.EINVAL, path)
        if len(os.fsencode(path)) >= PATH_MAX:
            raise failure(errno.ENAMETOOLONG, path)
        names = [name for name in reversed(path.split("/")) if name and name != "."]
        must_be_folder = path.endswith(("/", "/."))
        folder = self._root
        links = 0
        while names:
            name = names.pop()
            _demand(folder, user, 1, path)
            if name == "..":
                assert folder.parent is not None
                folder = folder.parent
                continue
            entry = folder.children.get(name)
            if (
                entry is not None
                and stat.S_ISLNK(entry.mode)
                and (names or follow or must_be_folder)
            ):
                links += 1
                if links > LINKS_MAX:
                    raise failure(errno.ELOOP, path)
                names += [
                    part for part in reversed(entry.target.split("/")) if part not in ("", ".")
                ]
                if len(names) > PATH_MAX:
                    raise failure(errno.ENAMETOOLONG, path)
                if entry.target.startswith("/"):
                    folder = self._root
                continue
            if not names:
                if entry is not None and must_be_folder and not stat.S_ISDIR(entry.mode):
                    raise failure(errno.ENOTDIR, path)
                return folder, name, entry
            if entry is None:
                raise failure(errno.ENOENT, path)
            if not stat.S_ISDIR(entry.mode):
                raise failure(errno.ENOTDIR, path)
            folder = entry
        return folder, "", folder

    def _add(self, folder: Entry, name: str, mode: int, user: User, path: str) -> Entry:
        _check_name(name, path)
        if not folder.linked:
            raise failure(errno.ENOENT, path)
        _demand_change(folder, user, path)
        self._take(ENTRY_COST, path)
        self._count += 1
        entry = Entry(mode, user.uid, user.uid, self.now(), self._count)
        entry.parent = folder
        entry.read_only = folder.read_only
        if folder.shared:
            entry.shared, entry.uid, entry.gid = True, ROOT_UID, SDCARD_RW
            entry.mode = stat.S_IFMT(mode) | (0o771 if stat.S_ISDIR(mode) else 0o660)
        folder.children[name] = entry
        folder.mtime = entry.mtime
        return entry

    def _drop(self, folder: Entry, name: str, entry: Entry) -> None:
        del folder.children[name]
        folder.mtime = self.now()
        entry.linked = False
        self.used -= ENTRY_COST
        self._release(entry)

    def _release(self, entry: Entry) -> None:
        # Removed but still open: the room is given back by the last close.
        if not entry.linked and not entry.opened:
            self.used -= len(entry.content)
            entry.content = bytearray()

    def _take(self, amount: int, path: str) -> None:
        if self.used + amount > self.capacity:
            raise failure(errno.ENOSPC, path)
        self.used += amount

    def _demand_owner(self, folder: Entry, entry: Entry, user: User, path: str) -> None:
        if folder.read_only and user.uid != ROOT_UID:
            raise failure(errno.EROFS, path)
        if user.uid not in (ROOT_UID, entry.uid) and not entry.shared:
            raise failure(errno.EPERM, path)


def _check_name(name: str, path: str) -> None:
    if len(os.fsencode(name)) > NAME_MAX:
        raise failure(errno.ENAMETOOLONG, path)


def _demand(entry: Entry, user: User, want: int, path: str) -> None:
    if user.uid == ROOT_UID:
        return
    if user.uid == entry.uid:
        given = entry.mode >> 6
    elif entry.gid in user.groups:
        given = entry.mode >> 3
    else:
        given = entry.mode
    if want & ~given & 7:
        raise failure(errno.EACCES, path)


def _demand_change(folder: Entry, user: User, path: str) -> None:
    if folder.read_only and user.uid != ROOT_UID:
        raise failure(errno.EROFS, path)
    _demand(folder, user, 3, path)


def furnish_android(tree: FileTree) -> None:
    """The folders that every Android has."""
    for path in ("/system", "/system/bin", "/system/framework", "/vendor", "/product", "/apex"):
        tree.furnish(path, 0o755, read_only=True)
    for path in ("/dev", "/mnt", "/proc", "/storage"):
        tree.furnish(path, 0o755, read_only=True)
    tree.furnish("/data", 0o771, SYSTEM_UID, SYSTEM_UID)
    for path in ("/data/app", "/data/data", "/data/system"):
        tree.furnish(path, 0o771, SYSTEM_UID, SYSTEM_UID)
    tree.furnish("/data/local", 0o751)
    tree.furnish("/data/local/tmp", 0o771, SHELL_UID, SHELL_UID)
    tree.furnish("/storage/emulated", 0o711, ROOT_UID, SDCARD_RW, read_only=False)
    tree.furnish("/storage/emulated/0", 0o771, ROOT_UID, SDCARD_RW, shared=True, read_only=False)
    for name in (
        "Alarms",
        "Android",
        "Audiobooks",
        "DCIM",
        "Documents",
        "Download",
        "Movies",
        "Music",
        "Notifications",
        "Pictures",
        "Podcasts",
        "Recordings",
        "Ringtones",
    ):
        tree.make_folder(f"/storage/emulated/0/{name}", user=ROOT)
    tree.furnish("/storage/self", 0o755, read_only=True)
    tree.link("/storage/emulated/0", "/storage/self/primary", ROOT)
    tree.link("/storage/self/primary", "/sdcard", ROOT)
    tree.link("/system/bin", "/bin", ROOT)
    tree.furnish_device("/dev/null")
    tree.furnish("/", 0o755, read_only=True)
