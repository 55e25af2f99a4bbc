"""The lock file that prevents a second helper on the phone, and the claim that the phone
accepted."""

import asyncio
from collections.abc import Mapping
from typing import Any

from handheld.helper.protocol import (
    CLAIM_FILE,
    LOCK_FILE,
    TAKE_OVER_MS,
    Claim,
    Code,
    HelperFailure,
    ProtocolError,
    decode_json,
    dump_json,
)

from ...files.tree import FileTree
from ...system.clock import Clock


class HolderLock:
    """The lock file: it has one holder at a time, and is released when the holder's process ends.
    Its content describes the holder, who may be gone.

    A real helper polls the claim file; here the holder is notified."""

    def __init__(self, files: FileTree, clock: Clock) -> None:
        self.files = files
        self._clock = clock
        self._stream = 0
        self._claiming = False
        self.succeeded = asyncio.Event()
        self.successor: Claim | None = None
        """The claim that the phone accepted after the holder's."""
        self._freed = asyncio.Event()

    async def take(self, holder: Mapping[str, Any], claim: Claim | None) -> None:
        """Take the lock. Raises HelperFailure if another holder has the phone."""
        if claim is not None:
            self._accept(claim)
            holder = {**holder, "claim": claim._asdict()}
            self._claiming = True
            await self._end_former(claim)
            stream, later = self._read()
            if stream != self._stream and later is not None:
                raise claimed(later, live=True)
        if (other := self._other()) is not None:
            raise HelperFailure(Code.IN_USE, "Another Handheld holds this phone.", data=other)
        self.files.write(LOCK_FILE, dump_json(holder), 0o600)
        self.files.locked[LOCK_FILE] = self

    def free(self) -> None:
        if self.files.locked.get(LOCK_FILE) is self:
            del self.files.locked[LOCK_FILE]
        self._freed.set()

    def _other(self) -> Mapping[str, Any] | None:
        if LOCK_FILE not in self.files.locked:
            return None
        try:
            return decode_json(self.files.read(LOCK_FILE))
        except (OSError, ProtocolError):
            return {}

    def _accept(self, claim: Claim) -> None:
        stream, accepted = self._read()
        if accepted is not None and not accepted.yields_to(claim):
            raise claimed(accepted, live=LOCK_FILE in self.files.locked)
        self._stream = stream + 1
        try:
            self.files.write(CLAIM_FILE, f"{self._stream} {claim}\n".encode(), 0o600)
        except OSError as problem:
            raise _unkept(str(problem.strerror)) from problem

    async def _end_former(self, claim: Claim) -> None:
        former = self.files.locked.get(LOCK_FILE)
        if not isinstance(former, HolderLock) or not former._claiming:
            return
        former.successor = claim
        former.succeeded.set()
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(former._freed.wait()),
            asyncio.ensure_future(self._clock.sleep(TAKE_OVER_MS)),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def _read(self) -> tuple[int, Claim | None]:
        """The number of the last accepted stream, and its claim."""
        if not self.files.exists(CLAIM_FILE):
            return 0, None
        try:
            content = self.files.read(CLAIM_FILE).decode("latin-1").strip("\n")
            if not content:
                return 0, None
            stream, _, claim = content.partition(" ")
            return int(stream), Claim.read(claim)
        except ValueError as problem:
            raise _unkept("something else is written there") from problem
        except OSError as problem:
            raise _unkept(str(problem.strerror)) from problem


def claimed(claim: Claim, *, live: bool) -> HelperFailure:
    message = f"The host {claim.name} has claimed this phone, by number {claim.epoch}."
    return HelperFailure(Code.CLAIMED, message, data={**claim._asdict(), "live": live})


def _unkept(why: str) -> HelperFailure:
    message = f"The phone cannot keep the claim of its host ({why}). If it stays so, remove"
    return HelperFailure(Code.FAILED, f"{message} {CLAIM_FILE}.")
