"""The virtual phone's file tree, in memory, with Android's folders, owners and limits.

Errors are OSErrors with Linux's errno. All paths are absolute; bytes that are not UTF-8 are
represented by surrogate escapes.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection

from .entry import ROOT, ROOT_UID, SDCARD_RW, SHELL, Status, TreeEntry, User, failure
from .lookup import LINKS_MAX, PATH_MAX, find_place, split_path
from .open_file import OpenFile

CAPACITY = 256 * 1024 * 1024
ENTRY_COST = 512
"""The bytes that an entry takes in addition to its content, because otherwise empty entries would
be free."""
NAME_MAX = 255


class FileTree:
    """Folders and files. `now` gives the phone's wall clock in seconds."""

    def __init__(self, now: Callable[[], float], capacity: int = CAPACITY) -> None:
        self.now = now
        self.capacity = capacity
        self.used = 0
        self.locked: dict[str, object] = {}
        """Paths that running programs have locked exclusively, with the holder of each lock."""
        self._count = 1
        self._root = TreeEntry(stat.S_IFDIR | 0o755, 0, 0, now(), 1)

    # Reading

    def stat(self, path: str, *, follow: bool = True, user: User = SHELL) -> Status:
        return self._find(path, user, follow).status

    def exists(self, path: str, user: User = SHELL) -> bool:
        try:
            self._find(path, user, True)
        except OSError:
            return False
        return True

    def is_folder(self, path: str, user: User = SHELL) -> bool:
        try:
            return self._find(path, user, True).is_folder
        except OSError:
            return False

    def list(self, path: str, user: User = SHELL) -> list[str]:
        entry = self._find(path, user, True)
        if not entry.is_folder:
            raise failure(errno.ENOTDIR, path)
        entry.demand(user, 4, path)
        return sorted(entry.children)

    def read_link(self, path: str, user: User = SHELL) -> str:
        entry = self._find(path, user, False)
        if not entry.is_link:
            raise failure(errno.EINVAL, path)
        return entry.target

    def real_path(self, path: str, user: User = SHELL) -> str:
        """Resolve all links. A name that does not exist is kept, and a following `..` drops it."""
        names = split_path(path)
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
            names += split_path(target)
            if target.startswith("/"):
                real = ""
        return real or "/"

    def open(self, path: str, user: User = SHELL) -> OpenFile:
        """Open a file for reading."""
        entry = self._find(path, user, True)
        entry.demand(user, 4, path)
        return OpenFile(self, entry, path)

    def read(self, path: str, user: User = SHELL) -> bytes:
        with self.open(path, user) as file:
            return file.read(self.capacity)

    def may(self, path: str, want: int, user: User = SHELL) -> bool:
        """Whether `user` may read (4), write (2), execute or enter (1)."""
        try:
            entry = self._find(path, user, True)
            entry.demand(user, want, path)
        except OSError:
            return False
        return not (want & 2 and (entry.parent or entry).read_only)

    # Writing

    def create(
        self,
        path: str,
        mode: int = 0o666,
        *,
        append: bool = False,
        user: User = SHELL,
    ) -> OpenFile:
        """Open a file for writing; create it if necessary, and truncate it unless `append`."""
        folder, name, entry = find_place(self._root, path, user, True)
        if entry is None:
            if not name:
                raise failure(errno.EISDIR, path)
            entry = self._add(folder, name, stat.S_IFREG | (mode & 0o7777), user, path)
        elif entry.is_folder:
            raise failure(errno.EISDIR, path)
        else:
            entry.demand(user, 2, path)
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
        folder, name, entry = find_place(self._root, path.rstrip("/") or "/", user, False)
        if entry is not None or not name:
            raise failure(errno.EEXIST, path)
        self._add(folder, name, stat.S_IFDIR | (mode & 0o7777), user, path)

    def link(self, target: str, path: str, user: User = SHELL) -> None:
        """Create a symbolic link at `path` to `target`."""
        folder, name, entry = find_place(self._root, path, user, False)
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
        if entry.is_folder:
            raise failure(errno.EISDIR, path)
        folder.demand_change(user, path)
        self._drop(folder, name, entry)

    def remove_folder(self, path: str, user: User = SHELL) -> None:
        folder, name, entry = self._present(path.rstrip("/") or "/", user)
        if not entry.is_folder:
            raise failure(errno.ENOTDIR, path)
        if not name:
            raise failure(errno.EBUSY, path)
        folder.demand_change(user, path)
        if entry.children:
            raise failure(errno.ENOTEMPTY, path)
        self._drop(folder, name, entry)

    def rename(self, old: str, new: str, user: User = SHELL) -> None:
        """Rename atomically; an existing file is replaced."""
        source, source_name, entry = self._present(old.rstrip("/") or "/", user)
        target, target_name, present = find_place(self._root, new.rstrip("/") or "/", user, False)
        if not source_name or not target_name:
            raise failure(errno.EBUSY, old)
        source.demand_change(user, old)
        target.demand_change(user, new)
        if source.shared != target.shared:
            raise failure(errno.EXDEV, new)
        if present is entry:
            return
        folder: TreeEntry | None = target
        while folder is not None:
            if folder is entry:
                raise failure(errno.EINVAL, new)
            folder = folder.parent
        if present is not None:
            if present.is_folder and not entry.is_folder:
                raise failure(errno.EISDIR, new)
            if entry.is_folder and not present.is_folder:
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
        folder, _, entry = self._present(path, user, True)
        self._demand_owner(folder, entry, user, path)
        if not entry.shared:
            entry.mode = stat.S_IFMT(entry.mode) | (mode & 0o7777)

    def set_time(self, path: str, mtime: float, *, follow: bool = True, user: User = SHELL) -> None:
        folder, _, entry = self._present(path, user, follow)
        if not entry.shared:
            self._demand_owner(folder, entry, user, path)
        entry.mtime = mtime

    # For setting up the tree

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
        """Create a folder as the system, or change the attributes of an existing one."""
        folder, name, entry = find_place(self._root, path, ROOT, True)
        if entry is None:
            entry = self._add(folder, name, stat.S_IFDIR, ROOT, path)
        entry.mode, entry.uid, entry.gid = stat.S_IFDIR | mode, uid, gid
        entry.shared = shared
        if read_only is not None:
            entry.read_only = read_only

    def furnish_programs(self, path: str, names: Collection[str]) -> None:
        """Create executable files in a folder."""
        folder, now = self._find(path, ROOT, True), self.now()
        self.take(ENTRY_COST * len(names), path)
        for name in names:
            self._link(folder, name, stat.S_IFREG | 0o755, ROOT_UID, now)

    def furnish_device(self, path: str) -> None:
        folder, name, _ = find_place(self._root, path, ROOT, False)
        self._add(folder, name, stat.S_IFCHR | 0o666, ROOT, path)

    def furnish_generated(self, path: str, generate: Callable[[], str]) -> None:
        """Create a file of the kernel, which returns a generated line."""
        folder, name, _ = find_place(self._root, path, ROOT, False)
        self._add(folder, name, stat.S_IFREG | 0o444, ROOT, path).generate = generate

    def furnish_mode(self, path: str, mode: int) -> None:
        """Change an entry's mode even if `chmod` has no effect, and make root its owner."""
        entry = self._find(path, ROOT, False)
        entry.mode = stat.S_IFMT(entry.mode) | mode
        entry.uid = entry.gid = ROOT_UID

    def furnish_link(self, target: str, path: str) -> None:
        """Create a link, even where programs cannot."""
        folder, name, _ = find_place(self._root, path, ROOT, False)
        self._add(folder, name, stat.S_IFLNK | 0o777, ROOT, path).target = target

    # Internal

    def _find(self, path: str, user: User, follow: bool) -> TreeEntry:
        return self._present(path, user, follow)[2]

    def _present(
        self, path: str, user: User, follow: bool = False
    ) -> tuple[TreeEntry, str, TreeEntry]:
        folder, name, entry = find_place(self._root, path, user, follow)
        if entry is None:
            raise failure(errno.ENOENT, path)
        return folder, name, entry

    def _add(self, folder: TreeEntry, name: str, mode: int, user: User, path: str) -> TreeEntry:
        _check_name(name, path)
        if not folder.linked:
            raise failure(errno.ENOENT, path)
        folder.demand_change(user, path)
        self.take(ENTRY_COST, path)
        return self._link(folder, name, mode, user.uid, self.now())

    def _link(self, folder: TreeEntry, name: str, mode: int, uid: int, now: float) -> TreeEntry:
        self._count += 1
        entry = TreeEntry(mode, uid, uid, now, self._count)
        entry.parent = folder
        entry.read_only = folder.read_only
        if folder.shared:
            entry.shared, entry.uid, entry.gid = True, ROOT_UID, SDCARD_RW
            entry.mode = stat.S_IFMT(mode) | (0o771 if stat.S_ISDIR(mode) else 0o660)
        folder.children[name] = entry
        folder.mtime = entry.mtime
        return entry

    def _drop(self, folder: TreeEntry, name: str, entry: TreeEntry) -> None:
        del folder.children[name]
        folder.mtime = self.now()
        entry.linked = False
        self.used -= ENTRY_COST
        self.release(entry)

    def release(self, entry: TreeEntry) -> None:
        # A removed file that is still open: the last close frees its space.
        if not entry.linked and not entry.opened:
            self.used -= len(entry.content)
            entry.content = bytearray()

    def take(self, amount: int, path: str) -> None:
        """Reserve space for that many bytes. Raises ENOSPC."""
        if self.used + amount > self.capacity:
            raise failure(errno.ENOSPC, path)
        self.used += amount

    def _demand_owner(self, folder: TreeEntry, entry: TreeEntry, user: User, path: str) -> None:
        if folder.read_only and user.uid != ROOT_UID:
            raise failure(errno.EROFS, path)
        if user.uid not in (ROOT_UID, entry.uid) and not entry.shared:
            raise failure(errno.EPERM, path)


def _check_name(name: str, path: str) -> None:
    if len(os.fsencode(name)) > NAME_MAX:
        raise failure(errno.ENAMETOOLONG, path)
