"""Profiles of the phone's first user: a work profile, clones of apps, a vendor's locked folder.

Their apps and notifications are on the screen beside the user's own, under the same packages.
"""

import re
from typing import NamedTuple, Protocol

from .commands import USER_LINE, Commands, read_user

_MANAGED, _PROFILE = 0x20, 0x1000
_CLONES = range(900, 1000)
"""Users that vendors make for clones of apps: 999, and those below it. Some have the flag of a work
profile, some none."""
_SAMSUNG_CLONES, _SECURE_FOLDERS = range(95, 100), range(150, 161)
_USER = re.compile(r"\s*+UserInfo\{(\d{1,9}):")
_FLAGS = re.compile(r"[0-9a-fA-F]{1,8}")


class Profile(NamedTuple):
    user: int
    """Android's number."""
    kind: str
    """`work`, `clone`, `secure folder`, or `profile` with its number where that is not known."""


class ProfileDriver(Protocol):
    async def profiles(self) -> list[Profile]:
        """Those of the current user; none where another than the first user is current, for whom
        Android does not print which are theirs."""
        ...


def read_profiles(printed: str, user: int) -> list[Profile]:
    """Parse what `pm list users` prints while that user is the current one. Two profiles of a kind
    have their numbers with it."""
    if user:
        return []
    found: list[Profile] = []
    for line in printed.splitlines():
        # Between the number and the flags is a name, of any characters.
        match, flags = _USER.match(line), line.rpartition("}")[0].rpartition(":")[2]
        if match and _FLAGS.fullmatch(flags) and (kind := _kind(int(match[1]), int(flags, 16))):
            found.append(Profile(int(match[1]), kind))
    kinds = [profile.kind for profile in found]
    return [
        each if kinds.count(each.kind) == 1 else Profile(each.user, f"{each.kind} {each.user}")
        for each in found
    ]


def _kind(user: int, flags: int) -> str:
    """Return "" for a user that is no profile."""
    if user in _CLONES:
        return "clone"
    if not flags & (_MANAGED | _PROFILE):
        return ""
    if user in _SAMSUNG_CLONES:
        return "clone"
    if user in _SECURE_FOLDERS:
        return "secure folder"
    return "work" if flags & _MANAGED else f"profile {user}"


async def find_profiles(commands: Commands) -> list[Profile]:
    """Raises AdbError."""
    first, _, users = (await commands.ask(f"{USER_LINE}; pm list users")).partition("\n")
    return read_profiles(users, read_user(first))
