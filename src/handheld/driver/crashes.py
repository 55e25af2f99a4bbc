"""Android's records of apps that crashed, hung or were killed, as values.

There are three places: the exit records (since Android 11), the drop box, and the crash log. The
same death may be in each of them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple


class ExitRecord(NamedTuple):
    """Why a process ended."""

    package: str
    process: str
    pid: int
    uid: int | None
    time: datetime
    """The phone's local time, like all times here."""
    reason: int
    """A reason number of ApplicationExitInfo."""
    status: int
    """The exit code, or the signal."""
    importance: int | None
    description: str


class DropRecord(NamedTuple):
    """An entry of the drop box."""

    time: datetime
    tag: str
    process: str
    pid: int
    """0 if unknown."""
    uid: int | None
    packages: tuple[str, ...]
    foreground: bool | None
    subject: str
    body: str | None
    """The report or its first lines; None if it could not be read."""


class CrashRecords(NamedTuple):
    exits: Sequence[ExitRecord]
    drops: Sequence[DropRecord]
    log: str
    """The crash log, as `LogDriver.logs` returns it."""
    zone: timedelta | None
    """The offset of the phone's clock from UTC; None if unknown."""
    unread: tuple[str, ...]
    """The places that could not be read, by names for the user."""
