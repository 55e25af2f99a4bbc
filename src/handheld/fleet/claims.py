"""The claims of a host on its phones. They are kept in the engine and on disk, and given to the
phones, each of which accepts one host by its claim."""

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..calls.addressing import all_names
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices
from ..errors import ToolError
from ..helper.claim import PhoneClaims, Refusal
from ..helper.protocol import Claim
from ..phone.leases.leases import PATIENCE, Leases
from ..settings.private_file import private_folder, write_private
from .claiming import Leave, Sight, decide
from .nats.claims import HIGHEST, ClaimTable
from .nats.directory import STALE
from .nats.kv import KvError
from .nats.names import is_member_id, is_phone_id, phone_id
from .nats.wire import WireFault

if TYPE_CHECKING:
    from ..phone.phone import Phone

LOOK_EVERY = 2.0
"""Seconds between two checks of connected phones, and of a phone that another host has."""
KEEP_EVERY = 10.0
"""Seconds between two checks of our own row in the engine, and between two questions to a phone
that another host uses without a row."""
RELEASE_WITHIN = 2.0

log = logging.getLogger("handheld")


@dataclass(slots=True)
class _Own:
    """What the host knows about a phone."""

    epoch: int = 0
    """The epoch under which the phone has accepted us; 0 if it has not, or if we began to release
    it."""
    refusal: Refusal | None = None
    """The host that it has accepted instead, according to its last reply."""
    serial: str = ""
    """The connection through which it is used."""
    names: frozenset[str] = frozenset()
    look_at: float = 0.0
    away_since: float | None = None
    """Since when the host that has the phone has been silent."""


class Claims:
    """Keeps the claims on this host's phones. `phones` says which may be used and leased."""

    def __init__(
        self,
        table: ClaimTable,
        devices: Devices,
        phones: PhoneClaims,
        leases: Leases,
        file: Path,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._table = table
        self._devices = devices
        self._phones = phones
        self._leases = leases
        self._file = file
        self._clock = clock
        self._own = {phone: _Own(epoch) for phone, epoch in _load(file).items()}
        table.phones.update(self._own)
        self._tending: dict[str, asyncio.Task[None]] = {}
        self._saving = asyncio.Lock()
        self._unsaved = False
        self._refused = ""
        self._began = self._read_at = clock.now()
        phones.required = True

    async def run(self) -> None:
        """Run until cancelled."""
        try:
            with self._phones.changes.watch() as changed:
                while True:
                    changed.clear()
                    await self.look()
                    with suppress(TimeoutError):
                        async with self._clock.timeout(LOOK_EVERY):
                            await changed.wait()
        finally:
            for task in self._tending.values():
                task.cancel()
            await asyncio.gather(*self._tending.values(), return_exceptions=True)

    async def release(self) -> None:
        """Release all claims when the host ends: others then need not wait until it counts as
        silent."""
        with suppress(TimeoutError):
            async with self._clock.timeout(RELEASE_WITHIN):
                await asyncio.gather(*map(self._give_up, list(self._own)))
        await self._save()

    async def look(self) -> None:
        """Start the work that each phone needs."""
        try:
            present = await self._devices.present(None)
        except ToolError:
            return  # the adb server is away, but its phones are not gone
        if self._clock.now() >= self._read_at:
            self._read_at = self._clock.now() + KEEP_EVERY
            self._table.forget()
        found: dict[str, Phone] = {}
        for phone in present:
            with suppress(ToolError):  # a phone that does not answer cannot be identified
                key = await self._key(phone)
                used = self._own.setdefault(key, _Own()).serial
                if key in found and phone.serial == used:
                    phone, found[key] = found[key], phone
                if found.setdefault(key, phone) is not phone:
                    phone.claim.elsewhere = (
                        f"It is connected twice, and used as {found[key].serial}."
                    )
        for key, phone in found.items():
            self._begin(key, phone)
        # A phone from before our start may still appear, and a leased one is expected back.
        settled = self._clock.now() - self._began >= STALE
        for key in self._own.keys() - found.keys():
            own = self._own[key]
            if (own.serial or settled) and self._leases.on(own.names) is None:
                self._begin(key, None)

    async def _key(self, phone: "Phone") -> str:
        """Raises ToolError. A phone without a serial number of its own is treated as unknown to all
        other hosts."""
        await phone.identity.read()
        return phone_id(phone.identity.single or f"{self._table.host} {phone.serial}")

    def _begin(self, key: str, phone: "Phone | None") -> None:
        if key not in self._tending:
            work = self._release(key) if phone is None else self._tend(key, phone)
            task = self._tending[key] = asyncio.create_task(work)
            task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: str, task: "asyncio.Task[None]") -> None:
        del self._tending[key]
        if not task.cancelled() and (problem := task.exception()) is not None:
            log.error("The claim on a phone could not be kept up", exc_info=problem)

    # One phone

    async def _tend(self, key: str, phone: "Phone") -> None:
        own, claim = self._own[key], phone.claim
        claim.belongs_to(phone.identity.single)
        own.serial, own.names = phone.serial, all_names(phone)
        if claim.refusal is None and own.epoch and _number(claim.claim) != own.epoch:
            await self._give(phone, own.epoch)  # known from before, so the engine is not needed
        while await self._is_refused(key, phone):
            pass

    async def _is_refused(self, key: str, phone: "Phone") -> bool:
        """Check a phone once. Returns whether it has just refused us, and so has named its host."""
        own, claim, now = self._own[key], phone.claim, self._clock.now()
        if claim.refusal is not None:
            own.refusal = claim.refusal
            await self._leave(phone, claim.elsewhere)
        elif now < own.look_at:
            return False
        own.look_at = now + LOOK_EVERY
        try:
            listed, away = await self._look_for_other(key, own)
            decision = decide(Sight(self._table.host, own.epoch, own.refusal, listed, away))
            if isinstance(decision, Leave):
                await self._yield(key, phone, own, decision)
                if not listed:
                    # Only the phone can tell, so it is asked again.
                    own.look_at, own.refusal = now + KEEP_EVERY, None
                return False
            # First: a host that the phone refers to us then finds in our row that we have it.
            await self._table.add(key)
        except (WireFault, KvError) as problem:
            own.away_since = None
            self._tell(phone, problem)
            return False
        if decision.epoch != own.epoch or not claim.ours:
            await self._use(phone, own, decision.epoch)
        return claim.refusal is not None and claim.refusal is not own.refusal

    def _tell(self, phone: "Phone", problem: Exception) -> None:
        """Tell the owner once what an engine refuses. That the engine is away is already known."""
        level = logging.INFO
        if isinstance(problem, KvError) and str(problem) != self._refused:
            level, self._refused = logging.WARNING, str(problem)
        log.log(level, "The claim on %s was not checked: %s", phone.serial, problem)

    async def _look_for_other(self, key: str, own: _Own) -> tuple[bool, bool]:
        """Whether the host that the phone has accepted says that it has it, and whether that host
        has been silent for a while."""
        host = "" if own.refusal is None else own.refusal.claim.host
        if not is_member_id(host) or not await self._table.has(host, key):
            own.away_since = None
            return False, False
        if await self._table.is_heard(host):
            own.away_since = None
            return True, False
        # Measured by our own clock while we are connected: an engine that restarts knows no host.
        if own.away_since is None:
            own.away_since = self._clock.now()
        return True, self._clock.now() - own.away_since >= STALE

    async def _use(self, phone: "Phone", own: _Own, epoch: int) -> None:
        """Let the phone accept us under this epoch. A new epoch is on disk before anybody leases
        the phone, and inherits no leases."""
        claim = phone.claim
        if epoch != own.epoch:
            await self._end_leases(phone, "this host has claimed the phone anew")
        await self._give(phone, epoch, ask=True)
        if claim.refusal is not None or _number(claim.claim) != epoch:
            return
        own.refusal = own.away_since = None
        if epoch != own.epoch:
            own.epoch = epoch
            await self._save()
        claim.settle()

    async def _give(self, phone: "Phone", epoch: int, *, ask: bool = False) -> None:
        claim = phone.claim
        with suppress(ToolError):  # running calls have not ended: the next check tries again
            async with phone.acting("the claim of the host"):
                claim.give(Claim(epoch, self._table.host, self._table.name))
                await phone.driver.unlink()
                if not ask:
                    claim.settle()
                    return
                # A phone that does not answer is used, and asked before each lease.
                await phone.link()
                # A phone that nobody uses is left alone.
                await phone.driver.unlink()

    async def _yield(self, key: str, phone: "Phone", own: _Own, leave: Leave) -> None:
        """Leave the phone to another host. Raises WireError and KvError."""
        claim = phone.claim
        await self._leave(phone, f"The host {leave.name} has claimed this phone.")
        if own.epoch or claim.claim is not None:
            log.info("%s: the host %s has claimed it.", phone.serial, leave.name)
            own.epoch = 0
            await self._save()
            claim.claim = claim.refusal = None
            await phone.driver.unlink()
        await self._table.remove(key)

    async def _leave(self, phone: "Phone", why: str) -> None:
        phone.claim.elsewhere = why
        await self._end_leases(phone, f"{why[0].lower()}{why[1:]}".rstrip("."), moved=True)

    async def _end_leases(self, phone: "Phone", why: str, *, moved: bool = False) -> None:
        if (lease := self._leases.on(all_names(phone))) is not None:
            self._leases.end(lease, why, moved=moved)
            await self._leases.wait_over(lease, PATIENCE)

    async def _release(self, key: str) -> None:
        """The phone is no longer connected, or was briefly disconnected."""
        if self._leases.on(self._own[key].names) is None and await self._give_up(key):
            await self._save()

    async def _give_up(self, key: str) -> bool:
        """Release a phone for others. Returns whether it was ours. While the engine is away, the
        claim stays."""
        own = self._own[key]
        if own.serial:
            # If the phone comes back, it must not be leased under a claim that we no longer have.
            self._phones.of(own.serial).claim = None
        known = bool(own.epoch)
        try:
            await self._table.has(self._table.host, key)  # the engine answers
            if own.epoch:
                # Even an unacknowledged release may take effect at any time.
                own.epoch = 0
                await self._save()
            await self._table.remove(key)
        except (WireFault, KvError) as problem:
            log.info("The claim on a phone was not released: %s", problem)
            return False
        del self._own[key]
        return known

    # On disk

    async def _save(self) -> None:
        self._unsaved = True
        async with self._saving:
            if self._unsaved:  # none of those that waited with us has saved them
                self._unsaved = False
                kept = {phone: own.epoch for phone, own in self._own.items() if own.epoch}
                data = json.dumps(kept).encode()
                await asyncio.to_thread(_write, self._file, data)


def _number(claim: Claim | None) -> int:
    return 0 if claim is None else claim.epoch


def _write(file: Path, data: bytes) -> None:
    private_folder(file.parent)
    write_private(file, data, durable=True)


def _load(file: Path) -> dict[str, int]:
    """A claim that cannot be read is made again."""
    try:
        read: Any = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {
        phone: epoch
        for phone, epoch in cast("dict[str, Any]", read).items()
        if is_phone_id(phone) and type(epoch) is int and 0 < epoch <= HIGHEST
    }
