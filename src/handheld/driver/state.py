"""Settings and sent messages of a phone, read with Android's own commands."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from ..adb import shell
from ..adb.link import Link

SECONDS = 10.0
LIMIT = 1024 * 1024
_MINE = ("content", "query", "--uri", "content://sms", "--projection", "_id:address")
_NOT_RECEIVED = ("--where", "type!=1")
_ROW = re.compile(r"^Row: \d+ _id=(\d{1,18}), address=(.*)$", re.MULTILINE)


class StateDriver(Protocol):
    async def setting(self, table: str, name: str) -> str | None:
        """Return the value in one of Android's three tables (system, secure, global); None if there
        is none."""
        ...

    async def sent_messages(self) -> Mapping[int, str] | None:
        """Return the recipients of this phone's text messages, sent or not, by message id; None if
        Android does not let the shell read them."""
        ...


async def read_setting(link: Link, table: str, name: str) -> str | None:
    value = (await _ask(link, ("settings", "get", table, name))).stdout.decode(errors="replace")
    value = value.removesuffix("\n")
    return None if value == "null" else value


async def read_sent_messages(link: Link) -> Mapping[int, str] | None:
    result = await _ask(link, (*_MINE, *_NOT_RECEIVED))
    printed = result.stdout.decode(errors="replace")
    found = {int(row[1]): row[2].strip() for row in _ROW.finditer(printed)}
    # `content` also exits with 0 when the provider refuses.
    return found if found or printed.startswith("No result found.") else None


async def _ask(link: Link, command: Sequence[str]) -> shell.ShellResult:
    return await shell.run(link, command, timeout=SECONDS, limit=LIMIT)
