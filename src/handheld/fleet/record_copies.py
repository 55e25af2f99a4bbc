"""Copies a host's record to the engine, in the background. Its own record has a call before the
call runs, with or without the engine."""

import asyncio
import json
import logging
import secrets
from contextlib import suppress
from pathlib import Path

from ..audit.chain import FIRST, ChainHead, read_head
from ..audit.copies import MOST_IN_ONE, Copy, pack_copies
from ..audit.entry import AuditError
from ..audit.links import LinkReader
from ..clock import SYSTEM_CLOCK, Clock
from ..settings.private_file import write_private
from .nats.audit_stream import AuditStream
from .nats.jetstream import KvError
from .nats.wire import EngineWire, WireFault

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds until a call that has begun or ended is copied."""
_NOTHING = ChainHead(0, FIRST)


class RecordCopies:
    """`name` is this host's name for people, and `record` is its file."""

    def __init__(
        self, wire: EngineWire, name: str, record: Path, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._name = name
        self._host = wire.id
        self._stream = AuditStream(wire, clock)
        self._reader = LinkReader(record)
        self._file = record.with_suffix(".copied")
        self._clock = clock
        self._problem = ""
        self._series, self._last = self._recall()

    async def run(self) -> None:
        """Copy until cancelled."""
        try:
            while True:
                try:
                    while await self.copy():
                        pass
                    self._problem = ""
                except (WireFault, KvError, AuditError) as problem:
                    if str(problem) != self._problem:
                        log.warning("The record is not copied to the engine: %s", problem)
                    self._problem = str(problem)
                await self._clock.sleep(LOOK_EVERY)
        finally:
            self.close()

    def close(self) -> None:
        self._reader.close()

    async def copy(self) -> bool:
        """Copy the next links. Returns whether there were any. Raises WireError, KvError and
        AuditError."""
        links = await asyncio.to_thread(self._reader.read, self._last, MOST_IN_ONE)
        if links is None:
            # Readers learn that the next copies do not follow from the earlier ones.
            self._series, self._last = _new_series(), _NOTHING
            return True
        after = [self._last.seq, *(link.seq for link in links)]
        copies = (Copy(self._name, *each) for each in zip(after, links, strict=False))
        try:
            for data, first, last in pack_copies(copies):
                id = f"{self._host}-{self._series}-{first.seq}-{last.seq}"
                await self._stream.append(data, id)
                self._last = ChainHead(last.seq, last.hash)
        finally:
            if links:
                self._keep()
        return bool(links)

    def _recall(self) -> tuple[str, ChainHead]:
        """Where the last process ended. If that is unknown, everything is copied again, which
        readers recognise."""
        with suppress(OSError, ValueError, KeyError, TypeError, AuditError):
            read = json.loads(self._file.read_text(encoding="utf-8"))
            if read["host"] == self._host:
                return str(read["series"]), read_head(read["last"])
        return _new_series(), _NOTHING

    def _keep(self) -> None:
        kept = {"host": self._host, "series": self._series, "last": str(self._last)}
        try:
            write_private(self._file, json.dumps(kept).encode())
        except OSError as problem:
            raise AuditError(f"{self._file} cannot be written: {problem.strerror}.") from problem


def _new_series() -> str:
    """A part of the copies' ids that no other host can guess."""
    return secrets.token_hex(8)
