"""Open the phones that the settings ask for."""

import asyncio
import os
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from ..adb.keys import load_keys
from ..adb.link import AdbError, Link
from ..adb.server import AdbServer
from ..clock import SYSTEM_CLOCK, Clock
from ..driver import Driver
from ..driver.fallback import FallbackDriver
from ..helper.client import HelperClient
from ..phone import IssuedRefs, Phone
from ..phone.download import DownloadRules
from ..phone.files import Files
from ..phone.sms_rules import SentParts, SmsRules
from ..phone.storage import StorageFile
from ..settings import VIRTUAL, Settings, split_address
from . import Devices, Told
from .direct import AddressPlace, DirectFleet
from .ownership import Owners
from .several import SeveralFleet
from .spawned import VirtualPlace
from .tracked import TrackedFleet

_ASK_SECONDS = 1.0


async def open_devices(settings: Settings, told: Told, clock: Clock = SYSTEM_CLOCK) -> Devices:
    """A virtual phone only where it was asked for; an address directly, unless the adb server has
    that phone already; else what the adb server has."""
    holding = Holding(settings)
    slugs = {name: settings.slug_of(name) for name in settings.phones or ("",)}
    addresses = {name: split_address(name) for name in settings.phones}
    alone = [
        name
        for name in addresses
        if addresses[name] and not await server_has(settings, name, clock)
    ]
    members: list[Devices] = []
    through_server: dict[str, str] = {}
    for name, slug in slugs.items():
        address = addresses.get(name)
        # Storage locations know a virtual phone by this: its serial is another at every start.
        hold = partial(holding.hold, also=(name,))
        if name == VIRTUAL:
            members.append(DirectFleet(VirtualPlace(told, clock), hold, told, slug))
        elif address and name in alone:
            place = address_place(settings, name, told, clock)
            members.append(DirectFleet(place, hold, told, slug))
        else:
            through_server[name] = slug
    if through_server:
        server = AdbServer(*settings.adb_address, clock=clock)
        taken = partial(_owner_of, Owners(settings.folders.owners))
        only = [name for name in through_server if name]
        members.append(TrackedFleet(server, only, holding.hold, told, through_server, taken))
    return members[0] if len(addresses) < 2 else SeveralFleet(members)


def address_place(
    settings: Settings, name: str, told: Told, clock: Clock = SYSTEM_CLOCK
) -> AddressPlace:
    """Where the phone is that was asked for by this address."""
    address = split_address(name)
    assert address is not None, "whoever asks has looked"
    return AddressPlace(*address, partial(load_keys, settings.folders.state), told, clock)


class Holding:
    """Makes phones of links, and remembers across connections which ids were printed for each: an
    id from before a phone was unplugged must not be taken for one that was never printed."""

    def __init__(self, settings: Settings | None = None) -> None:
        """Without settings no files are reached."""
        self._settings = settings
        self._storage = settings and StorageFile(settings.folders.storage)
        self._printed: dict[str, IssuedRefs] = {}
        self._sent: dict[str, SentParts] = {}
        self._boots: dict[str, str] = {}

    def hold(self, link: Link, also: Collection[str] = ()) -> Phone:
        """`also` are further names that the phone's storage locations may know it by."""
        serial = link.serial

        def greeted(hello: Mapping[str, Any]) -> bool:
            return booted(str(hello.get("boot_id", "")))

        def booted(boot: str) -> bool:
            """Whether it is another than before."""
            anew = self._boots.setdefault(serial, boot) != boot
            if anew:
                phone.restarted()
                self._boots[serial] = boot
            return anew

        client = HelperClient(link, greeted=greeted)
        printed = self._printed.setdefault(serial, IssuedRefs())
        wake = self._settings is None or self._settings.wake
        driver = FallbackDriver(client, wake=wake, booted=booted)
        names = (serial, *also)
        phone = Phone(
            serial,
            driver,
            clock=link.clock,
            issued_refs=printed,
            files=self._files(link, driver, names),
            sms_rules=self._sms_rules(),
            sent_parts=self._sent.setdefault(serial, SentParts()),
            name=next(iter(also), ""),
        )
        return phone

    def _sms_rules(self) -> SmsRules:
        if self._settings is None:
            return SmsRules()
        sms = self._settings.sms
        return SmsRules(
            frozenset(sms.subscriptions), sms.allow, sms.block, sms.parts_per_minute, sms.dry_run
        )

    def _files(self, link: Link, driver: Driver, names: Collection[str]) -> Files | None:
        settings = self._settings
        if settings is None or self._storage is None:
            return None
        slugs = {settings.slug_of(name) for name in names} - {""}
        download = settings.download
        rules = DownloadRules(
            settings.files.size_limit_mb,
            download.allow_http,
            download.allow_unverified_https,
            download.allow_private_addresses,
            download.timeout_seconds,
        )
        return Files(link, driver, self._storage, {*names, *slugs}, rules)


def _owner_of(owners: Owners, serial: str) -> str:
    """The other process of this user that was asked for this phone."""
    own = os.getpid()
    found = (str(one) for one in owners.entries() if serial in one.phones and one.pid != own)
    return next(found, "")


async def server_has(settings: Settings, serial: str, clock: Clock = SYSTEM_CLOCK) -> bool:
    """Whether a running adb server lists the phone. None is started for this."""
    host, port = settings.adb_address
    try:
        async with clock.timeout(_ASK_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            await writer.wait_closed()
            devices = await AdbServer(host, port, clock=clock).devices()
    except (OSError, TimeoutError, AdbError):
        return False
    return any(device.serial == serial for device in devices)
