"""Leases: for a limited time, a phone belongs to one token.

The process that owns a phone decides. This module tracks every call on the phone from its check
until its actual end: nobody gets a phone before others' calls have ended, and the phone is free
only when its last holder's calls have ended. Nothing here does I/O.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Hashable
from contextlib import suppress
from dataclasses import dataclass

from ...changes import Changes
from ...clock import Clock, Timer
from ...errors import InvalidParams, TimedOut, ToolError
from .lease import HANDLE_PREFIX, Clean, Lease, LeaseRefused, Names, State, Stop, Use, holder

MOST_OF_ONE, MOST = 20, 500
"""The maximum of remembered leases per token, and of all."""
IDLE_SECONDS = 600.0
"""A lease ends after this time without a call."""
DEFAULT_MINUTES, MOST_MINUTES = 60, 480
PATIENCE = 30.0
"""The seconds that others' calls may take to end before a phone is handed over."""
CLEAN_SECONDS = 60.0
CHECK_SECONDS = 5.0
"""The interval of checking times and tokens while there are leases."""

GIVEN_BACK = "it was given back"
CALLER_GONE = "its caller was gone"
ENDED_BY_OWNER = "the owner of the phone ended it"
TIME_OVER = "the requested time is over"
IDLE = f"there was no call for {IDLE_SECONDS / 60:.0f} minutes"
REVOKED = "its token is no longer valid"

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_HANDLE_LETTERS = 12
_MOST_PHONES = 1000
"""The tokens whose leases are counted."""

_log = logging.getLogger("handheld")


@dataclass(slots=True)
class _Wear:
    """The history of a phone's leases."""

    names: frozenset[str]
    count: int = 0
    ended: float = 0.0
    fault: str = ""
    """Why the phone was not cleaned up after the last lease."""


class PastLeases:
    """Ended leases: their former holders are told the reason once, and whenever they use an old
    handle."""

    def __init__(self, stamp: Callable[[str], Hashable]) -> None:
        self._stamp = stamp
        self._past: dict[str, Lease] = {}
        """By handle, the oldest first."""
        self._untold: dict[str, Lease] = {}

    def __bool__(self) -> bool:
        """Whether there are untold ends."""
        return bool(self._untold)

    def add(self, lease: Lease, *, told: bool) -> None:
        """`told`: whether its holder knows that it ended."""
        # The oldest of the same token makes room first.
        own = [handle for handle, each in self._past.items() if each.token == lease.token]
        for handle in (*own[: 1 - MOST_OF_ONE], *list(self._past)[: 1 - MOST]):
            self._past.pop(handle, None)
            self._untold.pop(handle, None)
        self._past[lease.handle] = lease
        if not told:
            self._untold[lease.handle] = lease

    def find(self, handle: str, token: str) -> Lease | None:
        """Return this token's lease with this handle, and mark it as told."""
        lease = self._past.get(handle)
        if lease is None or lease.token != token or not self._same(lease):
            return None
        self._untold.pop(handle, None)
        return lease

    def take_untold(self, token: str, names: Collection[str] | None = None) -> Lease | None:
        """Return an untold lease of this token, of this phone or of any, and mark it as told."""
        for handle, lease in list(self._untold.items()):
            if not self._same(lease):
                del self._untold[handle]
            elif lease.token == token and (names is None or not lease.names.isdisjoint(names)):
                return self._untold.pop(handle)
        return None

    def _same(self, lease: Lease) -> bool:
        """Whether this token held the lease: another token may have its name now."""
        return self._stamp(lease.token) == lease.stamp


def _always(token: str) -> Hashable:
    return True


class Leases:
    """The leases of all phones of a process. A phone is a set of names; sets with a common name are
    the same phone."""

    def __init__(
        self,
        clock: Clock,
        *,
        most: int = 2,
        stamp: Callable[[str], Hashable] = _always,
        place: str = "",
    ) -> None:
        """`most`: the maximum of leases per token at a time. `stamp` returns the identity of a
        token, which differs from an earlier token of that name; None if the token is invalid.
        `place`: the host, which is part of handles: a gateway finds it by them."""
        self.clock = clock
        self.most = most
        self._stamp = stamp
        self._prefix = f"{HANDLE_PREFIX}{place}-" if place else HANDLE_PREFIX
        self._leases: list[Lease] = []
        self._uses: set[Use] = set()
        self._past = PastLeases(stamp)
        self._wear: list[_Wear] = []
        self._timer: Timer | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self.changes = Changes()

    def stamp(self, token: str) -> Hashable:
        """Return the identity of a token, which differs from an earlier token of that name; None if
        the token is invalid."""
        return self._stamp(holder(token))

    # Queries

    @property
    def active(self) -> bool:
        """Whether there are leases, or ended ones that their holders do not know of yet."""
        return bool(self._leases or self._past)

    def all(self) -> list[Lease]:
        self._sweep()
        return list(self._leases)

    def on(self, names: Collection[str]) -> Lease | None:
        """Return the lease of the phone with one of these names."""
        # Only this lease is checked: lists of phones query each of theirs.
        if (lease := self._on(names)) is not None:
            self._end_if_over(lease)
        return self._on(names)

    def _on(self, names: Collection[str]) -> Lease | None:
        return next((each for each in self._leases if not each.names.isdisjoint(names)), None)

    def of(self, token: str) -> list[Lease]:
        """Return a token's leases."""
        self._sweep()
        return [each for each in self._leases if each.held and each.token == holder(token)]

    def find(self, handle: str, token: str) -> Lease:
        """Return the lease with this handle. Raises LeaseRefused, with the same message for another
        token's handle as for an unknown one."""
        for lease in self.of(token):
            if lease.handle == handle:
                return lease
        past = self._past.find(handle, holder(token))
        if past is None:
            raise LeaseRefused(
                "This token has no lease with that handle; it may have ended with the server that"
                " gave it. Nothing was done. Take a phone again."
            )
        raise self.lost(past)

    def lost(self, past: Lease) -> LeaseRefused:
        return LeaseRefused(f"Nothing was done. {past.describe_end(self._on(past.names))}")

    def tell(self, token: str, names: Collection[str] | None = None) -> str:
        """Describe the end of a lease to its former holder, once: a lease of this phone, or of any;
        "" if there is none."""
        self._sweep()
        past = self._past.take_untold(holder(token), names)
        return "" if past is None else past.describe_end(self._on(past.names))

    def preference(self, names: Collection[str], token: str) -> tuple[bool, int, float]:
        """Return the sort key of free phones: first those without calls by others, then the least
        used."""
        worn = self._worn(names)
        busy = bool(self._others(names, holder(token)))
        return (busy, 0, 0.0) if worn is None else (busy, worn.count, worn.ended)

    def _worn(self, names: Collection[str]) -> _Wear | None:
        return next((each for each in self._wear if not each.names.isdisjoint(names)), None)

    # Calls

    def begin(
        self, token: str, call: str, names: Names, stop: Stop, under: Lease | None = None
    ) -> Use:
        """Register a call on a phone, `under` the lease through which the phone was found. Raises
        LeaseRefused if another token has the phone, or that lease has ended."""
        use = Use(holder(token), call, names, stop)
        if self.active or under is not None:
            self._check_use(use, under)
        self._uses.add(use)
        if use.lease is not None:
            use.lease.uses.add(use)
        return use

    def _check_use(self, use: Use, under: Lease | None) -> None:
        self._sweep()
        if under is not None and not under.held:
            self._past.find(under.handle, under.token)  # marks the end as reported
            raise self.lost(under)
        names = use.names()
        lease = self._on(names)
        if lease is None:
            if told := self.tell(use.token, names):
                raise LeaseRefused(f"Nothing was done. {told}")
        elif lease.token == use.token and lease.open:
            use.lease = lease
        elif lease.token == use.token:
            self._past.find(lease.handle, lease.token)
            raise self.lost(lease)
        else:
            raise LeaseRefused(
                f"{lease.describe()} Nothing was done, and others cannot see the phone. Use"
                " another phone, or try again later."
            )

    def end_use(self, use: Use) -> None:
        """Register the actual end of a call."""
        self._uses.discard(use)
        if use.lease is not None:
            use.lease.uses.discard(use)
            self.renew(use.lease)
        use.end()

    def renew(self, lease: Lease) -> None:
        """Restart the lease's idle time; the requested end stays."""
        lease.used = self.clock.now()

    # Taking

    async def take(
        self,
        token: str,
        who: str,
        phone: str,
        names: Collection[str],
        seconds: float,
        clean: Clean | None = None,
        hinders: Callable[[], str] = lambda: "",
    ) -> Lease:
        """Take a phone: from now on, new calls of others are refused; once their running calls have
        ended, the phone belongs to the token. `hinders` is called before the grant and returns a
        reason against it. Raises LeaseRefused, InvalidParams, TimedOut."""
        owner, others = holder(token), self._others(names, holder(token))
        self.check_room(token)
        if (taken := self._on(names)) is not None:
            raise LeaseRefused(f"{taken.describe()} It was not taken.")
        stamp = self._stamp(owner)
        if stamp is None:
            raise LeaseRefused(f"{phone} was not taken: {REVOKED}.")
        handle = self._prefix + "".join(secrets.choice(_LETTERS) for _ in range(_HANDLE_LETTERS))
        lease = Lease(handle, owner, who, phone, frozenset(names), seconds, stamp, clean)
        for use in self._uses - others:
            if use.token == owner and not lease.names.isdisjoint(use.names()):
                use.lease = lease
                lease.uses.add(use)
        self._leases.append(lease)
        self._schedule()
        self.changes.tell()
        for use in others:
            if use.lasts:
                use.stop("another client took the phone")
        try:
            await self._outwait(lease, others)
        except BaseException as stop:
            self._withdraw(lease)
            if not isinstance(stop, TimeoutError):
                raise
            running = next((use.call for use in others if use in self._uses), "a call")
            raise TimedOut(
                f"{phone} is busy: {running}, of another client, has not ended within"
                f" {PATIENCE:.0f} s. It was not taken. Try again, or take another phone."
            ) from None
        if lease.state is not State.PENDING:
            raise LeaseRefused(f"{phone} was not taken: {lease.why}.")
        if why := hinders():
            self._withdraw(lease)
            raise LeaseRefused(f"{phone} was not taken. {why}")
        self._grant(lease)
        return lease

    def check_room(self, token: str) -> None:
        """Raises InvalidParams if a token has as many leases as it may."""
        self._sweep()
        own = [each for each in self._leases if each.token == holder(token)]
        if len(own) >= self.most:
            listed = ", ".join(f"{each.phone} ({each.handle})" for each in own)
            raise InvalidParams(
                f"A token has at most {self.most} leases at a time, and yours are: {listed}. Give"
                " one back first."
            )

    def _others(self, names: Collection[str], owner: str) -> set[Use]:
        phone = frozenset(names)
        return {
            use for use in self._uses if use.token != owner and not phone.isdisjoint(use.names())
        }

    async def _outwait(self, lease: Lease, others: Collection[Use]) -> None:
        """Wait until others' calls have ended, or the lease has. Raises TimeoutError."""
        if not others:
            return
        ending = asyncio.ensure_future(lease.ending.wait())
        waits = asyncio.ensure_future(asyncio.wait({use.ended() for use in others}))
        try:
            async with self.clock.timeout(PATIENCE):
                await asyncio.wait({waits, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (ending, waits):
                each.cancel()
            await asyncio.gather(ending, waits, return_exceptions=True)

    def _grant(self, lease: Lease) -> None:
        lease.state = State.HELD
        lease.since = self.clock.time()
        lease.began = lease.used = self.clock.now()
        worn = self._worn(lease.names)
        if worn is None:
            worn = _Wear(lease.names)
            self._wear = [*self._wear[1 - _MOST_PHONES :], worn]
        worn.names |= lease.names
        worn.count += 1
        lease.fault, worn.fault = worn.fault, ""
        self._schedule()
        self.changes.tell()

    def _withdraw(self, lease: Lease) -> None:
        """Remove a lease that was never granted."""
        if lease.state is State.PENDING:
            lease.state = State.OVER
            for use in lease.uses:
                use.lease = None
            self._leases.remove(lease)
            self.changes.tell()

    # Ending

    def end(self, lease: Lease, why: str, *, moved: bool = False) -> None:
        """End a lease: stop its calls. When they have ended, the phone is free, unless it has
        `moved` to another host."""
        if not lease.open:
            return
        lease.moved = moved
        granted = lease.held
        lease.state, lease.why, lease.ended_at = State.ENDING, why, self.clock.time()
        lease.ending.set()
        if granted:
            self._past.add(lease, told=why in (GIVEN_BACK, CALLER_GONE, REVOKED))
            _log.info("The lease of %s by %s ended: %s.", lease.phone, lease.who, why)
        for use in list(lease.uses):
            use.stop(why)
        task = asyncio.ensure_future(self._finish(lease, granted))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)
        self.changes.tell()

    async def _finish(self, lease: Lease, granted: bool) -> None:
        try:
            # No timeout here: each call has one, and nobody else may act before its end.
            if lease.uses:
                await asyncio.wait({use.ended() for use in lease.uses})
            # Another host's agent may already use the phone.
            fault = await self._clean(lease) if granted and not lease.moved else ""
            if granted and (worn := self._worn(lease.names)) is not None:
                worn.fault, worn.ended = fault, self.clock.now()
        finally:
            lease.state = State.OVER
            self._leases.remove(lease)
            lease.over.set()
            self.changes.tell()

    async def _clean(self, lease: Lease) -> str:
        """Clean up the phone; return why that failed, or ""."""
        if lease.clean is None:
            return ""
        try:
            async with self.clock.timeout(CLEAN_SECONDS):
                await lease.clean()
            return ""
        except TimeoutError:
            fault = f"it took longer than {CLEAN_SECONDS:.0f} s"
        except ToolError as failure:
            fault = failure.message.rstrip(".")
        except Exception:
            _log.exception("%s was not cleaned up after a lease.", lease.phone)
            return "it broke"
        _log.warning("%s was not cleaned up after a lease: %s.", lease.phone, fault)
        return fault

    async def wait_over(self, lease: Lease, seconds: float) -> bool:
        """Wait until the phone of an ended lease is free; return False if that takes longer."""
        with suppress(TimeoutError):
            async with self.clock.timeout(seconds):
                await lease.over.wait()
        return lease.over.is_set()

    # Time

    def _sweep(self) -> None:
        """End the leases whose time is over, and those whose tokens are invalid."""
        for lease in list(self._leases):
            self._end_if_over(lease)

    def _end_if_over(self, lease: Lease) -> None:
        now = self.clock.now()
        if not lease.open:
            return
        if self._stamp(lease.token) != lease.stamp:
            self.end(lease, REVOKED)
        elif lease.held and now >= lease.began + lease.seconds:
            self.end(lease, TIME_OVER)
        elif lease.held and not lease.uses and now >= lease.used + IDLE_SECONDS:
            self.end(lease, IDLE)

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not any(each.open for each in self._leases):
            return
        now = self.clock.now()
        ends = [
            min(each.left(now), each.used + IDLE_SECONDS - now if not each.uses else CHECK_SECONDS)
            for each in self._leases
            if each.held
        ]
        self._timer = self.clock.call_later(max(0.0, min([CHECK_SECONDS, *ends])), self._check)

    def _check(self) -> None:
        self._timer = None
        self._sweep()
        self._schedule()

    async def aclose(self) -> None:
        """End all leases at the end of the process."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in list(self._ends):
            task.cancel()
        await asyncio.gather(*self._ends, return_exceptions=True)
