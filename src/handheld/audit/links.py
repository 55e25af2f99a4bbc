"""Reads the links of the chain with the values that they cover, for copies of the record."""

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .chain import BEGUN, DROPPED, ENDED, FIRST, ChainHead, Value, digest
from .database import explained, is_chained, open_for_reading
from .rows import is_lost
from .verification import as_it_is

# Built from column names only.
_BEGUN = f"SELECT {BEGUN} FROM calls WHERE id = ?"  # noqa: S608
_ENDED = f"SELECT {ENDED} FROM calls WHERE id = ?"  # noqa: S608
_DROPPED = f"SELECT {DROPPED} FROM groups WHERE id = ?"  # noqa: S608
# If the previous link was dropped, its hash is kept with this one.
_LINKS = (
    "SELECT links.seq, CAST(links.kind AS TEXT), CAST(links.of AS INTEGER),"
    " CAST(links.grp AS INTEGER), CAST(links.bytes AS INTEGER),"
    " CAST(coalesce(links.before, former.hash, x'') AS BLOB), CAST(links.hash AS BLOB)"
    " FROM links LEFT JOIN links AS former ON former.seq = links.seq - 1"
    " WHERE links.seq > ? ORDER BY links.seq LIMIT ?"
)


class RecordLink(NamedTuple):
    seq: int
    kind: str
    of: int
    """The call."""
    group: int
    size: int
    before: bytes
    """The hash of the link before."""
    hash: bytes
    values: tuple[Value, ...] | None
    """The values it covers; None if they are missing."""


class LinkReader:
    """May be used from any thread. Raises AuditError."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def read(self, after: ChainHead, most: int) -> Sequence[RecordLink] | None:
        """The links after `after`; None if the record does not lead to it."""
        with self._lock, explained(self._file):
            if self._connection is None:
                self._connection = open_for_reading(self._file)
            connection = self._connection
            if connection is None or not is_chained(connection):
                return None if after.seq else ()
            connection.text_factory = as_it_is
            # This snapshot still contains what is dropped meanwhile.
            connection.execute("BEGIN")
            try:
                if after.seq and is_lost(connection, after):
                    return None
                rows = connection.execute(_LINKS, (after.seq, most)).fetchall()
                return [_link(connection, row) for row in rows]
            finally:
                connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _link(
    connection: sqlite3.Connection, row: tuple[int, str, int, int, int, bytes, bytes]
) -> RecordLink:
    seq, kind, of, group, size, before, hash = row
    values: tuple[Value, ...] | None = None
    match kind:
        case "begin":
            values = connection.execute(_BEGUN, (of,)).fetchone()
        case "end":
            values = connection.execute(_ENDED, (of,)).fetchone()
        case "before" | "after":
            asked = "SELECT CAST(jpeg AS BLOB) FROM pictures WHERE call = ? AND which = ?"
            picture = connection.execute(asked, (of, kind)).fetchone()
            values = picture and (digest(picture[0]),)
        case "drop":
            values = connection.execute(_DROPPED, (group,)).fetchone()
        case _:
            values = ()
    return RecordLink(seq, kind, of, group, size, before or FIRST, hash, values)
