"""The record of calls, as the process that makes them writes it."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from weakref import WeakSet

from ..call import Call
from ..ui.text import mend
from .database import Run, explained, lives, open_for_writing
from .entry import Entry, State, Which
from .masking import Masks
from .reading import CUT_OFF, AuditReader
from .subscription import Subscription

_INSERT = (
    "INSERT INTO calls (at, run, phone, door, client, token, person, tool, arguments, state,"
    " result, milliseconds, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '[]', NULL, '')"
)
_UPDATE = "UPDATE calls SET state = ?, result = ?, milliseconds = ?, note = ? WHERE id = ?"
_RESULT_LIMIT = 20_000
"""Characters of a reply that are kept, over all its texts."""
_ARGUMENTS_LIMIT = 20_000


class AuditLog:
    """`begin` and `end` are called in the event loop's thread; they cost some 50 µs. All methods
    raise AuditError."""

    def __init__(
        self,
        file: Path,
        *,
        masks: Masks | None = None,
        most_bytes: int = 100_000_000,
        most_days: int = 30,
    ) -> None:
        self._file = file
        self._masks = masks or Masks()
        self._connection = open_for_writing(file)
        try:
            self._run = Run(file)
        except BaseException:
            self._connection.close()
            raise
        self._lock = threading.Lock()
        self._open: dict[int, tuple[Call, Entry]] = {}
        self._watchers: WeakSet[Subscription] = WeakSet()
        self._reader = AuditReader(file)
        self._close_the_dead()

    def begin(self, call: Call) -> int:
        """Record a call that is about to run, and say which number it has."""
        caller, now = call.caller, time.time()
        arguments = self._masks.arguments(call)
        written = json.dumps(arguments, ensure_ascii=False)
        entry = Entry(
            id=0,
            at=now,
            phone=mend(call.phone),
            door=caller.door,
            client=mend(caller.client),
            token=mend(caller.token),
            person=caller.person,
            tool=mend(call.tool),
            arguments=arguments,
            state="running",
            result=(),
            milliseconds=None,
        )
        values = (
            now,
            self._run.name,
            entry.phone,
            entry.door,
            entry.client,
            entry.token,
            entry.person,
            entry.tool,
            mend(written),
        )
        with self._lock, explained(self._file):
            id = self._connection.execute(_INSERT, values).lastrowid
        assert id is not None
        entry = replace(entry, id=id)
        self._open[id] = call, entry
        self._tell(entry)
        return id

    def end(
        self,
        id: int,
        state: State,
        result: Sequence[str] = (),
        ms: float | None = None,
        note: str = "",
    ) -> None:
        """Complete the record of a call."""
        call, begun = self._open.pop(id)
        texts = self._masks.result(call, result, failed=state != "done")
        entry = replace(begun, state=state, result=tuple(texts), milliseconds=ms, note=note)
        written = mend(json.dumps(texts, ensure_ascii=False))
        with self._lock, explained(self._file):
            self._connection.execute(_UPDATE, (state, written, ms, mend(note), id))
        self._tell(entry)

    def picture(self, id: int, which: Which, jpeg: bytes) -> None:
        with self._lock, explained(self._file):
            self._connection.execute(
                "INSERT OR REPLACE INTO pictures (call, which, jpeg) VALUES (?, ?, ?)",
                (id, which, jpeg),
            )

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
    ) -> list[Entry]:
        """As AuditReader's; may be used from any thread."""
        return self._reader.entries(after, before, limit, text, tool, phone, state, since)

    def entry(self, id: int) -> Entry | None:
        return self._reader.entry(id)

    def pictures(self, id: int) -> tuple[bytes | None, bytes | None]:
        return self._reader.pictures(id)

    def subscribe(self) -> Subscription:
        """Each entry as it begins and as it ends, from now on."""
        watcher = Subscription()
        self._watchers.add(watcher)
        return watcher

    def close(self) -> None:
        """Calls that have no end by now get none."""
        try:
            with self._lock, explained(self._file):
                self._cut_off(self._run.name)
        finally:
            for watcher in self._watchers:
                watcher.close()
            self._reader.close()
            self._connection.close()
            self._run.end()

    def _tell(self, entry: Entry) -> None:
        for watcher in self._watchers:
            watcher.put(entry)

    def _close_the_dead(self) -> None:
        with self._lock, explained(self._file):
            rows = self._connection.execute(
                "SELECT DISTINCT run FROM calls WHERE state = 'running'"
            ).fetchall()
            for (run,) in rows:
                if not lives(self._file, run):
                    self._cut_off(run)

    def _cut_off(self, run: str) -> None:
        self._connection.execute(
            "UPDATE calls SET state = 'unknown', note = ? WHERE run = ? AND state = 'running'",
            (CUT_OFF, run),
        )
