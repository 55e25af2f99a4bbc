"""The device by Android's own commands: with the helper they are the same, since Android has no
better way for most settings."""

import re
import secrets
from collections.abc import Collection, Mapping

from . import device_ways
from .commands import Commands
from .device import Answer, Fix, Reach, Whereabouts
from .device_facts import fact_line, read_last_fix
from .dumpsys import read_keyboard
from .reaching import LINE, find_reach, goes_over_tcp
from .shell_screen import KEYBOARD

LIMIT = 256 * 1024
SECONDS = 20.0
_INPUT_METHOD = "dumpsys input_method | grep -m1 mInputShown="
_SAID = 2000
"""Characters of what Android said."""


class ShellDevice:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    async def read(self, names: Collection[str]) -> Mapping[str, str]:
        """Raises AdbError."""
        mark = _mark()
        result = await self._commands.run(_line(names, mark), seconds=SECONDS, limit=LIMIT)
        return _facts(result.stdout.decode(errors="replace"), names, mark)

    async def change(self, line: str, names: Collection[str]) -> Answer:
        """Raises AdbError, HelperLost."""
        mark = _mark()
        asked = f"{{ {line}; }} 2>&1; {_line(names, mark)}"
        result = await self._commands.run(asked, act=True, seconds=SECONDS, limit=LIMIT)
        printed = result.stdout.decode(errors="replace")
        said = printed.partition(mark)[0].strip()
        return Answer(_facts(printed, names, mark), said[:_SAID])

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
        """The caller reads what the phone tells then: these commands succeed in any case."""
        line = device_ways.pretend_place(*place) if place else device_ways.stop_pretending()
        await self.change(line, ())

    async def keyboard_shown(self) -> bool:
        printed = await self._commands.ask(f"{_INPUT_METHOD}; {KEYBOARD}", seconds=SECONDS)
        told = re.search(r"\bmInputShown=(true|false)\b", printed)
        return bool(read_keyboard(printed)) if told is None else told[1] == "true"


def _mark() -> str:
    # Values are chosen by apps and people: what separates them must not be known to them.
    return f"handheld-{secrets.token_hex(8)}"


def _line(names: Collection[str], mark: str) -> str:
    parts = [f"echo; echo {mark}; {fact_line(name)}" for name in names]
    return "; ".join((*parts, f"echo; echo {mark}"))


def _facts(printed: str, names: Collection[str], mark: str) -> dict[str, str]:
    parts = printed.split(f"{mark}\n")[1:]
    return {
        name: parts[number].rstrip("\n") + "\n" if number < len(parts) else ""
        for number, name in enumerate(names)
    }
