"""One process owns a phone: who it is, and how others of this user reach it.

For each phone that was asked for there is one file, and one for whatever adb has. Its owner holds
a lock on it for life, so a file whose lock is free is stale, whatever became of its process. Inside
stands the entry: who owns, and the address and token of the owner's listener once that is open.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from ..settings import VIRTUAL
from ..settings.private_file import private_folder

_ENTRY_LIMIT = 64 * 1024
_LOOK_AGAIN_SECONDS = 0.05
_LOOKS = 20


class OwnerError(Exception):
    """Somebody else has the phone. The message is a sentence that says who."""


@dataclass(frozen=True, slots=True)
class OwnershipEntry:
    """The owner of some phones. `url` is empty until its listener is open."""

    selection: str
    """The phones asked for, with commas between; empty for whatever adb has."""
    pid: int
    command: str
    started: str
    url: str = ""
    token: str = field(default="", repr=False)
    cert: str = ""
    """The certificate to expect where `url` is https."""
    slug: str = ""
    """The slug in the names of its tools at /mcp."""
    sms_url: str = ""
    """Where the sms surface is served beside; empty where it is not."""
    console: str = field(default="", repr=False)
    """What a one-time link to the console is asked for with; empty where there is no console."""

    @property
    def phones(self) -> tuple[str, ...]:
        return tuple(self.selection.split(",")) if self.selection else ()

    def listens_at(self, port: int) -> bool:
        return any(url.endswith(f":{port}") for url in (self.url, self.sms_url))

    def __str__(self) -> str:
        place = f", {self.url}" if self.url else ""
        return f"`{self.command}` (pid {self.pid}{place})"


class OwnerGone(Exception):
    """The owner ended or does not answer. `sent` is whether it may have received the request."""

    def __init__(self, entry: OwnershipEntry, sent: bool) -> None:
        super().__init__(f"{entry} is gone")
        self.entry = entry
        self.sent = sent


class Claim:
    """The right to some phones, held until `release` or the end of the process."""

    def __init__(self, files: Mapping[Path, int], entry: OwnershipEntry) -> None:
        """`files` are open and locked."""
        self._files = dict(files)
        self.entry = entry
        self._write(entry)

    def publish(
        self, url: str, token: str, cert: str = "", sms_url: str = "", console: str = ""
    ) -> None:
        """Tell other processes where the listener is."""
        listener = {"url": url, "token": token, "cert": cert, "sms_url": sms_url}
        self._write(replace(self.entry, **listener, console=console))

    def _write(self, entry: OwnershipEntry) -> None:
        self.entry = entry
        data = json.dumps(asdict(entry), ensure_ascii=False).encode("utf-8", "replace")
        for handle in self._files.values():
            # In this order no reader finds it empty; what is left of an older one comes last.
            os.pwrite(handle, data, 0)
            os.ftruncate(handle, len(data))

    def release(self) -> None:
        _let_go(self._files)
        self._files = {}


class Owners:
    """The owners among this user's processes."""

    def __init__(self, folder: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self._folder = folder
        self.clock = clock

    def _file(self, phone: str) -> Path:
        return self._folder / (hashlib.sha256(phone.encode()).hexdigest()[:16] + ".json")

    def claim(self, phones: Sequence[str], command: str, slug: str = "") -> Claim | None:
        """Become the owner of all of them; None when one has an owner already. Raises OwnerError
        where the folder cannot be used."""
        files: dict[Path, int] = {}
        try:
            for phone in sorted(phones) or [""]:
                handle = self._take(self._file(phone))
                if handle is None:
                    _let_go(files)
                    return None
                files[self._file(phone)] = handle
            now = datetime.fromtimestamp(self.clock.time(), UTC)
            started = now.isoformat(timespec="seconds")
            entry = OwnershipEntry(",".join(phones), os.getpid(), command, started, slug=slug)
            return Claim(files, entry)
        except OSError as problem:
            _let_go(files)
            raise OwnerError(
                f"Who owns a phone is kept in {self._folder}, which cannot be written: "
                f"{problem.strerror}. Mend that, or name another folder with HANDHELD_HOME."
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
            os.close(handle)  # its last owner removed the file between our opening and locking it

    def entries(self) -> list[OwnershipEntry]:
        """Living owners, oldest first. Files that dead ones left behind are removed."""
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError:
            return []
        living: dict[tuple[int, str], OwnershipEntry] = {}
        for file in files:
            entry = _read(file)
            # Of an owner of several phones that is just publishing, the file that is ahead.
            if entry is not None and (entry.url or (entry.pid, entry.selection) not in living):
                living[entry.pid, entry.selection] = entry
        return sorted(living.values(), key=lambda entry: (entry.started, entry.pid))


def _let_go(files: Mapping[Path, int]) -> None:
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
        return None  # just begun, or another version's
    finally:
        os.close(handle)


Serves = Callable[[OwnershipEntry, str], Awaitable[bool]]
"""Whether an owner has a phone of that name among its own: a question over HTTP."""


async def choose(
    entries: Sequence[OwnershipEntry], phones: Sequence[str], serves: Serves
) -> OwnershipEntry | None:
    """The owner to go through for `phones`, if there is one.

    The one that was asked for the same wins, then one that was asked for these and others. Without
    a choice, the only owner there is serves. Any name may also be that of a phone which an owner
    came to otherwise, except a virtual phone's. Raises OwnerError where an owner has only some.
    """
    wanted = set(phones)
    for entry in entries:
        if set(entry.phones) == wanted:
            return entry
    if not wanted:
        if len(entries) > 1:
            who = "; ".join(f"{entry}: --phone {entry.selection}" for entry in entries)
            raise OwnerError(f"Several phones are served. Say which one is meant: {who}.")
        return entries[0] if entries else None
    for entry in entries:
        held = wanted & set(entry.phones)
        if len(entry.phones) != 1 and entry.url:
            held |= {name for name in wanted - held - {VIRTUAL} if await serves(entry, name)}
        if held == wanted:
            return entry
        if held:
            raise OwnerError(
                f"{entry} has {', '.join(sorted(held))}, but not all that is asked for. Leave it "
                "out, or stop that one first."
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
) -> Claim | OwnershipEntry:
    """The owner to go through (its listener is open), or the claim that makes us the owner.

    An owner that has begun but not opened its listener yet is waited for.
    """
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
        await owners.clock.sleep(_LOOK_AGAIN_SECONDS)


async def take(
    owners: Owners, phones: Sequence[str], command: str, serves: Serves, slug: str = ""
) -> Claim:
    """Become the owner, or raise OwnerError saying who it is."""
    entry: OwnershipEntry | None = None
    for _ in range(_LOOKS):
        if phones:
            entry = await choose(owners.entries(), phones, serves)
        if entry is None and (claim := owners.claim(phones, command, slug)):
            return claim
        for other in owners.entries():
            if set(other.phones) == set(phones):
                entry = other
        if entry is not None:
            raise OwnerError(f"{entry} has this phone. Work through it, or stop it first.")
        # Somebody looked into the file at that moment, or has just begun.
        await owners.clock.sleep(_LOOK_AGAIN_SECONDS)
    raise OwnerError("Another Handheld has this phone. Work through it, or stop it first.")
