"""Walks the chain of the record and reports everything that does not follow from it."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .chain import (
    BEGUN,
    DROPPED,
    ENDED,
    FIRST,
    NOTHING_DROPPED,
    UNENDED,
    ChainHead,
    HeadFile,
    Value,
    digest,
    encode,
    link_hash,
)
from .database import explained, is_chained, last_link, lives, open_for_reading
from .entry import Dropped
from .reading import read_dropped
from .rows import is_lost

_MOST_PROBLEMS = 20
"""Problems that are reported; further ones are only counted."""
# Another program may have written any type into a column.
_CALL = f"SELECT {BEGUN}, {ENDED} FROM calls WHERE id = ?"  # noqa: S608
_BEGUN_COUNT = len(BEGUN.split(","))


@dataclass
class Verification:
    head: ChainHead | None = None
    """None if nothing is chained yet."""
    calls: int = 0
    """Calls in the chain, and calls that have just begun."""
    unfinished: int = 0
    """Of these, calls without an end: they still run, or their process was killed."""
    old: int = 0
    """Calls from before the chain, which cannot be verified."""
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    problems: list[str] = field(default_factory=list[str])
    more: int = 0
    """Problems that are not reported."""

    def add(self, problem: str) -> None:
        if problem in self.problems:
            return
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more += 1


def verify(file: Path, kept: ChainHead | None = None) -> Verification:
    """Verify the record, and that it leads to the head `kept`. Other processes may write meanwhile.
    Raises AuditError."""
    found = Verification()
    with explained(file):
        # Read before the record, which may only be ahead of its head.
        head = HeadFile(file).read()
        connection = open_for_reading(file)
        if connection is None:
            if head or kept:
                found.add("The record is missing.")
            return found
        try:
            # The file's contents are compared byte for byte.
            connection.text_factory = as_it_is
            connection.execute("BEGIN")
            if is_chained(connection):
                _Walk(connection, found, file).verify()
                _compare(connection, found, head, kept)
            else:
                [found.old] = connection.execute("SELECT count(*) FROM calls").fetchone()
        finally:
            connection.close()
    return found


def read_tip(file: Path) -> ChainHead | None:
    """The current head of the record; None if nothing is chained. Raises AuditError."""
    with explained(file):
        connection = open_for_reading(file)
        if connection is None:
            return None
        try:
            return last_link(connection) if is_chained(connection) else None
        finally:
            connection.close()


def _compare(
    connection: sqlite3.Connection,
    found: Verification,
    head: ChainHead | None,
    kept: ChainHead | None,
) -> None:
    if head is None:
        found.add(
            "The head beside the record is missing or damaged: its last rows may have been removed."
        )
    elif is_lost(connection, head):
        found.add(
            f"The record does not lead to the head beside it, {head}: rows were removed from its"
            " end, the record was replaced, or the machine crashed before they were on the disk."
        )
    if kept is None:
        return
    if is_lost(connection, kept):
        found.add(f"The record does not lead to the head {kept}: it was changed later.")
    elif connection.execute("SELECT 1 FROM links WHERE seq = ?", (kept.seq,)).fetchone() is None:
        asked = "SELECT before FROM links WHERE seq = ?"
        if connection.execute(asked, (kept.seq + 1,)).fetchone() is None:
            found.add(f"The rows around the head {kept} were dropped: it cannot be compared.")


class _Walk:
    def __init__(self, connection: sqlite3.Connection, found: Verification, file: Path) -> None:
        self._connection = connection
        self._found = found
        self._file = file
        self._groups: dict[int, tuple[Any, ...]] = {
            row[0]: row[1:]
            for row in connection.execute(f"SELECT id, {DROPPED} FROM groups")  # noqa: S608
        }
        self._unended: set[int] = set()
        self._used: set[int] = set()
        """Groups that have a link."""
        self._told: set[int] = set()
        """Groups whose drops have a link."""
        self._pictures = 0
        self._start: int | None = None

    def verify(self) -> None:
        connection, found = self._connection, self._found
        count, at, before = 0, 0, FIRST
        asked = "SELECT seq, kind, of, grp, bytes, hash, before FROM links ORDER BY seq"
        for seq, kind, of, group, size, hash, kept in connection.execute(asked):
            if seq == at + 1:
                if kept is not None:
                    found.add(f"Link {seq} of the chain was changed.")
            elif kept is None:
                found.add(
                    f"{_range(at + 1, seq - 1)} of the chain {_are(at + 1, seq - 1)} missing."
                )
            else:
                before = kept if isinstance(kept, bytes) else FIRST
            content = self._content(seq, kind, of, group)
            if content is not None:
                covered = link_hash(before, seq, kind, of, group, size, content)
                if covered != hash:
                    found.add(f"{_what(seq, kind, of)} was changed.")
            count, at, before = count + 1, seq, hash if isinstance(hash, bytes) else FIRST
        found.head = ChainHead(at, before)
        self._check_rest(count, at)

    def _content(self, seq: int, kind: str, of: int, group: int) -> bytes | None:
        """The bytes that the link covers; None if they are missing, which is reported."""
        self._used.add(group)
        values: tuple[Value, ...] | None = None
        match kind:
            case "start":
                self._start = of
                return encode(())
            case "lost":
                said = f"its head said {of} links" if of else "its head was missing or damaged"
                self._found.add(
                    f"When the record was opened at link {seq}, {said}: rows had been removed"
                    " from its end, the record had been replaced, or the machine had crashed."
                )
                return encode(())
            case "begin":
                values = self._call(of)
                if values is not None:
                    self._found.calls += 1
                    self._unended.add(of)
                    self._check_group(of, group, values)
                    values = values[:_BEGUN_COUNT]
            case "end":
                values = self._call(of)
                self._unended.discard(of)
                values = values and values[_BEGUN_COUNT:]
            case "before" | "after":
                asked = "SELECT jpeg FROM pictures WHERE call = ? AND which = ?"
                row = self._connection.execute(asked, (of, kind)).fetchone()
                if row is not None:
                    self._pictures += 1
                    values = (digest(row[0]) if isinstance(row[0], bytes) else b"",)
            case "drop":
                values = self._groups.get(group)
                self._told.add(group)
            case _:
                pass
        if values is None:
            self._found.add(f"{_what(seq, kind, of)} is missing.")
            return None
        return encode(values)

    def _call(self, id: int) -> tuple[Value, ...] | None:
        return self._connection.execute(_CALL, (id,)).fetchone()

    def _check_group(self, id: int, group: int, values: tuple[Value, ...]) -> None:
        """Check that the token and the kind match the group."""
        if (values[5], values[10]) != self._groups.get(group, ())[:2]:
            self._found.add(f"Call {id} was changed.")

    def _check_rest(self, count: int, last: int) -> None:
        """Check what no link covers: additional rows and missing links."""
        connection, found = self._connection, self._found
        for id in self._unended:
            values = self._call(id)
            if values is not None and values[_BEGUN_COUNT:] != UNENDED:
                found.add(f"Call {id} was changed.")
        found.unfinished = len(self._unended)
        dropped = 0
        for id, (token, _, *told) in self._groups.items():
            dropped += told[1] if isinstance(told[1], int) else 0
            if id not in self._used or (id not in self._told and tuple(told) != NOTHING_DROPPED):
                found.add(f"The dropped calls of {token} were changed.")
        if count + dropped != last:
            found.add(
                f"The chain has {count} links, and {dropped} were dropped: that does not add up"
                f" to {last}."
            )
        if self._start is None:
            found.add("The first link of the chain is missing.")
            return
        old = (self._start,)
        [found.old] = connection.execute("SELECT count(*) FROM calls WHERE id <= ?", old).fetchone()
        for id, state, run in self._unlinked():
            if state != "running":
                found.add(f"Call {id} was added: no link covers it.")
                continue
            found.calls += 1
            found.unfinished += 1
            if not (isinstance(run, str) and lives(self._file, run)):
                found.add(
                    f"No link covers call {id}: its process was killed before it wrote one, or"
                    " the call was added."
                )
        [pictures] = connection.execute(
            "SELECT count(*) FROM pictures WHERE call > ?", old
        ).fetchone()
        if pictures != self._pictures:
            found.add("There are pictures that no link covers.")
        found.dropped = read_dropped(connection)

    def _unlinked(self) -> Iterator[tuple[int, Value, Value]]:
        """Calls that have just begun, whose links are written together, and others."""
        asked = (
            "SELECT id, state, run FROM calls WHERE id > ? AND id NOT IN"
            " (SELECT of FROM links WHERE kind = 'begin')"
        )
        yield from self._connection.execute(asked, (self._start,))


def as_it_is(data: bytes) -> str:
    """Text of the file, whatever another program has written."""
    return data.decode("utf-8", "surrogateescape")


def _what(seq: int, kind: str, of: int) -> str:
    match kind:
        case "begin" | "end":
            return f"Call {of}"
        case "before" | "after":
            return f"The picture {kind} call {of}"
        case "drop":
            return f"The drop in link {seq}"
        case _:
            return f"Link {seq} of the chain"


def _range(first: int, last: int) -> str:
    return f"Link {first}" if first == last else f"Links {first} to {last}"


def _are(first: int, last: int) -> str:
    return "is" if first == last else "are"
