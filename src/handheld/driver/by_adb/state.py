"""Read settings, sent messages and the state of the radio with Android's own commands.

The radio is only queried after a failure, to explain it: an unknown state is not an error.
"""

import re
from collections.abc import Mapping, Sequence

from ...adb import shell
from ...adb.link import AdbError, Link

SECONDS = 10.0
LIMIT = 1024 * 1024
RADIO_SECONDS = 5.0
RADIO_LIMIT = 64 * 1024
_MINE = ("content", "query", "--uri", "content://sms", "--projection", "_id:address")
_NOT_RECEIVED = ("--where", "type!=1")
_MESSAGE = re.compile(r"^Row: \d+ _id=(\d{1,18}), address=(.*)$", re.MULTILINE)
_AIRPLANE = ("settings", "get", "global", "airplane_mode_on")
_KNOWN = ("content", "query", "--uri", "content://telephony/siminfo", "--projection", "_id")
_SUBSCRIPTION = re.compile(r"Row: \d+ _id=(\d{1,10})")


async def read_setting(link: Link, table: str, name: str) -> str | None:
    value = (await _ask(link, ("settings", "get", table, name))).stdout.decode(errors="replace")
    value = value.removesuffix("\n")
    return None if value == "null" else value


async def read_sent_messages(link: Link) -> Mapping[int, str] | None:
    result = await _ask(link, (*_MINE, *_NOT_RECEIVED))
    printed = result.stdout.decode(errors="replace")
    found = {int(row[1]): row[2].strip() for row in _MESSAGE.finditer(printed)}
    # `content` also exits with 0 when the provider refuses.
    return found if found or printed.startswith("No result found.") else None


async def _ask(link: Link, command: Sequence[str]) -> shell.ShellResult:
    return await shell.run(link, command, timeout=SECONDS, limit=LIMIT)


async def read_airplane_mode(link: Link) -> bool | None:
    """Return whether airplane mode is on; None if unknown."""
    return {"0": False, "1": True}.get((await _ask_radio(link, _AIRPLANE)).strip())


async def read_known_subscriptions(link: Link) -> frozenset[int] | None:
    """Return the ids of all SIM cards that were ever in the phone; None if unknown."""
    found = frozenset(map(int, _SUBSCRIPTION.findall(await _ask_radio(link, _KNOWN))))
    return found or None


async def _ask_radio(link: Link, command: Sequence[str]) -> str:
    try:
        result = await shell.run(link, command, timeout=RADIO_SECONDS, limit=RADIO_LIMIT)
    except AdbError:
        return ""
    return result.stdout.decode(errors="replace")
