"""Changes the rows of the record, each with its link in the chain.

Values are read with their type. Another program may have written other types; these must not stop
the record, and the verification reports them.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from .chain import (
    BEGUN,
    DROPPED,
    ENDED,
    FIRST,
    ChainHead,
    HeadFile,
    Kind,
    Value,
    digest,
    encode,
    link_hash,
)
from .database import last_link
from .entry import Which

# Built from column names only; recorded values are bound.
_INSERT = f"INSERT INTO calls ({BEGUN}, {ENDED}) VALUES ({'?, ' * 11}'running', '[]', NULL, '')"  # noqa: S608
_CALL = f"SELECT {BEGUN} FROM calls WHERE id = ?"  # noqa: S608
_END = (
    "UPDATE calls SET state = ?, result = ?, milliseconds = ?, note = ?, act = ?"
    " WHERE id = ? AND state = 'running'"
)
_LINK = "INSERT INTO links (seq, kind, of, grp, bytes, hash) VALUES (?, ?, ?, ?, ?, ?)"
_ACT = 10
"""The index in BEGUN that says whether a call counts as an act."""
_GROUP = "SELECT id FROM groups WHERE token = ? AND act IS ?"
_GROUP_OF_CALL = "SELECT groups.id FROM calls JOIN groups USING (token, act) WHERE calls.id = ?"
"""None for a call from before the chain, which has no `act`."""


class RecordRows:
    """For one thread at a time. Everything happens in a `with` block, which is a transaction."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection = connection
        self._head = HeadFile(file)
        self._first = self._last = ChainHead(0, FIRST)
        """The chain at the start of the transaction, and now."""
        self._groups: dict[tuple[Value, Value], int] = {}

    # Not a generator: each call enters it.

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have written meanwhile.
            self._first = self._last = last_link(self._connection)
        except BaseException:
            self._undo()
            raise

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> None:
        if problem is not None:
            self._undo()
            return
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            self._undo()
            raise
        if self._last is not self._first:
            self._head.write(self._last)

    def _undo(self) -> None:
        self._groups.clear()  # some groups may be from this transaction
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def resume(self) -> None:
        """Compare the record with its head before anything is added. A loss is noted in the chain,
        because the next head would hide it."""
        with self:
            kept = self._head.read()
            lost = self._last.seq > 1 if kept is None else is_lost(self._connection, kept)
            if lost:
                self._append("lost", kept.seq if kept else 0, 0, ())
            last = self._last
        if kept is None:
            self._head.write(last)

    def insert(self, begun: Sequence[Value]) -> int:
        """Add a call with its BEGUN values, and return its id. `begin` or `end` links it later:
        this alone needs no block and takes a third of the time."""
        id = self._connection.execute(_INSERT, begun).lastrowid
        assert id is not None
        return id

    def begin(self, id: int, begun: Sequence[Value]) -> None:
        """Link a call, unless it was dropped meanwhile."""
        if self._connection.execute("SELECT 1 FROM calls WHERE id = ?", (id,)).fetchone():
            self._append("begin", id, self._group(begun), begun)

    def end(self, id: int, begun: Sequence[Value], ended: Sequence[Value], *, linked: bool) -> None:
        """Complete a call with its ENDED values, unless it was dropped meanwhile. `linked`: `begin`
        was called for it; otherwise its act value may have changed."""
        if self._connection.execute(_END, (*ended, begun[_ACT], id)).rowcount:
            group = self._group(begun)
            if not linked:
                self._append("begin", id, group, begun)
            self._append("end", id, group, ended)

    def picture(self, id: int, which: Which, jpeg: bytes) -> None:
        found = self._connection.execute(_GROUP_OF_CALL, (id,)).fetchone()
        if found is None:
            return
        add = "INSERT OR IGNORE INTO pictures (call, which, jpeg) VALUES (?, ?, ?)"
        if self._connection.execute(add, (id, which, jpeg)).rowcount:
            self._append(which, id, found[0], (digest(jpeg),), len(jpeg))

    def cut_off(self, run: str, note: str) -> None:
        """Close the calls that a process did not end."""
        ended = ("unknown", "[]", None, note)
        asked = "SELECT id, act FROM calls WHERE run = ? AND state = 'running'"
        for id, act in self._connection.execute(asked, (run,)).fetchall():
            if act is None:  # from before the chain
                self._connection.execute(_END, (*ended, None, id))
            else:
                self._link_late(id)
                self.end(id, self._begun(id), ended, linked=True)

    def _link_late(self, id: int) -> None:
        """Link a call that its process had no time to link."""
        begun = self._begun(id)
        asked = "SELECT 1 FROM links WHERE grp = ? AND of = ? AND kind = 'begin'"
        if not self._connection.execute(asked, (self._group(begun), id)).fetchone():
            self.begin(id, begun)

    def _begun(self, id: int) -> tuple[Value, ...]:
        return self._connection.execute(_CALL, (id,)).fetchone()

    def drop(self, ids: Sequence[int]) -> None:
        """Remove calls with everything that belongs to them, but never the newest: SQLite would
        assign its number again. Each group keeps a row that sums up its lost calls, with their
        hash."""
        [newest] = self._connection.execute("SELECT max(id) FROM calls").fetchone()
        groups: dict[tuple[str, int | None], list[tuple[int, float]]] = {}
        for id in ids:
            if id == newest:
                continue
            asked = "SELECT token, act, CAST(at AS REAL) FROM calls WHERE id = ?"
            for token, act, at in self._connection.execute(asked, (id,)):
                groups.setdefault((token, act), []).append((id, at))
                if act is not None:
                    self._link_late(id)
        for (token, act), calls in groups.items():
            self._drop_of_group(token, act, calls)

    def _drop_of_group(
        self, token: str, act: int | None, gone: Sequence[tuple[int, float]]
    ) -> None:
        """`gone` are their ids and times of begin."""
        connection = self._connection
        group = self._group_of(token, act)
        ids = [(id,) for id, _ in gone]
        links: list[tuple[int, bytes]] = []
        # 0 is the group's earlier losses: the new link covers them as well.
        for of in (0, *(id for (id,) in ids)):
            asked = "SELECT seq, CAST(hash AS BLOB) FROM links WHERE grp = ? AND of = ?"
            links += connection.execute(asked, (group, of)).fetchall()
        links.sort()
        asked = (
            "SELECT CAST(calls AS INTEGER), CAST(links AS INTEGER), CAST(first AS REAL),"
            " CAST(last AS REAL), CAST(hash AS BLOB) FROM groups WHERE id = ?"
        )
        calls, count, first, last, hash = connection.execute(asked, (group,)).fetchone()
        times = [at for _, at in gone] + [at for at in (first, last) if at is not None]
        dropped = (
            *(token, act, calls + len(ids), count + len(links), min(times), max(times)),
            digest(hash + b"".join(hash for _, hash in links)),
        )
        connection.execute(
            f"UPDATE groups SET ({DROPPED}) = (?, ?, ?, ?, ?, ?, ?) WHERE id = ?",  # noqa: S608
            (*dropped, group),
        )
        self._append("drop", 0, group, dropped)
        # When a link is removed, the next one keeps the removed hash, which its own hash covers.
        successors = [(hash, seq + 1) for seq, hash in links]
        connection.executemany("UPDATE links SET before = ? WHERE seq = ?", successors)
        connection.executemany("DELETE FROM links WHERE seq = ?", [(seq,) for seq, _ in links])
        connection.executemany("DELETE FROM pictures WHERE call = ?", ids)
        connection.executemany("DELETE FROM calls WHERE id = ?", ids)

    def _group(self, begun: Sequence[Value]) -> int:
        return self._group_of(begun[5], begun[_ACT])

    def _group_of(self, token: Value, act: Value) -> int:
        if (token, act) not in self._groups:
            found = self._connection.execute(_GROUP, (token, act)).fetchone()
            if found is None:
                add = "INSERT INTO groups (token, act) VALUES (?, ?) RETURNING id"
                found = self._connection.execute(add, (token, act)).fetchone()
            self._groups[token, act] = found[0]
        return self._groups[token, act]

    def _append(
        self, kind: Kind, of: int, group: int, values: Sequence[Value], size: int = 0
    ) -> None:
        """`size` is the stored size, if the values do not determine it."""
        content, seq = encode(values), self._last.seq + 1
        size = size or len(content)
        hash = link_hash(self._last.hash, seq, kind, of, group, size, content)
        self._connection.execute(_LINK, (seq, kind, of, group, size, hash))
        self._last = ChainHead(seq, hash)

    def close(self) -> None:
        self._head.close()


def is_lost(connection: sqlite3.Connection, head: ChainHead) -> bool:
    """Whether the record demonstrably does not lead to this head. The head's link itself may have
    been dropped since."""
    asked = "SELECT hash FROM links WHERE seq = ?"
    found = connection.execute(asked, (head.seq,)).fetchone()
    if found is None:
        asked = "SELECT before FROM links WHERE seq = ?"
        found = connection.execute(asked, (head.seq + 1,)).fetchone()
    if found is None:
        return head.seq > last_link(connection).seq
    return found[0] != head.hash
