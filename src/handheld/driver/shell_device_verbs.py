"""The verbs of the device, on a phone where the helper does not run."""

from collections.abc import Callable, Collection, Mapping

from .adb_verbs import AdbVerbs
from .commands import Commands
from .device import Answer, Reach, Whereabouts
from .device_facts import first
from .device_ways import PLACES_SINCE
from .failures import translated
from .shell_device import ShellDevice
from .unsupported import NeedsHelper, Unsupported


class ShellDeviceVerbs(AdbVerbs):
    def __init__(self, commands: Commands, why: Callable[[], str]) -> None:
        """`why` returns a sentence about the helper."""
        super().__init__(commands.link)
        self._commands = commands
        self._why = why
        self._device = ShellDevice(commands)

    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        with translated("device"):
            return await self._device.read(names)

    async def change_device(self, line: str, names: Collection[str]) -> Answer:
        with translated("device", act=True):
            return await self._device.change(line, names)

    async def reach(self) -> Reach:
        with translated("device"):
            return await self._device.reach()

    async def languages(self) -> list[str]:
        """The preferred one alone: a property has no more."""
        with translated("language"):
            printed = (await self._device.read(("locale",)))["locale"]
        return [first(printed) or printed.strip()]

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        if fresh_ms:
            raise NeedsHelper(Unsupported.FIX, self._why())
        with translated("location"):
            return await self._device.last_place()

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        with translated("mock_location", act=True):
            if await self._commands.api() < PLACES_SINCE:
                raise NeedsHelper(Unsupported.PLACE, self._why())
            await self._device.pretend_place(place)

    async def keyboard_shown(self) -> bool:
        with translated("screen"):
            return await self._device.keyboard_shown()
