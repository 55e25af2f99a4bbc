"""The device on a phone where the helper runs: languages and places through the helper, the rest by
Android's own commands."""

from collections.abc import Collection, Mapping, Sequence

from .commands import Commands
from .device import Answer, Fix, Reach, Whereabouts
from .failures import translated
from .helper_screen import HelperScreen
from .helper_verbs import ACT_MS, SLACK_MS
from .shell_device import ShellDevice

ACCURACY = 3.0
"""Metres, of a place that apps are made to believe."""


class HelperDevice(HelperScreen):
    async def _shell(self) -> ShellDevice:
        """Return the phone's commands once the phone has accepted this process: by its helper it
        keeps away a host that has lost it, which commands alone would not."""
        await self._client.connect()
        return ShellDevice(Commands(self._link))

    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        with translated("device"):
            return await (await self._shell()).read(names)

    async def change_device(self, line: str, names: Collection[str]) -> Answer:
        with translated("device", act=True):
            return await (await self._shell()).change(line, names)

    async def reach(self) -> Reach:
        with translated("device"):
            return await (await self._shell()).reach()

    async def languages(self) -> list[str]:
        return (await self._call("language", {"set": None}, ACT_MS)).reply["locales"]

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        answer = await self._call("language", {"set": list(tags)}, 2 * ACT_MS, act=True)
        return answer.reply["locales"]

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        answer = await self._call("location", {"fresh_ms": fresh_ms}, fresh_ms + SLACK_MS)
        found, enabled = answer.reply["location"], answer.reply["enabled"]
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
