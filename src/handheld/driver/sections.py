"""Several commands in one command line: one round trip, and outputs that are told apart by a mark
that nothing on the phone knows beforehand."""

import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from .commands import Commands

SECONDS = 30.0
LIMIT = 32 * 1024 * 1024


class Section(NamedTuple):
    """What one of the commands printed."""

    text: str
    code: int


async def run_sections(
    commands: Commands, lines: Mapping[str, str], *, seconds: float = SECONDS
) -> dict[str, Section]:
    """Run command lines one after the other, whatever each ends with; return their outputs by the
    same names. Raises AdbError."""
    mark = f"handheld-{secrets.token_hex(12)}"
    result = await commands.run(join_lines(lines, mark), seconds=seconds, limit=LIMIT)
    return split_sections(result.stdout.decode(errors="replace"), mark, lines)


def join_lines(lines: Mapping[str, str], mark: str) -> str:
    return "; ".join(
        f"{line}; c=$?; echo; echo {mark} {number} $c" for number, line in enumerate(lines.values())
    )


def split_sections(printed: str, mark: str, lines: Mapping[str, str]) -> dict[str, Section]:
    """A command of which the end was not printed is missing."""
    found: dict[str, Section] = {}
    printed, names, start = printed.replace("\r\n", "\n"), list(lines), 0
    for end in re.finditer(rf"\n{re.escape(mark)} (\d{{1,4}}) (\d{{1,4}})(?:\n|\Z)", printed):
        number = int(end[1])
        if number < len(names):
            found[names[number]] = Section(printed[start : end.start()], int(end[2]))
        start = end.end()
    return found
