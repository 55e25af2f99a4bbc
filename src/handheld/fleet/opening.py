"""Which fleet the settings ask for."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..adb.keys import load_keys
from ..adb.link import AdbError, Link
from ..adb.server import AdbServer
from ..hands.helper import HelperHands
from ..helper.client import HelperClient
from ..phone import Phone, Printed
from ..settings import Settings, split_address
from . import Fleet, Told
from .direct import AddressPlace, DirectFleet
from .spawned import VirtualPlace
from .tracked import TrackedFleet

_ASK_SECONDS = 1.0


async def open_fleet(settings: Settings, told: Told) -> Fleet:
    """A virtual phone only where it was asked for; an address directly, unless the adb server has
    that phone already; else what the adb server has."""
    hold = Holding().hold
    if settings.virtual:
        return DirectFleet(VirtualPlace(told), hold, told)
    server = AdbServer(*settings.adb_address)
    address = split_address(settings.phone)
    if address is None or await _has(settings, settings.phone):
        return TrackedFleet(server, settings.phone, hold, told)
    keys = partial(load_keys, settings.folders.state)
    return DirectFleet(AddressPlace(*address, keys, told), hold, told)


class Holding:
    """Makes phones of links, and remembers across connections which ids were printed for each: an
    id from before a phone was unplugged must not be taken for one that was never printed."""

    def __init__(self) -> None:
        self._printed: dict[str, Printed] = {}
        self._boots: dict[str, str] = {}

    def hold(self, link: Link) -> Phone:
        serial = link.serial

        def greeted(hello: Mapping[str, Any]) -> None:
            boot = str(hello.get("boot_id", ""))
            if self._boots.setdefault(serial, boot) != boot:
                phone.restarted()
                self._boots[serial] = boot

        client = HelperClient(link, greeted=greeted)
        printed = self._printed.setdefault(serial, Printed())
        phone = Phone(serial, HelperHands(client), printed=printed)
        return phone


async def _has(settings: Settings, serial: str) -> bool:
    """Whether a running adb server lists the phone. None is started for this."""
    host, port = settings.adb_address
    try:
        async with asyncio.timeout(_ASK_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            await writer.wait_closed()
            devices = await AdbServer(host, port).devices()
    except (OSError, TimeoutError, AdbError):
        return False
    return any(device.serial == serial for device in devices)
