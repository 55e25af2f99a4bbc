"""The person comes first: agents are held back on a phone from the time a person takes it over
until the person resumes them.

The phones are kept in a folder that only this user can access, with one file for each takeover. So
a takeover holds for every process, even one that takes over a phone when another process dies, and
no tool and no token can change it.
"""

import hashlib
import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from ..changes import Changes
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ActionFailed, PermissionDenied, ToolError
from ..settings.private_file import private_folder, write_private

if TYPE_CHECKING:
    import asyncio

    from ..phone.phone import Phone

ALL = "*"
"""Stands for every phone, including phones that connect later."""
RESUME = "handheld stop --release"
STOPPED = "The owner of the phone has taken it over."
"""The reason with which running calls are cancelled."""
_WAIT = (
    "Agents are held back. Do not do it another way: tell your user, and wait until told to go on."
)
_FOR_OWNER = f"{STOPPED} To resume agents: {RESUME}"
_NOBODY: frozenset[str] = frozenset()
_LONGEST = 10_000
"""The most bytes read of a file."""
LOOK_SECONDS = 0.5
"""While calls run, the folder is checked this often: not every process can be told, and one that
has just started has no listener yet."""


class TakenOver(PermissionDenied):
    """The person has taken the phone over."""


def held_back() -> TakenOver:
    return TakenOver(f"{STOPPED} Nothing was done. {_WAIT}", for_owner=_FOR_OWNER)


def stopped(tool: str, far: str) -> TakenOver:
    """The error for a call that was running."""
    return TakenOver(f"{STOPPED} {tool} was stopped. {far} {_WAIT}")


class AgentCall(Protocol):
    """A call of an agent that runs or waits."""

    @property
    def names(self) -> Collection[str]:
        """The names of its phone; empty until the phone is known."""
        ...

    @property
    def phone(self) -> "Phone":
        """Its phone. Only valid once its names are known."""
        ...

    def take_over(self) -> None:
        """Stop it."""
        ...


class Takeover:
    def __init__(self, folder: Path | None = None, clock: Clock = SYSTEM_CLOCK) -> None:
        """Without a folder, takeovers end with this process."""
        self._folder = folder
        self._clock = clock
        self._name = str(folder)  # for every call, where pathlib is slow
        self._changed_at: int | None = None
        """The folder's modification time at the last read."""
        self._held: dict[str, frozenset[str]] = {}
        """The names of phones, by the key of the file that lists them."""
        self._unwritten: dict[str, frozenset[str]] = {}
        """Takeovers whose file could not be written. They hold in this process."""
        self._calls: set[AgentCall] = set()
        self._looks = False
        self._seen = _NOBODY
        """The names at the last check."""
        self._compared: set[AgentCall] = set()
        """Calls whose phones have already been asked for their identity."""
        self._comparing: set[asyncio.Task[None]] = set()
        self.changes = Changes()

    @property
    def names(self) -> frozenset[str]:
        """The names of all phones that are taken over, with `ALL` for all."""
        self._refresh()
        if not self._held and not self._unwritten:
            return _NOBODY
        return frozenset[str]().union(*self._held.values(), *self._unwritten.values())

    def _refresh(self, *, anew: bool = False) -> None:
        """`anew` is for our own changes: the folder's modification time may be too coarse to show
        them."""
        if self._folder is None:
            return
        try:
            changed_at = os.stat(self._name).st_mtime_ns
        except OSError:
            changed_at = None
        if anew or changed_at != self._changed_at:
            files = [] if changed_at is None else sorted(self._folder.glob("*.json"))
            self._held = {file.stem: _read(file) for file in files}
            self._changed_at = changed_at
            self.changes.tell()

    async def check(self, phone: "Phone") -> None:
        """Raises TakenOver if agents may not use this phone now."""
        names = self.names
        if not names:
            return
        if ALL in names or names.intersection(names_of(phone)):
            raise held_back()
        # The phone may be taken over under another connection.
        identity = await phone.identity.read()
        if identity.hardware in names and not identity.shared:
            raise held_back()

    # These are not a context manager: every call would create one.

    def begin(self, call: AgentCall) -> None:
        """Stop the call when its phone is taken over, until `end`."""
        self._calls.add(call)
        # One timer serves all calls: most of them end before it fires.
        if not self._looks and self._folder is not None:
            self._looks = True
            self._clock.call_later(LOOK_SECONDS, self._look)

    def end(self, call: AgentCall) -> None:
        self._calls.discard(call)
        self._compared.discard(call)

    def take(self, names: Iterable[str]) -> str:
        """Hold agents back on the phone with these names, and stop their calls on it. Returns "",
        or a sentence that says why other processes do not know of it."""
        held = frozenset(names)
        self._refresh()
        problem = ""
        if held not in self._held.values():
            key = hashlib.sha256("\n".join(sorted(held)).encode()).hexdigest()[:16]
            # Before writing: a full disk must not keep anybody from stopping agents.
            self._unwritten[key] = held
            self._stop_calls(held)
            problem = self._write(key)
        else:
            self._stop_calls(held)
        self.changes.tell()
        return problem

    def _stop_calls(self, held: frozenset[str]) -> None:
        for call in list(self._calls):
            if ALL in held or held.intersection(call.names):
                call.take_over()

    def _write(self, key: str) -> str:
        """Returns "", or a sentence that says why the file could not be written."""
        if self._folder is None:
            self._held[key] = self._unwritten.pop(key)
            return ""
        try:
            folder = private_folder(self._folder)
            data = json.dumps({"phones": sorted(self._unwritten[key])}).encode()
            write_private(folder / f"{key}.json", data)
        except OSError as problem:
            return f"{self._folder} cannot be written: {problem.strerror or problem}."
        del self._unwritten[key]
        self._refresh(anew=True)
        return ""

    def _look(self) -> None:
        """Stop the calls on phones that another process has taken over meanwhile."""
        self._looks = bool(self._calls)
        if not self._looks:
            return
        self._clock.call_later(LOOK_SECONDS, self._look)
        names = self.names
        if names != self._seen:
            self._seen = names
            self._compared.clear()
        if not names:
            return
        self._stop_calls(names)
        import asyncio  # a short command has no event loop

        for call in list(self._calls):
            if call.names and call not in self._compared:
                self._compared.add(call)
                comparing = asyncio.ensure_future(self._compare(call))
                self._comparing.add(comparing)
                comparing.add_done_callback(self._comparing.discard)

    async def _compare(self, call: AgentCall) -> None:
        """Stop the call if its phone is taken over under another connection."""
        try:
            await self.check(call.phone)
        except TakenOver:
            call.take_over()
        except ToolError:
            self._compared.discard(call)  # the phone did not answer; the next check asks again

    def resume(self, names: Iterable[str]) -> None:
        """Let agents use the phone with one of these names again, or every phone for `ALL`. Raises
        ActionFailed."""
        given = frozenset(names)
        self._refresh()
        for key, held in list(self._unwritten.items()):
            if ALL in given or held.intersection(given):
                del self._unwritten[key]
        for key, held in list(self._held.items()):
            if ALL in given or held.intersection(given):
                self._remove(key)
                del self._held[key]
        self._refresh(anew=True)
        self.changes.tell()

    def _remove(self, key: str) -> None:
        if self._folder is None:
            return
        file = self._folder / f"{key}.json"
        try:
            file.unlink(missing_ok=True)
        except OSError as problem:
            raise ActionFailed(
                f"Agents are still held back, because {file} cannot be removed: {problem.strerror}."
            ) from problem


def names_of(phone: "Phone") -> set[str]:
    """The phone's names that are known without asking it."""
    hardware = phone.identity.hardware
    known = {hardware.serial} if hardware is not None and hardware.serial else set[str]()
    return {phone.name, phone.serial} | known


async def all_names_of(phone: "Phone") -> set[str]:
    with suppress(ToolError):
        identity = await phone.identity.read()
        if identity.shared:
            return {phone.name, phone.serial}
    return names_of(phone)


def _read(file: Path) -> frozenset[str]:
    """A file that cannot be read counts for every phone: somebody did take over."""
    try:
        with file.open("rb") as stream:
            names: object = json.loads(stream.read(_LONGEST))["phones"]
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError, TypeError, KeyError):
        return frozenset({ALL})
    if not isinstance(names, list):
        return frozenset({ALL})
    return frozenset(map(str, cast("list[object]", names)))
