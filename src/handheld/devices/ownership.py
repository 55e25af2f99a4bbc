"""Ownership of phones: one process owns a phone, and this user's other processes go through it.

There is one file for each chosen phone, and one for "every phone that adb has". The owner keeps a
lock on the file until it exits, so a file whose lock is free is stale. The file holds the entry:
the owner's process, and the address and token of its listener once that is open.
"""

import fcntl
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from ..settings import VIRTUAL
from ..settings.private_file import private_folder

_ENTRY_LIMIT = 1024 * 1024
_RETRY_SECONDS = 0.05
_RETRIES = 20


class OwnerError(Exception):
    """Another process owns the phone. The message names it."""


@dataclass(frozen=True, slots=True)
class OwnershipEntry:
    """The owner of some phones. `url` is empty until its listener is open."""

    selection: str
    """The chosen phones, separated by commas; empty for every phone that adb has."""
    pid: int
    command: str
    started: str
    url: str = ""
    token: str = field(default="", repr=False)
    cert: str = ""
    """The certificate to expect if `url` is https."""
    slug: str = ""
    """The slug in the names of its tools at /mcp."""
    sms_url: str = ""
    """The URL of the sms surface; empty if it is not served."""
    console: str = field(default="", repr=False)
    """The key to request a one-time console link with; empty if there is no console."""
    stop: str = field(default="", repr=False)
    """The key for stopping and resuming agents."""
    limits: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """The owner's limits, for a process that takes over its phones."""

    @property
    def phones(self) -> tuple[str, ...]:
        return tuple(self.selection.split(",")) if self.selection else ()

    @property
    def has_one_client(self) -> bool:
        """Whether it serves only the client that started it, and processes that go through it."""
        return self.command.split()[:2] == ["handheld", "stdio"]

    def listens_at(self, port: int) -> bool:
        return any(url.endswith(f":{port}") for url in (self.url, self.sms_url))

    def __str__(self) -> str:
        url = f", {self.url}" if self.url else ""
        return f"`{self.command}` (pid {self.pid}{url})"


class OwnerGone(Exception):
    """The owner exited or does not answer. With `sent`, it may have received the request."""

    def __init__(self, entry: OwnershipEntry, sent: bool) -> None:
        super().__init__(f"{entry} is gone")
        self.entry = entry
        self.sent = sent


class OwnershipClaim:
    """The right to some phones, held until `release` or the end of the process."""

    def __init__(self, files: Mapping[Path, int], entry: OwnershipEntry) -> None:
        """`files` are open and locked."""
        self._files = dict(files)
        self.entry = entry
        self._write(entry)

    def publish(
        self,
        url: str,
        token: str,
        cert: str = "",
        sms_url: str = "",
        console: str = "",
        limits: Mapping[str, Any] = MappingProxyType({}),
        stop: str = "",
    ) -> None:
        """Publish the listener for other processes."""
        listener = {"url": url, "token": token, "cert": cert, "sms_url": sms_url}
        keys = {"console": console, "stop": stop}
        self._write(replace(self.entry, **listener, **keys, limits=dict(limits)))

    def _write(self, entry: OwnershipEntry) -> None:
        self.entry = entry
        data = json.dumps(asdict(entry), ensure_ascii=False).encode("utf-8", "replace")
        for handle in self._files.values():
            # In this order, no reader finds the file empty; the rest of an older entry is cut off
            # last.
            os.pwrite(handle, data, 0)
            os.ftruncate(handle, len(data))

    def release(self) -> None:
        _unlock(self._files)
        self._files = {}


class Owners:
    """The owners among this user's processes."""

    def __init__(self, folder: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self._folder = folder
        self.clock = clock

    def _file(self, phone: str) -> Path:
        import hashlib  # slow to import, and not needed to go through an owner

        return self._folder / (hashlib.sha256(phone.encode()).hexdigest()[:16] + ".json")

    def claim(self, phones: Sequence[str], command: str, slug: str = "") -> OwnershipClaim | None:
        """Become the owner of all `phones`; None if one already has an owner. Raises OwnerError if
        the folder cannot be used."""
        files: dict[Path, int] = {}
        try:
            for phone in sorted(phones) or [""]:
                handle = self._take(self._file(phone))
                if handle is None:
                    _unlock(files)
                    return None
                files[self._file(phone)] = handle
            from datetime import UTC, datetime  # slow to import

            now = datetime.fromtimestamp(self.clock.time(), UTC)
            started = now.isoformat(timespec="seconds")
            entry = OwnershipEntry(",".join(phones), os.getpid(), command, started, slug=slug)
            return OwnershipClaim(files, entry)
        except OSError as problem:
            _unlock(files)
            raise OwnerError(
                f"Who owns a phone is kept in {self._folder}, which cannot be written: "
                f"{problem.strerror}. Fix that, or name another folder with HANDHELD_HOME."
            ) from None

    def _take(self, file: Path) -> int | None:
        while True:
            private_folder(self._folder)
            handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            if not _lock(handle):
                os.close(handle)
                return None
            if _same(handle, file):
                return handle
            os.close(handle)  # the last owner removed the file after we opened it

    def entries(self) -> list[OwnershipEntry]:
        """The running owners, oldest first. Files that exited owners left behind are removed."""
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError:
            return []
        running: dict[tuple[int, str], OwnershipEntry] = {}
        for file in files:
            entry = _read(file)
            # While an owner of several phones publishes, some of its files already have the URL.
            if entry is not None and (entry.url or (entry.pid, entry.selection) not in running):
                running[entry.pid, entry.selection] = entry
        return sorted(running.values(), key=lambda entry: (entry.started, entry.pid))


def _unlock(files: Mapping[Path, int]) -> None:
    for file, handle in files.items():
        file.unlink(missing_ok=True)
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False


def _read(file: Path) -> OwnershipEntry | None:
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        return None
    try:
        if _lock(handle):
            if _same(handle, file):
                file.unlink(missing_ok=True)
            return None
        text = os.pread(handle, _ENTRY_LIMIT, 0).decode()
        value: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
        return OwnershipEntry(**value)
    except (ValueError, TypeError):
        return None  # just created, or written by another version
    finally:
        os.close(handle)


async def listening(owners: Owners, *, patience: float = 5.0) -> list[OwnershipEntry]:
    """The owners with an open listener. Waits for the others: most are starting, and some, such as
    `handheld call`, have no listener and end soon."""
    deadline = owners.clock.now() + patience
    while True:
        entries = owners.entries()
        open = [entry for entry in entries if entry.url]
        if len(open) == len(entries) or owners.clock.now() > deadline:
            return open
        await owners.clock.sleep(_RETRY_SECONDS)


Serves = Callable[[OwnershipEntry, str], Awaitable[bool]]
"""Whether an owner has a phone of that name. Asks the owner over HTTP."""


async def choose(
    entries: Sequence[OwnershipEntry], phones: Sequence[str], serves: Serves
) -> OwnershipEntry | None:
    """Return the owner to go through for `phones`, if there is one. An owner started with the same
    phones comes first, then one started with these and others. Without phones, the only running
    owner is used. An owner may also have a phone that it was not started with by name, except a
    virtual one. Raises OwnerError if an owner has only some of the phones."""
    wanted = set(phones)
    for entry in entries:
        if set(entry.phones) == wanted:
            return entry
    if not wanted:
        if len(entries) > 1:
            who = "; ".join(f"{entry}: --phone {entry.selection}" for entry in entries)
            raise OwnerError(f"Several phones are served. Say which one to use: {who}.")
        return entries[0] if entries else None
    for entry in entries:
        held = wanted & set(entry.phones)
        if len(entry.phones) != 1 and entry.url:
            held |= {name for name in wanted - held - {VIRTUAL} if await serves(entry, name)}
        if held == wanted:
            return entry
        if held:
            raise OwnerError(
                f"{entry} has {', '.join(sorted(held))}, but not all of the requested phones."
                " Leave it out, or stop that one first."
            )
    return None


async def join(
    owners: Owners,
    phones: Sequence[str],
    command: str,
    serves: Serves,
    *,
    slug: str = "",
    patience: float = 30.0,
) -> OwnershipClaim | OwnershipEntry:
    """Return the owner to go through, whose listener is open, or the claim that makes this process
    the owner. Waits for an owner that is starting but has not opened its listener yet."""
    deadline = owners.clock.now() + patience
    while True:
        entry = await choose(owners.entries(), phones, serves)
        if entry is not None and entry.url:
            return entry
        late = owners.clock.now() > deadline
        if entry is None or late:
            claim = owners.claim(phones, command, slug)
            if claim is not None:
                return claim
        if late:
            who = str(entry) if entry else "Another Handheld"
            raise OwnerError(
                f"{who} has the phone but offers no way to share it. Stop it and try again."
            )
        await owners.clock.sleep(_RETRY_SECONDS)


async def holder(owners: Owners, phones: Sequence[str], serves: Serves) -> OwnershipEntry | None:
    """The process that already owns these phones. Raises OwnerError."""
    entries = owners.entries()
    if phones:
        return await choose(entries, phones, serves)
    return next((entry for entry in entries if not entry.phones), None)


async def take(
    owners: Owners, phones: Sequence[str], command: str, serves: Serves, slug: str = ""
) -> OwnershipClaim:
    """Become the owner. Raises OwnerError, which names the present owner."""
    for _ in range(_RETRIES):
        entry = await holder(owners, phones, serves)
        if entry is None and (claim := owners.claim(phones, command, slug)):
            return claim
        if entry is None:
            entry = await holder(owners, phones, serves)
        if entry is not None:
            raise OwnerError(f"{entry} has this phone. Work through it, or stop it first.")
        # Another process read the file at that moment, or is just starting.
        await owners.clock.sleep(_RETRY_SECONDS)
    raise OwnerError("Another Handheld has this phone. Work through it, or stop it first.")
