"""The media provider's index of files, which galleries and players show.

Android scans at boot, and later only on request. Until then, a file written by a program that is
not an app appears in no gallery.
"""

import stat

from .entry import ROOT
from .tree import FileTree

PRIMARY = "/storage/emulated/0"


class Refused(Exception):
    """The media provider threw an exception."""


class MediaIndex:
    def __init__(self, files: FileTree, volumes: tuple[str, ...]) -> None:
        self._files = files
        self._volumes = (PRIMARY, *volumes)
        self._rows: dict[str, int] = {}
        self._last = 0
        self.refusal: str | None = None
        """Set by a test: why the provider refuses all calls."""
        self.hangs = False
        """Set by a test: whether the provider never answers."""
        self.scan_all()

    @property
    def rows(self) -> dict[str, int]:
        """The id of each file, including files deleted since the last scan."""
        return dict(self._rows)

    def scan_all(self) -> None:
        """Scan all files, as at boot."""
        self._rows = {path: number for path, number in self._rows.items() if self._is_file(path)}
        for volume in self._volumes:
            for path in self._walk(volume):
                self.scan(path)

    def scan(self, path: str) -> int | None:
        """Scan one file; return its id, or None if it cannot be indexed. Raises Refused."""
        if self.refusal is not None:
            raise Refused(self.refusal)
        path = self._files.real_path(path, ROOT)
        inside = any(path.startswith(f"{volume}/") for volume in self._volumes)
        if not inside or "/." in path or not self._is_file(path):
            self._rows.pop(path, None)
            return None
        if path not in self._rows:
            self._last += 1
            self._rows[path] = self._last
        return self._rows[path]

    def _is_file(self, path: str) -> bool:
        try:
            return stat.S_ISREG(self._files.stat(path, user=ROOT).mode)
        except OSError:
            return False

    def _walk(self, folder: str) -> list[str]:
        found: list[str] = []
        for name in self._files.list(folder, ROOT):
            path = f"{folder}/{name}"
            if stat.S_ISDIR(self._files.stat(path, follow=False, user=ROOT).mode):
                found += self._walk(path)
            else:
                found.append(path)
        return found
