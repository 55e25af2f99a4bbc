"""How many messages may be sent without a question: so many in an hour, over all processes.

The times are kept in a file of this user, so that a process that is started again, which an agent
may do, has no new ones.
"""

import fcntl
import json
from pathlib import Path
from typing import cast

from ..clock import SYSTEM_CLOCK, Clock
from ..settings.private_file import private_folder, write_private

HOUR = 3600.0
_LONGEST = 100_000
"""Bytes of the file; it never has more than the greatest number of an hour."""


class Allowance:
    def __init__(self, file: Path, most: int, clock: Clock = SYSTEM_CLOCK) -> None:
        self.most = most
        self._file = file
        self._clock = clock

    def take(self) -> bool:
        """Use one up; False if none is left, or if that cannot be known."""
        try:
            private_folder(self._file.parent)
            with self._file.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                now, since = self._clock.time(), self._clock.now()
                # By either clock: that of the wall is set forward, the other begins anew at a
                # start of the computer. Set back, it must not keep them for longer than an hour.
                used = [
                    (min(wall, now), steady)
                    for wall, steady in self._read()
                    if wall > now - HOUR or since - HOUR < steady <= since
                ]
                left = len(used) < self.most
                write_private(
                    self._file, json.dumps([*used, (now, since)] if left else used).encode()
                )
                return left
        except (OSError, ValueError, RecursionError):
            return False

    def _read(self) -> list[tuple[float, float]]:
        """When each was sent, by the clock of the wall and by the steady one. Raises OSError,
        ValueError, RecursionError."""
        try:
            with self._file.open("rb") as stream:
                data = stream.read(_LONGEST)
        except FileNotFoundError:
            return []
        times = json.loads(data)
        if not isinstance(times, list):
            raise ValueError("no list")
        return [_moment(each) for each in cast("list[object]", times)]


def _moment(told: object) -> tuple[float, float]:
    """Raises ValueError."""
    match told:
        case [int() | float() as wall, int() | float() as steady]:
            return wall, steady
        case int() | float():  # as it was written before
            return told, told
        case _:
            raise ValueError("no time")
