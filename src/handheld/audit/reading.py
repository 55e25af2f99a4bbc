"""Reads the record, while other processes may write to it."""

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from .database import explained, is_chained, lives, open_for_reading
from .entry import AuditEntry, AuditError, Dropped

_COLUMNS = (
    "id, at, phone, door, client, token, person, tool, arguments, state, result, milliseconds,"
    " note, elements, run"
)
CUT_OFF = "The process that made this call ended before it recorded how the call ended."
MOST_ENTRIES = 10_000


class AuditReader:
    """May be used from any thread. Raises AuditError."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def entries(
        self,
        after: int = 0,
        before: int | None = None,
        limit: int = 200,
        text: str = "",
        tool: str = "",
        phone: str = "",
        state: str = "",
        since: float = 0.0,
    ) -> list[AuditEntry]:
        """The latest `limit` matching entries, oldest first: ids above `after` and below `before`,
        `text` anywhere in them, begun at `since` or later."""
        dead = self._dead()
        shown = "CASE WHEN state = 'running' AND run IN ({}) THEN 'unknown' ELSE state END".format(
            ", ".join("?" * len(dead))
        )
        asked: list[tuple[str, list[Any]]] = [("id > ?", [after])]
        if before is not None:
            asked.append(("id < ?", [before]))
        if since:
            asked.append(("at >= ?", [since]))
        if tool:
            asked.append(("tool = ?", [tool]))
        if phone:
            asked.append(("phone = ?", [phone]))
        if state:
            asked.append((f"{shown} = ?", [*dead, state]))
        if text:
            where = "tool || ' ' || client || ' ' || token || ' ' || phone || ' ' || arguments"
            searched = f"instr(lower({where} || ' ' || result || ' ' || note), lower(?))"
            asked.append((searched, [text]))
        values = [value for _, given in asked for value in given]
        conditions = " AND ".join(condition for condition, _ in asked)
        # Built only from the fixed texts above; values are bound.
        statement = f"SELECT {_COLUMNS} FROM calls WHERE {conditions} ORDER BY id DESC LIMIT ?"  # noqa: S608
        rows = self._rows(statement, [*values, max(0, min(limit, MOST_ENTRIES))])
        return [_entry(row, dead) for row in reversed(rows)]

    def entry(self, id: int) -> AuditEntry | None:
        found = self.entries(after=id - 1, before=id + 1)
        return found[0] if found else None

    def pictures(self, id: int) -> tuple[bytes | None, bytes | None]:
        """The screen before and after."""
        rows = self._rows("SELECT which, jpeg FROM pictures WHERE call = ?", [id])
        found: dict[str, bytes] = dict(rows)
        return found.get("before"), found.get("after")

    def last_uses(self) -> dict[str, float]:
        """When each token was last used, by its name."""
        return dict(self._rows("SELECT token, max(at) FROM calls GROUP BY token", []))

    def dropped(self) -> list[Dropped]:
        """All dropped calls, by token and kind, with the latest ones last."""
        self._rows("SELECT 1", [])
        with self._lock, explained(self._file):
            return [] if self._connection is None else read_dropped(self._connection)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _dead(self) -> list[str]:
        rows = self._rows("SELECT DISTINCT run FROM calls WHERE state = 'running'", [])
        return [run for (run,) in rows if not lives(self._file, run)]

    def _rows(self, statement: str, values: list[Any]) -> list[Any]:
        with self._lock, explained(self._file):
            if self._connection is None:
                self._connection = open_for_reading(self._file)
                if self._connection is None:
                    return []
            return self._connection.execute(statement, values).fetchall()


def read_dropped(connection: sqlite3.Connection) -> list[Dropped]:
    if not is_chained(connection):
        return []
    rows = connection.execute(
        "SELECT token, act, calls, first, last, hash FROM groups WHERE calls > 0"
        # Otherwise another program changed the row, which the verification reports.
        " AND typeof(first) || typeof(last) || typeof(hash) = 'realrealblob' ORDER BY last"
    )
    return [
        Dropped(token, None if act is None else bool(act), calls, first, last, hash)
        for token, act, calls, first, last, hash in rows
    ]


def _entry(row: Any, dead: list[str]) -> AuditEntry:
    try:
        *start, arguments, state, result, milliseconds, note, elements, run = row
        if state == "running" and run in dead:
            state, note = "unknown", CUT_OFF
        id, at, phone, transport, client, token, person, tool = start
        return AuditEntry(
            id=id,
            at=at,
            phone=phone,
            transport=transport,
            client=client,
            token=token,
            person=bool(person),
            tool=tool,
            arguments=json.loads(arguments),
            state=state,
            result=tuple(json.loads(result)),
            milliseconds=milliseconds,
            note=note,
            elements=json.loads(elements),
        )
    except (ValueError, TypeError) as problem:
        raise AuditError(f"A record of a call cannot be read: {problem}.") from problem
