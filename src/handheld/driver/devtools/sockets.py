"""Find a phone's open DevTools sockets and their apps with Android's own commands, in one round
trip.

The pid in a socket's name leads to a uid, and the uid to the apps. Process names do not identify an
app: apps choose them, and several may choose the same.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...adb.link import AdbError
from ..by_adb.batch import run_sections
from ..by_adb.commands import Commands
from ..by_shell.apps import BadPackages, read_listed

MOST_SOCKETS = 16
"""The maximum number of apps that are asked for their pages; a phone has a few."""
_LINES = {
    "sockets": "cat /proc/net/unix",
    "processes": "ps -A -o UID,PID,NAME",
    "packages": "cmd package list packages -U --user $(am get-current-user)",
}
_SECONDS = 20.0
_LIMIT = 8 * 1024 * 1024
_SOCKET = re.compile(
    r"[0-9a-f]{8,16}: [0-9A-F]{8} 00000000 00010000 0001 01 +(\d{1,20})"
    r" @([A-Za-z0-9_.-]{1,80}_devtools_remote(?:_(\d{1,9}))?)",
    re.ASCII,
)
"""A listening stream socket with an abstract name."""
_PROCESS = re.compile(r" *(\d{1,10}) +(\d{1,9}) (\S{1,300})(?: .*)?", re.ASCII)
_OF_USER = 100_000
"""The number of uids per user: the remainder identifies the app."""


class DevToolsSocket(NamedTuple):
    name: str
    inode: int
    pid: int
    """0 if the name does not contain it."""
    packages: tuple[str, ...]
    """The apps that its process may belong to; none if unknown."""


class Process(NamedTuple):
    uid: int
    name: str


class DevToolsSockets(NamedTuple):
    sockets: tuple[DevToolsSocket, ...]
    apps: "Apps"
    unasked: int
    """The number of further sockets."""
    hidden: bool
    """The phone does not show its table of sockets."""


class Apps:
    """The apps by the uids of their processes."""

    def __init__(self, processes: Mapping[int, Process], uids: Mapping[str, int]) -> None:
        self._processes = processes
        self._uids = uids

    def of_pid(self, pid: int) -> tuple[str, ...]:
        """Return the apps of a process; the app that the process is named after comes first."""
        process = self._processes.get(pid)
        if process is None:
            return ()
        app = process.uid % _OF_USER
        found = [package for package, uid in self._uids.items() if uid % _OF_USER == app]
        own = process.name.partition(":")[0]
        return tuple(sorted(found, key=lambda package: (package != own, package)))

    def running(self, package: str) -> tuple[str, ...]:
        """Return the app that reported this package, if one of its processes runs."""
        uid = self._uids.get(package)
        running = {process.uid % _OF_USER for process in self._processes.values()}
        return (package,) if uid is not None and uid % _OF_USER in running else ()


async def find_sockets(commands: Commands) -> DevToolsSockets:
    """Raises AdbError."""
    found = await run_sections(commands, _LINES, seconds=_SECONDS, limit=_LIMIT)
    sockets = found["sockets"]
    hidden = sockets.code != 0
    try:
        uids = {name: uid for name, _, uid in read_listed(found["packages"].text)}
    except BadPackages:
        uids = {}
    processes = dict(read_processes(found["processes"].text))
    if not processes or not uids:
        raise AdbError("The phone did not list its processes and apps.")
    apps = Apps(processes, uids)
    named = [
        DevToolsSocket(name, inode, pid, apps.of_pid(pid) if pid else ())
        for name, inode, pid in read_sockets(sockets.text)
    ]
    unasked = max(0, len(named) - MOST_SOCKETS)
    return DevToolsSockets(tuple(named[:MOST_SOCKETS]), apps, unasked, hidden)


async def find_inode(commands: Commands, name: str) -> int | None:
    """Return the inode of the socket that has this name now. Raises AdbError."""
    printed = await commands.ask(_LINES["sockets"], seconds=_SECONDS)
    return next((inode for found, inode, _ in read_sockets(printed) if found == name), None)


def read_sockets(printed: str) -> Iterator[tuple[str, int, int]]:
    """Parse lines of /proc/net/unix: the name, the inode, and the pid in the name."""
    for line in printed.split("\n"):
        match = _SOCKET.fullmatch(line.rstrip()) if len(line) < 300 else None
        if match is not None:
            yield match[2], int(match[1]), int(match[3] or 0)


def read_processes(printed: str) -> Iterator[tuple[int, Process]]:
    """Parse `ps -A -o UID,PID,NAME`."""
    for line in printed.split("\n"):
        match = _PROCESS.fullmatch(line.rstrip()) if len(line) < 1000 else None
        if match is not None:
            yield int(match[2]), Process(int(match[1]), match[3])
