"""The chain of hashes over the record. Each link covers one change: a call that begins or ends, a
picture, calls that are dropped; and the link before it.

Anyone can compute the hashes. What they prove is that a record leads to a head: whoever kept one
where the record's writer cannot change it can tell later whether the record is still the same.
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
"""`before` and `after` are pictures; `lost`: when the record was opened, it lacked what its head
says."""
Value = str | bytes | float | int | None

BEGUN = "at, run, phone, door, client, token, person, tool, arguments, elements, act"
"""The columns of a call that its first link covers."""
ENDED = "state, result, milliseconds, note"
"""Those that its last link covers."""
DROPPED = "token, act, calls, links, first, last, hash"
"""The columns of a group, which its latest link of kind `drop` covers."""
NOTHING_DROPPED = (0, 0, None, None, b"")
"""What those after token and act are where nothing was."""
UNENDED = ("running", "[]", None, "")
"""What ENDED are before the end."""
FIRST = bytes(32)
"""The hash before the first link."""

_READS = 100
_HEAD = re.compile(r"(\d{1,1000}):([0-9a-f]{64})", re.ASCII)
_LARGEST = 10**18


class Head(NamedTuple):
    """The last link: how many there have been, and its hash."""

    seq: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash.hex()}"


def read_head(text: str) -> Head:
    """Parse what `str` makes of a head. Raises AuditError."""
    if not (found := _HEAD.fullmatch(text.strip())) or int(found[1]) >= _LARGEST:
        raise AuditError(f"{text[:100]!r} is no head, such as `handheld log --head` prints.")
    return Head(int(found[1]), bytes.fromhex(found[2]))


def encode(values: Iterable[Value]) -> bytes:
    """Bytes that no other values have."""
    lengths: list[int] = []
    parts: list[str] = []
    for value in values:
        if isinstance(value, str):
            parts.append(value)
            lengths.append(len(value))
        else:
            parts.append(repr(value))
            lengths.append(-len(parts[-1]))
    # Whatever another program wrote into the file is read as such surrogates.
    return f"{lengths}{''.join(parts)}".encode("utf-8", "surrogateescape")


def digest(data: bytes) -> bytes:
    # Half the time of SHA-256 where the processor has no instructions for that.
    return blake2b(data, digest_size=len(FIRST)).digest()


def link_hash(
    before: bytes, seq: int, kind: str, of: int, group: int, size: int, content: bytes
) -> bytes:
    link = f"{seq} {kind} {of} {group} {size}\n".encode("utf-8", "surrogateescape")
    return digest(b"".join((before, link, content)))


class HeadFile:
    """The head, beside the database: it tells when the end of the record is removed."""

    def __init__(self, file: Path) -> None:
        self.path = file.with_suffix(".head")
        self._handle: int | None = None

    def read(self) -> Head | None:
        """None if there is none, or something else. Raises OSError."""
        try:
            text = self._text()
            # Somebody may be writing: what was read twice is whole.
            for _ in range(_READS):
                last, text = text, self._text()
                if text == last:
                    return read_head(text)
        except (FileNotFoundError, AuditError):
            pass
        return None

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="replace")

    def write(self, head: Head) -> None:
        """After the commit, never before: the record may be ahead of its head, not behind it. For
        the same reason a failure is none of the call's, which is recorded."""
        data = f"{head.seq:018d}:{head.hash.hex()}\n".encode()
        with suppress(OSError):
            if self._handle is None:
                self._handle = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
                os.ftruncate(self._handle, len(data))  # whatever else was there
            os.pwrite(self._handle, data, 0)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
