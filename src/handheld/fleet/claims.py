"""The claims of a host on its phones: kept in the engine, on disk, and given to the phones, which
accept one host by its claim."""

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices
from ..engine.claims import HIGHEST, ClaimRow, ClaimTable
from ..engine.directory import STALE
from ..engine.kv import Conflict, KvError
from ..engine.names import is_phone_id, phone_id
from ..engine.wire import WireError
from ..errors import ToolError
from ..helper.claim import PhoneClaims
from ..helper.protocol import Claim
from ..phone.leases import PATIENCE, Leases
from ..settings.private_file import private_folder, write_private
from ..surface.leased_phones import all_names
from .claiming import Leave, Sight, Stay, Take, decide

if TYPE_CHECKING:
    from ..phone import Phone

LOOK_EVERY = 2.0
"""Seconds between two looks at what is connected, and at a phone that another host has."""
KEEP_EVERY = 10.0
"""Seconds between two looks into the engine at a phone that is ours, and between two attempts to
have a phone that refuses us although the engine says that it is ours."""
RELEASE_WITHIN = 2.0

log = logging.getLogger("handheld")


@dataclass(slots=True)
class _Own:
    """What the host knows about a phone."""

    epoch: int = 0
    revision: int = 0
    """Of the row, as far as it is ours; 0 if that is not known."""
    serial: str = ""
    """The connection by which it is used."""
    names: frozenset[str] = frozenset()
    look_at: float = 0.0
    ask_at: float = 0.0
    """When a phone is asked again that has refused us."""
    away_since: float | None = None
    """Since when the host was not heard of that has the phone."""

    in_doubt: bool = False
    """Whether a claim of ours was not answered, and may come to the engine yet."""

    @property
    def is_kept(self) -> bool:
        """Whether the next start must know of it: to use the phone, or to release it."""
        return bool(self.epoch or self.revision)


class Claims:
    """Phones are used, and leased, as it says in `phones`."""

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
        self._tending: dict[str, asyncio.Task[None]] = {}
        self._saving = asyncio.Lock()
        self._unsaved = False
        self._began = clock.now()
        phones.required = True

    async def run(self) -> None:
        """Until it is cancelled."""
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
        """The host ends: others need not wait until it is not heard of any more."""
        with suppress(TimeoutError):
            async with self._clock.timeout(RELEASE_WITHIN):
                await asyncio.gather(*map(self._give_up, list(self._own)))
        await self._save()

    async def look(self) -> None:
        """Begin what is to be done about each phone."""
        try:
            present = await self._devices.present(None)
        except ToolError:
            return  # the adb server is away: its phones are not gone
        found: dict[str, Phone] = {}
        for phone in present:
            with suppress(ToolError):  # one that does not answer can be told from no other
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
        # One that was here before we started may come yet, and one that is leased is expected back.
        settled = self._clock.now() - self._began >= STALE
        for key in self._own.keys() - found.keys():
            own = self._own[key]
            if (own.serial or settled) and self._leases.on(own.names) is None:
                self._begin(key, None)

    async def _key(self, phone: "Phone") -> str:
        """Raises ToolError. What has no serial number of its own is the same phone at no other
        host, as far as anybody knows."""
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
        if claim.refusal is not None:
            await self._leave(phone, claim.elsewhere)
        elif own.epoch and (claim.claim is None or claim.claim.epoch != own.epoch):
            await self._use(phone, own, own.epoch)  # known from before: it needs no engine
        now = self._clock.now()
        if now < own.look_at and (claim.refusal is None or now < own.ask_at):
            return
        try:
            row = await self._table.read(key)
            away = row is not None and await self._is_away(own, row)
        except (WireError, KvError) as problem:
            own.away_since = None
            log.info("The claim on %s was not looked at: %s", phone.serial, problem)
            return
        decision = decide(Sight(self._table.host, own.epoch, row, away, claim.refusal))
        own.look_at = now + (KEEP_EVERY if isinstance(decision, Stay) else LOOK_EVERY)
        own.revision = row.revision if row is not None and row.host == self._table.host else 0
        if isinstance(decision, Stay):
            own.ask_at = 0.0
            await self._use(phone, own, decision.epoch)
        elif isinstance(decision, Take):
            await self._take(key, phone, own, decision)
        elif own.revision:
            await self._ask(phone, own)
        else:
            await self._yield(phone, own, decision)

    async def _ask(self, phone: "Phone", own: _Own) -> None:
        """The engine says that it is ours, the phone that another host uses it. That host gives
        way, if it is of this engine."""
        now, claim = self._clock.now(), phone.claim
        own.look_at, again, own.ask_at = now + KEEP_EVERY, bool(own.ask_at), now + KEEP_EVERY
        if again:
            claim.refusal, claim.elsewhere = None, ""
            with suppress(ToolError):
                await phone.link()
            if claim.refusal is not None and not claim.refusal.live:
                own.ask_at = now

    async def _is_away(self, own: _Own, row: ClaimRow) -> bool:
        if row.host == self._table.host or await self._table.is_heard(row.host):
            own.away_since = None
            return False
        # By our own clock, and while we are connected: an engine that comes back knows no host.
        if own.away_since is None:
            own.away_since = self._clock.now()
        return self._clock.now() - own.away_since >= STALE

    async def _take(self, key: str, phone: "Phone", own: _Own, take: Take) -> None:
        try:
            row = await self._table.take(key, take.revision, take.above)
        except (Conflict, WireError, KvError) as problem:
            own.in_doubt |= not isinstance(problem, Conflict)
            log.info("%s was not claimed: %s", phone.serial, problem)
            return
        own.revision, own.away_since, own.in_doubt = row.revision, None, False
        await self._use(phone, own, row.epoch)

    async def _use(self, phone: "Phone", own: _Own, epoch: int) -> None:
        """Give the phone our claim. One that is new is on disk first, and has no leases of the
        former."""
        given = Claim(epoch, self._table.host, self._table.name)
        claim = phone.claim
        if given == claim.claim and claim.refusal is None and not claim.elsewhere:
            return
        if epoch != own.epoch:
            await self._end_leases(phone, "this host has claimed the phone anew")
            own.epoch = epoch
            await self._save()
        if given == claim.claim:
            claim.refusal, claim.elsewhere = None, ""
            return
        with suppress(ToolError):  # what runs has not ended: at the next look
            async with phone.acting("the claim of the host"):
                claim.give(given)
                await phone.driver.unlink()

    async def _yield(self, phone: "Phone", own: _Own, leave: Leave) -> None:
        """Another host has it."""
        claim = phone.claim
        await self._leave(phone, f"The host {leave.name} has claimed this phone.")
        if own.epoch or claim.claim is not None:
            log.info("%s: the host %s has claimed it.", phone.serial, leave.name)
            own.epoch = 0
            await self._save()
            claim.claim = claim.refusal = None
            await phone.driver.unlink()

    async def _leave(self, phone: "Phone", why: str) -> None:
        phone.claim.elsewhere = why
        await self._end_leases(phone, f"{why[0].lower()}{why[1:]}".rstrip("."), moved=True)

    async def _end_leases(self, phone: "Phone", why: str, *, moved: bool = False) -> None:
        if (lease := self._leases.on(all_names(phone))) is not None:
            self._leases.end(lease, why, moved=moved)
            await self._leases.wait_over(lease, PATIENCE)

    async def _release(self, key: str) -> None:
        """It is not connected any more, or was not a moment ago."""
        if self._leases.on(self._own[key].names) is None and await self._give_up(key):
            await self._save()

    async def _give_up(self, key: str) -> bool:
        """Let others have a phone; whether it was known to be ours. If the engine is away it stays
        so."""
        own = self._own[key]
        if own.serial:
            # If it comes back it must not be leased by a claim that we do not have any more.
            self._phones.of(own.serial).claim = None
        known = own.is_kept
        try:
            row = await self._table.read(key)
            if row is None and own.in_doubt:
                # One that comes late would claim for us what is not here, until we end.
                row = await self._table.take(key, 0, 0)
                own.in_doubt = False
            if row is not None and row.host == self._table.host:
                # A replica may have answered that does not know our last claim yet.
                own.revision = max(own.revision, row.revision)
            if own.revision:
                # Even if it is not answered it may be done, at any time.
                if own.epoch:
                    own.epoch = 0
                    await self._save()
                await self._table.release(key, own.revision)
        except (WireError, KvError) as problem:
            log.info("The claim on a phone was not given up: %s", problem)
            return False
        del self._own[key]
        return known

    # On disk

    async def _save(self) -> None:
        self._unsaved = True
        async with self._saving:
            if self._unsaved:  # by none of those that waited with us
                self._unsaved = False
                kept = {phone: own.epoch for phone, own in self._own.items() if own.is_kept}
                data = json.dumps(kept).encode()
                await asyncio.to_thread(_write, self._file, data)


def _write(file: Path, data: bytes) -> None:
    private_folder(file.parent)
    write_private(file, data, durable=True)


def _load(file: Path) -> dict[str, int]:
    """What cannot be read is claimed anew."""
    try:
        read: Any = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {
        phone: epoch
        for phone, epoch in cast("dict[str, Any]", read).items()
        if is_phone_id(phone) and type(epoch) is int and 0 <= epoch <= HIGHEST
    }
