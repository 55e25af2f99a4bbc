"""Languages, the place and the keyboard, on a phone where the helper does not run."""

from collections.abc import Callable

from .adb_verbs import AdbVerbs
from .commands import Commands
from .device import Whereabouts
from .device_facts import first
from .device_ways import PLACES_SINCE
from .failures import translated
from .unsupported import NeedsHelper, Unsupported


class ShellDeviceVerbs(AdbVerbs):
    def __init__(self, commands: Commands, why: Callable[[], str]) -> None:
        """`why` returns a sentence about the helper."""
        super().__init__(commands.link)
        self._commands = commands
        self._why = why

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
