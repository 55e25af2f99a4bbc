"""Writes the record of calls."""

import json
import logging
import threading
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import Any, cast
from weakref import WeakSet

from ..clock import SYSTEM_CLOCK, Clock
from ..compact_json import make_encoder
from ..screen.characters import replace_surrogates
from ..tools.call import ToolCall
from .database import Run, explained, lives, open_for_writing, remove_dead
from .entry import AuditEntry, AuditError, Dropped, State, Which
from .keeper import Keeper
from .masking import MASK, Masks, Remembered
from .reading import CUT_OFF, AuditReader
from .rows import RecordRows
from .subscription import EntrySubscription

TEXT_LIMIT = 20_000
"""Recorded characters of a reply, and of each argument."""
_NAME_LIMIT = 200
_MOST_ARGUMENTS = 100
_MOST_PENDING = 32
"""Ends that may wait while calls begin one after another."""
_MOST_ENDS = 10_000
"""Ends that may wait while they cannot be written."""
CUT_MARK = "… (the rest is not kept)"

_write = make_encoder()
_log = logging.getLogger(__name__)

_Values = tuple[Any, ...]


class AuditLog:
    """`begin`, `end` and `picture` belong to the thread of the event loop; the other methods may
    run in any thread. All raise AuditError."""

    def __init__(
        self,
        file: Path,
        *,
        masks: Masks | None = None,
        most_bytes: int = 100_000_000,
        most_days: int = 30,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.file = file
        self.masks = masks or Masks()
        self._clock = clock
        self._remembered = Remembered()
        self._connection = open_for_writing(file)
        try:
            self._run = Run(file)
        except BaseException:
            self._connection.close()
            raise
        self._rows = RecordRows(self._connection, file)
        self._lock = threading.Lock()
        self._open: dict[int, tuple[ToolCall, AuditEntry, _Values]] = {}
        self._unlinked: dict[int, _Values] = {}
        """The written values of calls that are not in the chain yet."""
        self._undecided: set[int] = set()
        """Acts that may still be refused. They are linked later."""
        self._ends: dict[int, tuple[_Values, _Values]] = {}
        """Ends that are not written yet, each with the written values of its call."""
        self._watchers: WeakSet[EntrySubscription] = WeakSet()
        self._reader = AuditReader(file)
        self._keeper = Keeper(file, most_bytes, most_days, clock)
        self._closed = False
        try:
            self._close_dead_runs()
            self._keeper.start()
        except BaseException:
            self.close()
            raise

    def begin(self, call: ToolCall, *, refused: bool = False, decided: bool = True) -> int:
        """Record a call that is about to run, and return its number. A `refused` call never runs
        and is kept no longer than a read. A call that is not `decided` may still be refused: it is
        linked only by `runs` or `end`, because its link covers whether it counts as an act."""
        caller, now = call.caller, self._clock.time()
        phone, client, token = _name(call.phone), _name(caller.client), _name(caller.token)
        tool = _name(call.tool)
        arguments = _bounded(self.masks.arguments(call))
        if secrets := self.masks.secrets(call):
            self._remembered.add(secrets)
        written = _json(arguments) if arguments else "{}"
        stood_for = self._remembered.clean_elements(call.elements)
        elements = _json(stood_for) if stood_for else "{}"
        person, act = int(caller.person), int(not refused and not call.listing.read_only)
        values = (
            *(now, self._run.name, phone, caller.transport, client, token, person, tool),
            *(written, elements, act),
        )
        if self._keeper.problem:
            raise AuditError(self._keeper.problem)
        with self._lock, explained(self.file):
            if len(self._ends) >= _MOST_PENDING:
                self._write()
            id = self._rows.insert(values)
            self._unlinked[id] = values
            if act and not decided:
                self._undecided.add(id)
        self._keeper.written(len(written))
        # Parameters by position take half the time of named ones.
        asked = (id, now, phone, caller.transport, client, token, caller.person, tool, arguments)
        entry = AuditEntry(*asked, "running", (), None, "", stood_for)
        self._open[id] = call, entry, values
        if self._watchers:
            self._notify(entry)
        return id

    def runs(self, id: int) -> None:
        """A call that was not decided now runs."""
        self._undecided.discard(id)

    def end(
        self,
        id: int,
        state: State,
        result: Sequence[str] = (),
        ms: float | None = None,
        note: str = "",
        *,
        hidden: bool = False,
        refused: bool = False,
    ) -> None:
        """Complete the record of a call; `hidden` masks its whole reply. `write_ends` writes the
        end, or a read here, or a long queue, whichever comes first. A `refused` call did not run
        and is kept no longer than a read."""
        if id not in self._open:
            return  # the log was closed meanwhile, which ended the call
        call, begun, values = self._open.pop(id)
        if hidden:
            texts = [MASK] * len(result)
        else:
            self._remembered.add(self.masks.replied_secrets(call, result))
            masked = self.masks.result(call, result, failed=state != "done")
            texts = _cut(list(map(self._remembered.clean, masked)))
        note, written = replace_surrogates(note), _json(texts)
        if id in self._undecided:
            with self._lock:
                if refused:
                    values = (*values[:-1], 0)
                    self._unlinked[id] = values
                self._undecided.discard(id)
        self._ends[id] = values, (state, written, None if ms is None else float(ms), note)
        if len(self._ends) > _MOST_ENDS:
            del self._ends[next(iter(self._ends))]
        self._keeper.written(len(written))
        if self._watchers:
            result = tuple(texts)
            ended = begun._replace(state=state, result=result, milliseconds=ms, note=note)
            self._notify(ended)

    def write_ends(self) -> None:
        """Write the pending ends. If this fails, the next call that begins writes them."""
        with self._lock, explained(self.file):
            self._write()

    def picture(self, id: int, which: Which, jpeg: bytes) -> None:
        with self._lock, explained(self.file):
            self._write()  # a picture must follow its call
            with self._rows:
                self._rows.picture(id, which, jpeg)
        self._keeper.written(len(jpeg))

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
        """See AuditReader."""
        self._catch_up()
        return self._reader.entries(after, before, limit, text, tool, phone, state, since)

    def entry(self, id: int) -> AuditEntry | None:
        self._catch_up()
        return self._reader.entry(id)

    def pictures(self, id: int) -> tuple[bytes | None, bytes | None]:
        return self._reader.pictures(id)

    def last_uses(self) -> dict[str, float]:
        return self._reader.last_uses()

    def dropped(self) -> list[Dropped]:
        return self._reader.dropped()

    def version(self) -> int:
        """A number that changes when another process writes to the record."""
        with self._lock, explained(self.file):
            return self._connection.execute("PRAGMA data_version").fetchone()[0]

    def subscribe(self, watcher: EntrySubscription | None = None) -> EntrySubscription:
        """Every entry from now on, both when it begins and when it ends."""
        watcher = watcher or EntrySubscription()
        self._watchers.add(watcher)
        return watcher

    def close(self) -> None:
        """Close the log. Calls that still run are recorded as unknown."""
        if self._closed:
            return
        self._closed = True
        try:
            with self._lock, explained(self.file):
                self._write()
                with self._rows:
                    self._rows.cut_off(self._run.name, CUT_OFF)
        except AuditError as problem:
            _log.warning("%s", problem)
        finally:
            self._open.clear()
            for watcher in list(self._watchers):
                watcher.close()
            self._keeper.stop()
            self._reader.close()
            self._rows.close()
            self._connection.close()
            self._run.end()

    def _notify(self, entry: AuditEntry) -> None:
        for watcher in list(self._watchers):
            watcher.put(entry)

    def _catch_up(self) -> None:
        """Write the pending ends before a read."""
        if self._ends:
            with suppress(AuditError):
                self.write_ends()

    def _write(self) -> None:
        """Write everything pending in one transaction: a commit takes longer than its contents."""
        if not self._ends and not self._unlinked:
            return
        ends, unlinked = self._ends.copy(), self._unlinked  # others may be added meanwhile
        undecided = {id: unlinked[id] for id in self._undecided.copy() if id in unlinked}
        with self._rows:
            for id, (begun, ended) in ends.items():
                self._rows.end(id, begun, ended, linked=id not in unlinked)
            for id, begun in unlinked.items():
                if id not in ends and id not in undecided:
                    self._rows.begin(id, begun)
        unlinked.clear()
        unlinked.update(undecided)
        for id in ends:
            self._ends.pop(id, None)

    def _close_dead_runs(self) -> None:
        with self._lock, explained(self.file):
            self._rows.resume()
            rows = self._connection.execute(
                "SELECT DISTINCT run FROM calls WHERE state = 'running'"
            ).fetchall()
            dead = [run for (run,) in rows if not lives(self.file, run)]
            if dead:
                with self._rows:
                    for run in dead:
                        self._rows.cut_off(run, CUT_OFF)
            remove_dead(self.file)


def _name(text: str) -> str:
    if text.isascii() and len(text) <= _NAME_LIMIT:
        return text
    kept = replace_surrogates(text[:_NAME_LIMIT])
    return kept if len(text) <= _NAME_LIMIT else f"{kept}…(+{len(text) - _NAME_LIMIT})"


def _json(value: Any) -> str:
    written = _write(value)
    return written if written.isascii() else replace_surrogates(written)


def _bounded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with long texts and large values shortened."""
    bounded: dict[str, Any] = {}
    for name, value in islice(arguments.items(), _MOST_ARGUMENTS):
        kept = _name(name)
        bounded[_unused(kept, bounded) if kept in bounded else kept] = _short(value)
    if more := len(arguments) - len(bounded):
        bounded[_unused("…", bounded)] = f"{more} more are not kept"
    return bounded


def _unused(name: str, taken: Container[str]) -> str:
    """A distinct name. Shortened names may be equal, and all their values must be recorded."""
    names = (name if number == 1 else f"{name} ({number})" for number in count(1))
    return next(one for one in names if one not in taken)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= TEXT_LIMIT else value[:TEXT_LIMIT] + CUT_MARK
    if not isinstance(value, dict | list):
        return value
    try:
        written = json.dumps(cast("Any", value), ensure_ascii=False)
    except RecursionError:
        return CUT_MARK
    return cast("Any", value) if len(written) <= TEXT_LIMIT else written[:TEXT_LIMIT] + CUT_MARK


def _cut(texts: Sequence[str]) -> list[str]:
    """The first characters of all texts together."""
    kept: list[str] = []
    left = TEXT_LIMIT
    for text in texts:
        kept.append(text if len(text) <= left else text[:left] + CUT_MARK)
        left -= len(text)
        if left <= 0:
            break
    return kept
