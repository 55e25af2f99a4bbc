"""Languages, location and keyboard through the helper. Android's own commands do everything else
about the device."""

from collections.abc import Sequence

from ..device import Fix, Whereabouts
from ..failures import translated
from .screen import HelperScreen
from .verbs import ACT_MS, SLACK_MS

ACCURACY = 3.0
"""Metres: the accuracy of a mock location."""


class HelperDevice(HelperScreen):
    async def languages(self) -> list[str]:
        return (await self._call("language", {"set": None}, ACT_MS)).reply["locales"]

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        answer = await self._call("language", {"set": list(tags)}, 2 * ACT_MS, act=True)
        return answer.reply["locales"]

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        answer = await self._call("location", {"fresh_ms": fresh_ms}, fresh_ms + SLACK_MS)
        found, enabled = answer.reply["location"], answer.reply["enabled"]
        if found is None and fresh_ms == 0:
            # Android 10 silently withholds the location from programs without a window.
            with translated("device"):
                return Whereabouts((await self._device.last_place()).fix, enabled)
        if found is None:
            return Whereabouts(None, enabled)
        fix = Fix(
            found["latitude"],
            found["longitude"],
            found["accuracy"],
            found["provider"],
            found["age_ms"],
            found["mock"],
        )
        return Whereabouts(fix, enabled)

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        wanted = None
        if place is not None:
            wanted = {"latitude": place[0], "longitude": place[1], "accuracy": ACCURACY}
        await self._call("mock_location", {"set": wanted}, ACT_MS, act=True)

    async def keyboard_shown(self) -> bool:
        return any(window.type == "INPUT_METHOD" for window in (await self.read_screen()).windows)
