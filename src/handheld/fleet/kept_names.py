"""Which host had a name first, kept for the next process of a gateway: a host that takes another's
name while the gateway is down must not get calls meant for the other."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any, cast

from ..clock import SYSTEM_CLOCK, Clock
from ..settings.private_file import private_folder, write_private
from .nats.directory import Directory
from .nats.names import is_member_id

KEEP_EVERY = 2.0
_MOST = 100_000

log = logging.getLogger(__name__)


class KeptNames:
    """Create it before the directory is read."""

    def __init__(self, directory: Directory, file: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self._directory = directory
        self._file = file
        self._clock = clock
        self._kept = _load(file)
        directory.recall(self._kept)

    async def run(self) -> None:
        """Save them until cancelled."""
        await self._directory.complete.wait()
        while True:
            owners = dict(self._directory.owners)
            if owners != self._kept:
                try:
                    await asyncio.to_thread(self._write, owners)
                    self._kept = owners
                except OSError as problem:
                    log.warning("%s cannot be written: %s", self._file, problem.strerror)
            await self._clock.sleep(KEEP_EVERY)

    def _write(self, owners: dict[str, str]) -> None:
        private_folder(self._file.parent)
        write_private(self._file, json.dumps(owners).encode())


def _load(file: Path) -> dict[str, str]:
    """Unreadable entries are left out: the first host to appear then has the name."""
    try:
        read: Any = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(read, dict):
        return {}
    kept = cast("dict[str, Any]", read)
    return {name: host for name, host in list(kept.items())[:_MOST] if is_member_id(str(host))}
