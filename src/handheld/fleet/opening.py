"""Which fleet the settings ask for."""

import asyncio
from functools import partial

from ..adb.keys import load_keys
from ..adb.link import AdbError, Link
from ..adb.server import AdbServer
from ..hands.helper import HelperHands
from ..helper.client import HelperClient
from ..phone import Phone
from ..settings import Settings, split_address
from . import Fleet, Told
from .direct import AddressPlace, DirectFleet
from .spawned import VirtualPlace
from .tracked import TrackedFleet

_ASK_SECONDS = 1.0


async def open_fleet(settings: Settings, told: Told) -> Fleet:
    """A virtual phone only where it was asked for; an address directly, unless the adb server has
    that phone already; else what the adb server has."""
    if settings.virtual:
        return DirectFleet(VirtualPlace(told), hold, told)
    server = AdbServer(*settings.adb_address)
    address = split_address(settings.phone)
    if address is None or await _has(settings, settings.phone):
        return TrackedFleet(server, settings.phone, hold, told)
    keys = partial(load_keys, settings.folders.state)
    return DirectFleet(AddressPlace(*address, keys, told), hold, told)


def hold(link: Link) -> Phone:
    return Phone(link.serial, HelperHands(HelperClient(link)))


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
