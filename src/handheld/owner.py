"""One process owns a phone: who it is, and how others of this user reach it.

For each selection (what `--phone` said) there is one file. Its owner holds a lock on it for life,
so a file whose lock is free is stale, whatever became of its process. Inside stands the entry:
who owns, and the address and token of the owner's listener once that is open.
"""

import asyncio
import fcntl
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .settings import VIRTUAL
from .token import private_folder

_ENTRY_LIMIT = 64 * 1024
_LOOK_AGAIN_SECONDS = 0.05


class OwnerError(Exception):
    """Somebody else has the phone. The message is a sentence that says who."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The owner of what `selection` stands for. `url` is empty until its listener is open."""

    selection: str
    pid: int
    command: str
    started: str
    url: str = ""
    token: str = field(default="", repr=False)
    cert: str = ""
    """The certificate to expect where `url` is https."""

    def __str__(self) -> str:
        place = f", {self.url}" if self.url else ""
        return f"`{self.command}` (pid {self.pid}{place})"


class OwnerGone(Exception):
    """The owner ended or does not answer. `sent` is whether it may have received the request."""

    def __init__(self, entry: Entry, sent: bool) -> None:
        super().__init__(f"{entry} is gone")
        self.entry = entry
        self.sent = sent


class Claim:
    """The right to a selection, held until `release` or the end of the process."""

    def __init__(self, file: Path, handle: int, entry: Entry) -> None:
        self._file = file
        self._handle = handle
        self.entry = entry
        self._write(entry)

    def publish(self, url: str, token: str, cert: str = "") -> None:
        """Tell other processes where the listener is."""
        self._write(replace(self.entry, url=url, token=token, cert=cert))

    def _write(self, entry: Entry) -> None:
        self.entry = entry
        data = json.dumps(asdict(entry), ensure_ascii=False).encode("utf-8", "replace")
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, data, 0)

    def release(self) -> None:
        if self._handle >= 0:
            self._file.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1


class Owners:
    """The owners among this user's processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _file(self, selection: str) -> Path:
        return self._folder / (hashlib.sha256(selection.encode()).hexdigest()[:16] + ".json")

    def claim(self, selection: str, command: str) -> Claim | None:
        """Become the owner; None when there is one already. Raises OwnerError where the folder
        cannot be used."""
        file = self._file(selection)
        while True:
            try:
                private_folder(self._folder)
                handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as problem:
                raise OwnerError(
                    f"Who owns a phone is kept in {self._folder}, which cannot be written: "
                    f"{problem.strerror}. Mend that, or name another folder with HANDHELD_HOME."
                ) from None
            if not _lock(handle):
                os.close(handle)
                return None
            if _same(handle, file):
                break
            os.close(handle)  # its last owner removed the file between our opening and locking it
        started = datetime.now(UTC).isoformat(timespec="seconds")
        return Claim(file, handle, Entry(selection, os.getpid(), command, started))

    def entries(self) -> list[Entry]:
        """Living owners, oldest first. Files that dead ones left behind are removed."""
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError:
            return []
        living = [entry for file in files if (entry := _read(file)) is not None]
        return sorted(living, key=lambda entry: (entry.started, entry.pid))


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


def _read(file: Path) -> Entry | None:
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        return None
    try:
        if _lock(handle):
            if _same(handle, file):
                file.unlink(missing_ok=True)
            return None
        value: dict[str, Any] = json.loads(os.pread(handle, _ENTRY_LIMIT, 0))
        return Entry(**value)
    except (ValueError, TypeError):
        return None  # half written, or another version's: it is published again in a moment
    finally:
        os.close(handle)


Serves = Callable[[Entry, str], Awaitable[bool]]
"""Whether an owner without a selection has that phone among its own: a question over HTTP."""


async def choose(entries: Sequence[Entry], selection: str, serves: Serves) -> Entry | None:
    """The owner to go through for `selection`, if there is one.

    The same selection wins. Without one, the only owner there is serves. A serial is also served
    by an owner without a selection that has this phone. A virtual phone only by its own owner.
    """
    for entry in entries:
        if entry.selection == selection:
            return entry
    if not selection:
        if len(entries) > 1:
            who = "; ".join(f"{entry}: --phone {entry.selection}" for entry in entries)
            raise OwnerError(f"Several phones are served. Say which one is meant: {who}.")
        return entries[0] if entries else None
    if selection != VIRTUAL:
        for entry in entries:
            if not entry.selection and entry.url and await serves(entry, selection):
                return entry
    return None


async def join(
    owners: Owners, selection: str, command: str, serves: Serves, *, patience: float = 30.0
) -> Claim | Entry:
    """The owner to go through (its listener is open), or the claim that makes us the owner.

    An owner that has begun but not opened its listener yet is waited for.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while True:
        entry = await choose(owners.entries(), selection, serves)
        if entry is not None and entry.url:
            return entry
        late = loop.time() > deadline
        if entry is None or late:
            claim = owners.claim(selection, command)
            if claim is not None:
                return claim
        if late:
            who = str(entry) if entry else "Another Handheld"
            raise OwnerError(
                f"{who} has the phone but offers no way to share it. Stop it and try again."
            )
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)


async def take(owners: Owners, selection: str, command: str, serves: Serves) -> Claim:
    """Become the owner, or raise OwnerError saying who it is."""
    entries = owners.entries()
    entry = await choose(entries, selection, serves) if selection else None
    if entry is None and (claim := owners.claim(selection, command)):
        return claim
    for other in owners.entries():
        if other.selection == selection:
            entry = other
    who = str(entry) if entry else "Another Handheld"
    raise OwnerError(f"{who} has this phone. Work through it, or stop it first.")
