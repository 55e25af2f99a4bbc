"""Publishes the phones of a host in the directory: every few seconds, and when a lease, a claim or
a takeover changes."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import NamedTuple

from ..access.takeover import Takeover
from ..calls.addressing import Addressing
from ..calls.fleet import CLAIMING, ELSEWHERE, CallerFleet
from ..calls.options import SurfaceOptions
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices
from ..errors import ToolError
from ..helper.claim import PhoneClaims
from ..phone.leases.fleet import FleetPhone
from ..phone.leases.lease import Lease
from ..phone.leases.leases import Leases
from ..tools.call import Caller
from .nats.directory import LONGEST, MOST_TAGS, UNPLUGGED, LeaseRow, PhoneRow, Registrar

LOOK_EVERY = 2.0
"""Seconds until a phone that connects or disconnects is known everywhere."""


class HostPhones(NamedTuple):
    """The phones that a host offers, and what says who uses them."""

    devices: Devices
    leases: Leases
    takeover: Takeover
    """It and the leases are those of the surface, which takes `device` whatever the number of
    phones."""
    tags: Mapping[str, Sequence[str]]
    claims: PhoneClaims
    """The devices'."""


class Publication:
    def __init__(
        self,
        registrar: Registrar,
        phones: HostPhones,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._registrar = registrar
        self._changes = phones.leases.changes, phones.takeover.changes, phones.claims.changes
        self._leases = phones.leases
        self._clock = clock
        self._fleet = CallerFleet(
            phones.leases,
            phones.devices,
            Caller("fleet"),
            Addressing(phones.devices, SurfaceOptions()).label,
            takeover=phones.takeover,
            tags=phones.tags,
            reset=None,
        )
        self._published: dict[str, PhoneRow] = {}
        """By serial."""

    async def run(self) -> None:
        """Publish until cancelled."""
        changed = asyncio.Event()
        with ExitStack() as stack:
            for changes in self._changes:
                stack.enter_context(changes.watch(changed))
            while True:
                changed.clear()
                await self.publish()
                with suppress(TimeoutError):
                    async with self._clock.timeout(LOOK_EVERY):
                        await changed.wait()

    async def publish(self) -> None:
        try:
            phones = [each for each in await self._fleet.phones() if each.state != ELSEWHERE]
        except ToolError:
            return  # the adb server is away, but its phones are not gone
        rows = {phone.serial: self._row(phone) for phone in phones}
        held = [phone.lease for phone in phones if phone.lease is not None]
        for serial, row in self._published.items():
            if serial in rows:
                continue
            lease = self._leases.on({serial, row.slug or serial})
            if lease is None or lease in held:  # given up, or connected by another name
                self._registrar.remove(serial)
            else:
                rows[serial] = replace(row, state=UNPLUGGED, lease=_lease_row(lease))
        for row in rows.values():
            self._registrar.set(row)
        self._published = rows

    def _row(self, phone: FleetPhone) -> PhoneRow:
        worn = self._leases.preference({phone.serial, phone.name}, "")
        return PhoneRow(
            serial=phone.serial,
            state=phone.state if phone.state in ("stopped", CLAIMING) else "ready",
            slug="" if phone.name == phone.serial else phone.name,
            model=phone.model,
            api=phone.api,
            tags=tuple(tag[:LONGEST] for tag in phone.tags[:MOST_TAGS]),
            uses=worn[1],
            lease=None if phone.lease is None else _lease_row(phone.lease),
        )


def _lease_row(lease: Lease) -> LeaseRow:
    ends = lease.until if lease.held else 0.0
    return LeaseRow(lease.who[:LONGEST], lease.since, ends, lease.token[:LONGEST])
