"""Several commands in one round trip. A random mark, unknown to programs on the phone, separates
their outputs."""

import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from .commands import Commands

SECONDS = 30.0
LIMIT = 32 * 1024 * 1024


class BatchPart(NamedTuple):
    """The output of one of the commands."""

    data: bytes = b""
    code: int | None = None
    """The exit code; None if the end mark is missing, and the outcome is unknown."""

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace").replace("\r\n", "\n")


async def run_sections(
    commands: Commands,
    lines: Mapping[str, str],
    *,
    act: bool = False,
    seconds: float = SECONDS,
    limit: int = LIMIT,
) -> dict[str, BatchPart]:
    """Run command lines in order in one shell, regardless of their exit codes; `$c` is the exit
    code of the previous line. Return their outputs by the same names. Raises AdbError, and
    HelperLost if they `act`."""
    mark = f"handheld-{secrets.token_hex(12)}"
    result = await commands.run(join_lines(lines, mark), act=act, seconds=seconds, limit=limit)
    return split_sections(result.stdout, mark, lines)


def join_lines(lines: Mapping[str, str], mark: str) -> str:
    return "; ".join(
        f"{line}; c=$?; echo; echo {mark} {number} $c" for number, line in enumerate(lines.values())
    )


def split_sections(printed: bytes, mark: str, lines: Mapping[str, str]) -> dict[str, BatchPart]:
    found, names, start = {name: BatchPart() for name in lines}, list(lines), 0
    ends = rf"\n{re.escape(mark)} (\d{{1,4}}) (\d{{1,4}})(?:\n|\Z)".encode()
    for end in re.finditer(ends, printed):
        number = int(end[1])
        if number < len(names):
            found[names[number]] = BatchPart(printed[start : end.start()], int(end[2]))
        start = end.end()
    return found
