"""The file with all kept steps. Other processes may change it at the same time."""

import contextlib
import fcntl
import json
import logging
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...clock import SYSTEM_CLOCK, Clock
from ...phone.leases.shares import SAVED_BYTES, SAVED_STEPS, Shares
from ...settings.private_file import private_folder, write_private
from .model import SavedSteps, StepSequence, StepsError, same_key
from .reading import read_steps

MOST_SAVED = 100
FILE_LIMIT = 4 * 1024 * 1024

log = logging.getLogger(__name__)


class StepsFile:
    def __init__(self, file: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self.file = file
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._kept: tuple[SavedSteps, ...] = ()
        self._problem = ""

    def all(self) -> tuple[SavedSteps, ...]:
        """In the order in which they were kept. Raises StepsError."""
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            self._seen, self._kept, self._problem = None, (), ""
            return ()
        except OSError as problem:
            raise StepsError(f"{self.file} cannot be read: {problem.strerror}.") from None
        seen = (stat.st_ctime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            self._seen, self._kept, self._problem = seen, (), ""
            try:
                self._kept = _decode(self.file)
            except StepsError as problem:
                log.error("%s", problem)
                self._problem = str(problem)
        if self._problem:
            raise StepsError(self._problem)
        return self._kept

    def get(self, name: str, phone: str | None = None) -> SavedSteps:
        """Return those of this name; `phone` says which, where several phones have their own.
        Raises StepsError."""
        found = [
            each
            for each in self.all()
            if each.name == name.removeprefix("my_") and phone in (None, each.phone)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            phones = ", ".join(each.phone or '""' for each in found)
            raise StepsError(f"{name} is kept for several phones: say for which, of {phones}.")
        known = ", ".join(each.name for each in self.all()) or "none"
        raise StepsError(f"No steps are kept as {name[:60]!r}. There are: {known}.")

    def keep(self, name: str, phone: str, sequence: StepSequence, by: str, origin: str) -> bool:
        """Keep a way; it replaces one of the same client. Return whether it was kept, or only
        proposed to the owner. Raises StepsError."""
        new = SavedSteps(name, sequence, phone, by, origin, self._clock.time())
        read_steps(new.as_json())  # what cannot be read back is not written
        with self._editing() as kept:
            old = next((each for each in kept if same_key(each, name, phone)), None)
            if old is not None and (old.owned or old.by != by):
                new = replace(old, proposal=sequence, proposed_by=by)
            _put(kept, old, new)
            _check_share(kept, by)
        return new.proposal is None

    def put(self, new: SavedSteps, old: SavedSteps | None = None) -> None:
        """Put steps in the owner's name, in place of `old` or of what has their name. Raises
        StepsError."""
        with self._editing() as kept:
            place = old or next(
                (each for each in kept if same_key(each, new.name, new.phone)), None
            )
            if place is not None and place not in kept:
                raise StepsError(f"{place.name} was changed meanwhile: read it again.")
            if any(each is not place and same_key(each, new.name, new.phone) for each in kept):
                raise StepsError(f"There are steps called {new.name} for that phone already.")
            _put(kept, place, replace(new, owned=True, made=new.made or self._clock.time()))

    def accept(self, old: SavedSteps, shown: str) -> SavedSteps:
        """Take what was proposed, or make steps of one client those of every client. `shown` is the
        digest of what the person saw. Raises StepsError."""
        if shown != old.digest:
            raise StepsError(f"{old.name} was changed meanwhile: read it again.")
        sequence = old.proposal or old.sequence
        origin = old.origin
        if old.proposal is not None:
            origin = f"proposed by {old.proposed_by or 'a client'}"
        new = replace(old, sequence=sequence, origin=origin, proposal=None, proposed_by="")
        self.put(new, old)
        return new

    def remove(self, old: SavedSteps) -> None:
        """Raises StepsError."""
        with self._editing() as kept:
            kept[:] = [each for each in kept if not same_key(each, old.name, old.phone)]

    @contextlib.contextmanager
    def _editing(self) -> Generator[list[SavedSteps]]:
        """Read, change and write in one step, while other processes wait."""
        try:
            private_folder(self.file.parent)
            with self.file.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                kept = list(self.all())
                yield kept
                data = _encode(kept)
                if len(data) > FILE_LIMIT:
                    raise StepsError("All kept steps together are too large: remove some first.")
                self._seen = None
                write_private(self.file, data)
        except OSError as problem:
            raise StepsError(f"Steps cannot be kept in {self.file}: {problem.strerror}.") from None


def _put(kept: list[SavedSteps], old: SavedSteps | None, new: SavedSteps) -> None:
    if old is not None:
        kept[kept.index(old)] = new
        return
    if len(kept) >= MOST_SAVED:
        raise StepsError(f"{MOST_SAVED} are kept already: the owner has to remove one first.")
    kept.append(new)


def _check_share(kept: Sequence[SavedSteps], token: str) -> None:
    """Raises StepsError if a token has more than its share of what clients kept and proposed, so
    that none leaves nothing for the others."""
    count, size = Shares(SAVED_STEPS), Shares(SAVED_BYTES)
    for each in kept:
        ways = [] if each.owned else [(each.by, each.sequence)]
        if each.proposal is not None:
            ways.append((each.proposed_by, each.proposal))
        for by, sequence in ways:
            count.take(by)
            size.take(by, len(json.dumps(sequence.as_json())))
    if not (count.room(token, 0) and size.room(token, 0)):
        raise StepsError(
            f"A token keeps or proposes at most {SAVED_STEPS.of_one} ways of {SAVED_BYTES.of_one}"
            f" characters together, and all tokens {SAVED_STEPS.of_all}: the owner has to accept or"
            " remove some first."
        )


def _encode(kept: Sequence[SavedSteps]) -> bytes:
    return json.dumps({"steps": [each.as_json() for each in kept]}, indent=1).encode()


def load_json(data: bytes, name: str) -> Any:
    """Raises StepsError."""
    if len(data) > FILE_LIMIT:
        raise StepsError(f"{name} is larger than {FILE_LIMIT} bytes.")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise StepsError(f"{name} is not JSON.") from None


def _decode(file: Path) -> tuple[SavedSteps, ...]:
    try:
        with file.open("rb") as stream:
            data = stream.read(FILE_LIMIT + 1)
    except OSError as problem:
        raise StepsError(f"{file} cannot be read: {problem.strerror}.") from None
    try:
        value = load_json(data, str(file))
        stored = cast("dict[str, Any]", value)["steps"]
        return tuple(read_steps(each) for each in cast("list[Any]", stored))
    except (StepsError, KeyError, TypeError):
        raise StepsError(
            f"{file} is damaged, so no kept steps are known. Repair or delete it."
        ) from None
