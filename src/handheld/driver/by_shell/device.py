"""The device by Android's own commands. The helper's driver uses them as well: Android has no
better way for most settings."""

import re
from collections.abc import Collection, Mapping

from ..by_adb.batch import run_sections
from ..by_adb.commands import Commands
from ..device import FactAnswer, Fix, Reach, Whereabouts
from ..reading.dumpsys import read_keyboard
from . import setting_commands
from .probes import fact_line, read_last_fix
from .reaching import LINE, find_reach, goes_over_tcp
from .screen import KEYBOARD

LIMIT = 256 * 1024
SECONDS = 20.0
_INPUT_METHOD = "dumpsys input_method | grep -m1 mInputShown="
_CHANGE = ""
"""The name of the change, beside the facts that are read after it."""
_SAID = 2000
"""The maximum length of Android's output in a reply."""


class ShellDevice:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    async def read(self, names: Collection[str]) -> Mapping[str, str]:
        """Raises AdbError."""
        lines = {name: fact_line(name) for name in names}
        found = await run_sections(self._commands, lines, seconds=SECONDS, limit=LIMIT)
        return {name: found[name].text for name in names}

    async def change(self, line: str, names: Collection[str]) -> FactAnswer:
        """Raises AdbError, HelperLost."""
        lines = {_CHANGE: f"{{ {line}; }} 2>&1", **{name: fact_line(name) for name in names}}
        found = await run_sections(self._commands, lines, act=True, seconds=SECONDS, limit=LIMIT)
        said = found[_CHANGE].text.strip()
        return FactAnswer({name: found[name].text for name in names}, said[:_SAID])

    async def reach(self) -> Reach:
        serial = self._commands.link.serial
        if not goes_over_tcp(serial):
            return Reach.OWN
        return find_reach(await self._commands.ask(LINE, seconds=SECONDS), serial)

    async def last_place(self) -> Whereabouts:
        facts = await self.read(("location_mode", "place"))
        fix: Fix | None = read_last_fix(facts["place"])
        return Whereabouts(fix, facts["location_mode"].strip() not in ("0", "null", ""))

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        """These commands always succeed: the caller checks the phone's location afterwards."""
        line = (
            setting_commands.pretend_place(*place) if place else setting_commands.stop_pretending()
        )
        await self.change(line, ())

    async def keyboard_shown(self) -> bool:
        printed = await self._commands.ask(f"{_INPUT_METHOD}; {KEYBOARD}", seconds=SECONDS)
        told = re.search(r"\bmInputShown=(true|false)\b", printed)
        return bool(read_keyboard(printed)) if told is None else told[1] == "true"
