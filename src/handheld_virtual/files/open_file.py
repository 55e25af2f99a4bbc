"""Open files of programs."""

import errno
import stat
from types import TracebackType
from typing import TYPE_CHECKING

from .entry import TreeEntry, failure

if TYPE_CHECKING:
    from .tree import FileTree


class OpenFile:
    """A file opened for reading or writing. As on Linux, it sees later changes of the file."""

    def __init__(self, tree: "FileTree", entry: TreeEntry, path: str) -> None:
        self._tree = tree
        self._entry = entry
        self._path = path
        self._offset = 0
        self._closed = False
        self._generated = None if entry.generate is None else f"{entry.generate()}\n".encode()
        entry.opened += 1

    def read(self, limit: int = 65536) -> bytes:
        if self._entry.is_folder:
            raise failure(errno.EISDIR, self._path)
        content = self._entry.content if self._generated is None else self._generated
        data = bytes(memoryview(content)[self._offset : self._offset + limit])
        self._offset += len(data)
        return data

    def write(self, data: bytes) -> None:
        """Append all of `data`, or nothing with ENOSPC."""
        if stat.S_ISCHR(self._entry.mode):
            return
        self._tree.take(len(data), self._path)
        self._entry.content += data
        self._entry.mtime = self._tree.now()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._entry.opened -= 1
            self._tree.release(self._entry)

    def __enter__(self) -> "OpenFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
