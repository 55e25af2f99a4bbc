"""Query the state of the radio and of inactive SIM cards with Android's own commands.

Only queried after a failure, to explain it. An unknown state is not an error.
"""

import re
from collections.abc import Sequence

from ...adb import shell
from ...adb.link import AdbError, Link

SECONDS = 5.0
LIMIT = 64 * 1024
_AIRPLANE = ("settings", "get", "global", "airplane_mode_on")
_KNOWN = ("content", "query", "--uri", "content://telephony/siminfo", "--projection", "_id")
_ROW = re.compile(r"Row: \d+ _id=(\d{1,10})")


async def read_airplane_mode(link: Link) -> bool | None:
    """Return whether airplane mode is on; None if unknown."""
    return {"0": False, "1": True}.get((await _ask(link, _AIRPLANE)).strip())


async def read_known_subscriptions(link: Link) -> frozenset[int] | None:
    """Return the ids of all SIM cards that were ever in the phone; None if unknown."""
    found = frozenset(map(int, _ROW.findall(await _ask(link, _KNOWN))))
    return found or None


async def _ask(link: Link, command: Sequence[str]) -> str:
    try:
        result = await shell.run(link, command, timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return ""
    return result.stdout.decode(errors="replace")
