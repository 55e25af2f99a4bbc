"""Keeps the record within its limits of size and age, in a separate thread.

Only this thread waits for the disk. It deletes in small pieces, so a call that begins meanwhile
waits for at most one piece.
"""

import logging
import sqlite3
import threading
import time
from pathlib import Path

from ..clock import Clock
from .database import WAL_BYTES, explained, open_for_writing
from .entry import AuditError
from .rows import RecordRows
from .shares import AuditShares

_ROUND_SECONDS = 300.0
_AGAIN_SECONDS = 0.2
"""The pause after a failed round: the disk may have been full only briefly."""
_ROUND_WRITES = 500
_PIECE = 32
"""Calls, with their pictures, that are deleted at a time."""
_PAGES = 256
"""Pages that are returned to the disk at a time."""
_DAY = 86_400.0
_FULL = 0.9
"""The share of the allowed size that remains in use after a deletion."""
_SLACK = 0.25
"""The unused space that the file may keep, as a share of the used space."""

_log = logging.getLogger(__name__)


class Keeper:
    def __init__(self, file: Path, most_bytes: int, most_days: int, clock: Clock) -> None:
        self._file = file
        # Created once: pathlib keeps the parts of every path in Python's table of interned strings.
        self._log = file.with_name(f"{file.name}-wal")
        self._clock = clock
        self._most_bytes = most_bytes
        self._most_days = most_days
        self._round_bytes = min(WAL_BYTES // 2, most_bytes // 8)
        self._writes = self._bytes = 0
        self._due = threading.Event()
        self._ended = False
        self.problem = ""
        """Why the last round failed. No call may be added while it is set: additions stay in the
        write-ahead log until a round moves them, and a log that has filled the disk could no longer
        be moved."""
        self._thread = threading.Thread(target=self._keep, name="handheld audit", daemon=True)

    def start(self) -> None:
        self._due.set()
        self._thread.start()

    def written(self, size: int) -> None:
        """Count appended bytes."""
        self._writes += 1
        self._bytes += size
        if self._writes >= _ROUND_WRITES or self._bytes >= self._round_bytes:
            self._writes = self._bytes = 0
            self._due.set()

    def stop(self) -> None:
        """Stop after a last round."""
        self._ended = True
        self._due.set()
        if self._thread.is_alive():
            self._thread.join()

    def _keep(self) -> None:
        connection: sqlite3.Connection | None = None
        try:
            while True:
                if self.problem:
                    time.sleep(0 if self._ended else _AGAIN_SECONDS)
                else:
                    self._due.wait(_ROUND_SECONDS)
                self._due.clear()
                last = self._ended
                try:
                    connection = connection or open_for_writing(self._file)
                    with explained(self._file):
                        self._tidy(connection)
                except AuditError as problem:
                    if not self.problem:
                        _log.warning("%s", problem)
                    self.problem = str(problem)
                else:
                    self.problem = ""
                if last:
                    return
        finally:
            if connection is not None:
                connection.close()

    def _tidy(self, connection: sqlite3.Connection) -> None:
        # This comes first: without room on the disk, nothing can be dropped before the log is
        # emptied.
        self._empty_log(connection, above=0)
        rows = RecordRows(connection, self._file)
        try:
            now = self._clock.time()
            while ids := _too_old(connection, now - self._most_days * _DAY, now):
                self._drop(rows, ids, connection)
            used, free = _sizes(connection)
            if used + free > self._most_bytes:
                shares = AuditShares(connection)
                while used > self._most_bytes * _FULL and (ids := shares.next(_PIECE)):
                    self._drop(rows, ids, connection)
                    used, free = _sizes(connection)
        finally:
            rows.close()
        if used + free > self._most_bytes or free > used * _SLACK:
            while _sizes(connection)[1]:
                connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
                self._empty_log(connection)
        self._empty_log(connection, above=0)

    def _drop(self, rows: RecordRows, ids: list[int], connection: sqlite3.Connection) -> None:
        with rows:
            rows.drop(ids)
        self._empty_log(connection)

    def _empty_log(self, connection: sqlite3.Connection, above: int = WAL_BYTES) -> None:
        """Move the write-ahead log into the file if it is larger than `above`. Deleting a call
        takes more of the log than the call did."""
        if self._log_bytes() > above:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if self._log_bytes() > WAL_BYTES:
            # Little is left to move now, so writers wait only briefly.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _log_bytes(self) -> int:
        try:
            return self._log.stat().st_size
        except FileNotFoundError:
            return 0


def _too_old(connection: sqlite3.Connection, before: float, now: float) -> list[int]:
    """A piece of the oldest calls, of those that began before `before`."""
    others = "FROM calls WHERE id < (SELECT max(id) FROM calls)"  # `RecordRows` keeps the newest
    asked = f"SELECT id, CAST(at AS REAL) {others} ORDER BY id LIMIT ?"
    rows = connection.execute(asked, [_PIECE]).fetchall()
    ids = [id for id, at in rows if at < before]
    if not ids and rows and rows[0][1] > now:
        # The clock was ahead when the oldest call began, so later calls may be older.
        asked = f"SELECT id {others} AND CAST(at AS REAL) < ? ORDER BY id LIMIT ?"
        ids = [id for (id,) in connection.execute(asked, [before, _PIECE])]
    return ids


def _sizes(connection: sqlite3.Connection) -> tuple[int, int]:
    """The file's used and unused bytes."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size, free * size
