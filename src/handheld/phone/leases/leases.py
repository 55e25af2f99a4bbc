"""Leases: for a while a phone is one token's alone.

The process that owns a phone decides. Every call on it is noted here from its check until it has
really ended: nobody gets a phone before the calls of others have ended, and it is free only when
those of its last holder have. Nothing here does I/O.
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
from .past import PastLeases

IDLE_SECONDS = 600.0
"""Without a call for so long a lease ends."""
DEFAULT_MINUTES, MOST_MINUTES = 60, 480
PATIENCE = 30.0
"""Seconds that the calls of others may take to end before a phone is handed over."""
CLEAN_SECONDS = 60.0
CHECK_SECONDS = 5.0
"""How often times and tokens are checked while there are leases."""

GIVEN_BACK = "it was given back"
CALLER_GONE = "its caller was gone"
ENDED_BY_OWNER = "the owner of the phone ended it"
TIME_OVER = "the time that was asked for is over"
IDLE = f"there was no call for {IDLE_SECONDS / 60:.0f} minutes"
REVOKED = "its token is no longer valid"

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_HANDLE_LETTERS = 12
_MOST_PHONES = 1000
"""Whose leases are counted."""

_log = logging.getLogger("handheld")


@dataclass(slots=True)
class _Wear:
    """How much a phone was leased."""

    names: frozenset[str]
    count: int = 0
    ended: float = 0.0
    fault: str = ""
    """Why it was not cleaned up after the last lease."""


def _always(token: str) -> Hashable:
    return True


class Leases:
    """Of all phones of a process. A phone is a set of names; sets with one in common are the same
    phone."""

    def __init__(
        self,
        clock: Clock,
        *,
        most: int = 2,
        stamp: Callable[[str], Hashable] = _always,
        place: str = "",
    ) -> None:
        """`most`: leases of one token at a time. `stamp` returns what tells a token from an earlier
        one of that name; None where it does not hold. `place`: the host, which handles name so
        that a gateway finds it."""
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
        """What tells a token from an earlier one of that name; None where it does not hold."""
        return self._stamp(holder(token))

    # What there is

    @property
    def active(self) -> bool:
        """Whether there are leases, or some that ended and are to be told of."""
        return bool(self._leases or self._past)

    def all(self) -> list[Lease]:
        self._sweep()
        return list(self._leases)

    def on(self, names: Collection[str]) -> Lease | None:
        """The lease of the phone with one of these names."""
        # Only this one is looked at: lists of phones ask for each of theirs.
        if (lease := self._on(names)) is not None:
            self._end_if_over(lease)
        return self._on(names)

    def _on(self, names: Collection[str]) -> Lease | None:
        return next((each for each in self._leases if not each.names.isdisjoint(names)), None)

    def of(self, token: str) -> list[Lease]:
        """What a token holds."""
        self._sweep()
        return [each for each in self._leases if each.held and each.token == holder(token)]

    def find(self, handle: str, token: str) -> Lease:
        """The lease that a handle names. Raises LeaseRefused; the handle of another token is not
        told from one that never was."""
        for lease in self.of(token):
            if lease.handle == handle:
                return lease
        past = self._past.find(handle, holder(token))
        if past is None:
            raise LeaseRefused(
                "This token has no lease with that handle; it may have ended with the server that"
                " gave it. Nothing was done. Take a phone anew."
            )
        raise self.lost(past)

    def lost(self, past: Lease) -> LeaseRefused:
        return LeaseRefused(f"Nothing was done. {past.describe_end(self._on(past.names))}")

    def tell(self, token: str, names: Collection[str] | None = None) -> str:
        """How a lease ended of which its former holder was not told yet, of this phone or of any;
        "" if there is none. It is told once."""
        self._sweep()
        past = self._past.take_untold(holder(token), names)
        return "" if past is None else past.describe_end(self._on(past.names))

    def preference(self, names: Collection[str], token: str) -> tuple[bool, int, float]:
        """By which free phones are ordered: those on which others have no calls, then the least
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
        """Note a call on a phone, `under` the lease by which the phone was found. Raises
        LeaseRefused if the phone is another's, or that lease has ended."""
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
            self._past.find(under.handle, under.token)  # it is told now
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
                f"{lease.describe()} Nothing was done, and nothing of it is shown to others. Use"
                " another phone, or try again then."
            )

    def end_use(self, use: Use) -> None:
        """A call has ended on the phone."""
        self._uses.discard(use)
        if use.lease is not None:
            use.lease.uses.discard(use)
            self.renew(use.lease)
        use.end()

    def renew(self, lease: Lease) -> None:
        """Its idle time begins anew; its end as asked for stays."""
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
        """Take a phone: from now on new calls of others are refused, and once those that run have
        ended it is the token's. `hinders`, asked when it is granted, says why it cannot be. Raises
        LeaseRefused, InvalidParams, TimedOut."""
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
        """Wait for the end of others' calls, or of the lease. Raises TimeoutError."""
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
        """It was never granted."""
        if lease.state is State.PENDING:
            lease.state = State.OVER
            for use in lease.uses:
                use.lease = None
            self._leases.remove(lease)
            self.changes.tell()

    # Ending

    def end(self, lease: Lease, why: str, *, moved: bool = False) -> None:
        """End it: what runs under it is stopped, and when that has ended the phone is free, unless
        it has `moved` to another host."""
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
            # Not bounded here: each call is, and nobody else may act before it has ended.
            if lease.uses:
                await asyncio.wait({use.ended() for use in lease.uses})
            # Another host's agent may use it already.
            fault = await self._clean(lease) if granted and not lease.moved else ""
            if granted and (worn := self._worn(lease.names)) is not None:
                worn.fault, worn.ended = fault, self.clock.now()
        finally:
            lease.state = State.OVER
            self._leases.remove(lease)
            lease.over.set()
            self.changes.tell()

    async def _clean(self, lease: Lease) -> str:
        """Return why it failed; "" if it did not."""
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
        """Wait until the phone of a lease that ended is free; False if that takes longer."""
        with suppress(TimeoutError):
            async with self.clock.timeout(seconds):
                await lease.over.wait()
        return lease.over.is_set()

    # Time

    def _sweep(self) -> None:
        """End the leases whose time is over, and those whose tokens do not hold."""
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
        """The process ends, and its leases with it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in list(self._ends):
            task.cancel()
        await asyncio.gather(*self._ends, return_exceptions=True)
