"""The chain of hashes over the record.

Each link covers the link before it and one change: a call that begins or ends, a picture, or calls
that are dropped. Anyone can compute the hashes. They prove that a record leads to a head: a head
kept out of reach of the record's writer shows later whether the record is unchanged.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

from .entry import AuditError

Kind = Literal["start", "begin", "end", "before", "after", "drop", "lost"]
"""`before` and `after` are pictures; `lost` means that the opened record lacked links that its head
names."""
Value = str | bytes | float | int | None

BEGUN = "at, run, phone, door, client, token, person, tool, arguments, elements, act"
"""The columns of a call that its first link covers."""
ENDED = "state, result, milliseconds, note"
"""The columns of a call that its last link covers."""
DROPPED = "token, act, calls, links, first, last, hash"
"""The columns of a group, which its latest link of kind `drop` covers."""
NOTHING_DROPPED = (0, 0, None, None, b"")
"""The values of a group's columns after token and act while nothing is dropped."""
UNENDED = ("running", "[]", None, "")
"""The values of ENDED before the call ends."""
FIRST = bytes(32)
"""The hash before the first link."""

_READS = 100
_HEAD = re.compile(r"(\d{1,1000}):([0-9a-f]{64})", re.ASCII)
_LARGEST = 10**18


class ChainHead(NamedTuple):
    """The last link: its number and its hash."""

    seq: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash.hex()}"


def read_head(text: str) -> ChainHead:
    """Parse the string form of a head. Raises AuditError."""
    if not (found := _HEAD.fullmatch(text.strip())) or int(found[1]) >= _LARGEST:
        raise AuditError(f"{text[:100]!r} is no head, such as `handheld log --head` prints.")
    return ChainHead(int(found[1]), bytes.fromhex(found[2]))


def encode(values: Iterable[Value]) -> bytes:
    """Encode values unambiguously: no two sequences of values have the same bytes."""
    lengths: list[int] = []
    parts: list[str] = []
    for value in values:
        if isinstance(value, str):
            parts.append(value)
            lengths.append(len(value))
        else:
            parts.append(repr(value))
            lengths.append(-len(parts[-1]))
    # Bytes that are not UTF-8, which only another program can have written, were read as
    # surrogates.
    return f"{lengths}{''.join(parts)}".encode("utf-8", "surrogateescape")


def digest(data: bytes) -> bytes:
    # Takes half as long as SHA-256 on processors without instructions for that.
    return blake2b(data, digest_size=len(FIRST)).digest()


def link_hash(
    before: bytes, seq: int, kind: str, of: int, group: int, size: int, content: bytes
) -> bytes:
    link = f"{seq} {kind} {of} {group} {size}\n".encode("utf-8", "surrogateescape")
    return digest(b"".join((before, link, content)))


class HeadFile:
    """The head, in a file next to the database. It shows when rows are removed from the end of the
    record."""

    def __init__(self, file: Path) -> None:
        self.path = file.with_suffix(".head")
        self._handle: int | None = None

    def read(self) -> ChainHead | None:
        """None if the file is missing or holds something else. Raises OSError."""
        try:
            text = self._text()
            # Another process may be writing: two equal reads are a complete head.
            for _ in range(_READS):
                last, text = text, self._text()
                if text == last:
                    return read_head(text)
        except (FileNotFoundError, AuditError):
            pass
        return None

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="replace")

    def write(self, head: ChainHead) -> None:
        """Write after the commit, never before: the record may be ahead of its head, but never
        behind it. A failure here therefore does not fail the call, which is recorded."""
        data = f"{head.seq:018d}:{head.hash.hex()}\n".encode()
        with suppress(OSError):
            if self._handle is None:
                self._handle = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
                os.ftruncate(self._handle, len(data))  # in case the file was longer
            os.pwrite(self._handle, data, 0)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
