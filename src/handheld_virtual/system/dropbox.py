"""Android's drop box, which keeps reports of crashes and hangs under tags for three days."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from .android import Android

AGE = timedelta(days=3)
MOST_ENTRIES = 1000
_BLOCK = 4096
_LARGE_BLOCK = 16_384
_QUOTA = 5 * 1024 * 1024
_LARGE_QUOTA = 10 * 1024 * 1024
_GZIP_EXTRA = 18
"""The overhead of a gzip file in bytes, beyond that of zlib."""
FOLDER = "/data/system/dropbox"


@dataclass(frozen=True)
class DropEntry:
    time: datetime
    tag: str
    text: str
    compressed: bool

    @cached_property
    def size(self) -> int:
        """The size of the entry's file."""
        data = self.text.encode(errors="replace")
        return len(zlib.compress(data)) - 6 + _GZIP_EXTRA if self.compressed else len(data)

    @property
    def path(self) -> str:
        ms = int(self.time.timestamp() * 1000 + 0.5)
        return f"{FOLDER}/{self.tag}@{ms}.txt{'.gz' if self.compressed else ''}"


class DropBox:
    def __init__(self, now: Callable[[], datetime], android: Android) -> None:
        self._now = now
        self._block = _LARGE_BLOCK if android.dropbox_larger else _BLOCK
        self._quota = _LARGE_QUOTA if android.dropbox_larger else _QUOTA
        self._entries: list[DropEntry] = []

    def add(self, tag: str, text: str) -> None:
        """Add an entry. Each has a unique time, because the time is part of its file name."""
        now = self._now()
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        taken = {entry.time for entry in self._entries}
        while now in taken:
            now += timedelta(milliseconds=1)
        compressed = len(text.encode(errors="replace")) >= self._block
        self._entries.append(DropEntry(now, tag, text, compressed))
        self._entries.sort(key=lambda entry: entry.time)

    def entries(self) -> list[DropEntry]:
        """The entries, oldest first, without those over the limits of age and number."""
        oldest = self._now() - AGE
        kept = [entry for entry in self._entries if entry.time >= oldest][-MOST_ENTRIES:]
        size = sum(entry.size for entry in kept)
        while size > self._quota:
            size -= kept.pop(0).size
        self._entries = kept
        return list(kept)

    def clear(self) -> None:
        self._entries.clear()
