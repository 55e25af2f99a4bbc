"""What Android keeps of apps that crashed, hung or were killed, as values.

Three places know of them: the records of exits (since Android 11), the drop box, and the crash
log. The same death may stand in each of them.
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
    """On the phone's clock and in its zone, as all times here."""
    reason: int
    """By ApplicationExitInfo's numbers."""
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
    """0 where it is not told."""
    uid: int | None
    packages: tuple[str, ...]
    foreground: bool | None
    subject: str
    body: str | None
    """The report, or how it begins; None where it could not be read."""


class CrashRecords(NamedTuple):
    exits: Sequence[ExitRecord]
    drops: Sequence[DropRecord]
    log: str
    """The crash log, as `LogDriver.logs` returns it."""
    zone: timedelta | None
    """What the phone's clock is ahead of UTC; None where it does not tell."""
    unread: tuple[str, ...]
    """The places that could not be read, as a reader knows them."""
