"""Processes, those that the phone always has, and the records of exits."""

from dataclasses import dataclass
from datetime import datetime

from ..system.logs import Writer

ROOT_UID = 0
SYSTEM_UID = 1000
FIRST_APP_UID = 10_000
USERS_APART = 100_000
"""The distance between the uids of an app for two users."""
FIRST_PID = 2000


@dataclass(frozen=True, slots=True)
class AppProcess:
    pid: int
    parent: int
    uid: int
    name: str
    since: float = 0.0
    """The start time, in milliseconds of the phone's clock."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Why a process exited, as Android records it since API 30."""

    time: datetime
    process: AppProcess
    reason: int
    """One of ApplicationExitInfo's numbers."""
    description: str
    """The description; "" if Android has none."""
    status: int = 0
    """The exit code, or the signal."""
    importance: int = 400
    pss: int = 0
    rss: int = 0
    """In kilobytes."""


ZYGOTE = AppProcess(310, 1, ROOT_UID, "zygote64")
SYSTEM_SERVER = AppProcess(1205, ZYGOTE.pid, SYSTEM_UID, "system_server")
SYSTEM_UI = AppProcess(1530, ZYGOTE.pid, FIRST_APP_UID + 50, "com.android.systemui")
ALWAYS = (ZYGOTE, SYSTEM_SERVER, SYSTEM_UI)

SYSTEM = Writer(SYSTEM_SERVER.pid, SYSTEM_UID, 1290)


class Pids:
    """Pids for new processes, both of apps and of programs."""

    def __init__(self) -> None:
        self._last = FIRST_PID

    def __call__(self) -> int:
        self._last += 1
        return self._last
