"""What a phone says of its radio and of SIM cards that are not in use, by Android's own commands.

Only asked where something went wrong, to say what it was. A phone that does not tell is no failure.
"""

import re
from collections.abc import Sequence

from ..adb import shell
from ..adb.link import AdbError, Link

SECONDS = 5.0
LIMIT = 64 * 1024
_AIRPLANE = ("settings", "get", "global", "airplane_mode_on")
_KNOWN = ("content", "query", "--uri", "content://telephony/siminfo", "--projection", "_id")
_ROW = re.compile(r"Row: \d+ _id=(\d{1,10})")


async def read_airplane_mode(link: Link) -> bool | None:
    """Whether it is on; None where the phone does not say."""
    return {"0": False, "1": True}.get((await _ask(link, _AIRPLANE)).strip())


async def read_known_subscriptions(link: Link) -> frozenset[int] | None:
    """Of all SIM cards that the phone has ever had; None where it does not say."""
    found = frozenset(map(int, _ROW.findall(await _ask(link, _KNOWN))))
    return found or None


async def _ask(link: Link, command: Sequence[str]) -> str:
    try:
        said = await shell.run(link, command, timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return ""
    return said.stdout.decode(errors="replace")
