"""Limits how many messages per hour all processes together send without a question.

The times are kept in a file of this user. An agent can restart the process, and that must not reset
the limit.
"""

import fcntl
import json
from pathlib import Path
from typing import cast

from ..clock import SYSTEM_CLOCK, Clock
from ..settings.private_file import private_folder, write_private

HOUR = 3600.0
_LONGEST = 100_000
"""The most bytes read of the file; the largest limit needs fewer."""


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
                # By either clock: setting the wall clock forward must not free a message, and the
                # steady clock starts again with the computer. Setting the wall clock back must not
                # keep one for longer than an hour.
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
        """When each message was sent, by the wall clock and by the steady clock. Raises OSError,
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
        case int() | float():  # the form of earlier releases
            return told, told
        case _:
            raise ValueError("no time")
