"""Profiles of the current user: a work profile, clones of apps, a vendor's locked folder.

Their apps and notifications are on the screen beside the user's own, under the same packages.
"""

import re

from ..apps import Profile
from .commands import USER_LINE, Commands, read_user

_MANAGED, _PROFILE = 0x20, 0x1000
_CLONES = range(900, 1000)
"""Users that vendors create for clones of apps: 999, and those below it. Some have the flag of a
work profile, some do not."""
_SAMSUNG_CLONES, _SECURE_FOLDERS = range(95, 100), range(150, 161)
_USER = re.compile(r"\s*+UserInfo\{(\d{1,9}):")
_FLAGS = re.compile(r"[0-9a-fA-F]{1,8}")
_PARENT = re.compile(
    r"\d{1,9}: id=(\d{1,9}), name=.*, flags=[\w|]*+(?: \(parentId=(\d{1,9})\))?(?: \([a-z-]+\))*"
)
"""A user in the verbose list, and the parent user of a profile."""
USERS_LINE = "pm list users; cmd user list -v"
"""Prints the flags of all users, and since Android 12 the parents of profiles."""


def read_profiles(printed: str, user: int) -> list[Profile]:
    """Parse the output of USERS_LINE while that user is the current one. Several profiles of a kind
    get their numbers appended."""
    flags: dict[int, int] = {}
    parents: dict[int, int] = {}
    for line in printed.splitlines():
        # The name between the number and the flags may contain any characters.
        match, word = _USER.match(line), line.rpartition("}")[0].rpartition(":")[2]
        if match and _FLAGS.fullmatch(word):
            flags[int(match[1])] = int(word, 16)
        elif (told := _PARENT.fullmatch(line.strip())) and told[2]:
            parents[int(told[1])] = int(told[2])
    found = [
        Profile(number, kind)
        for number, bits in flags.items()
        if parents.get(number, 0) == user and (kind := _kind(number, bits))
    ]
    kinds = [profile.kind for profile in found]
    return [
        each if kinds.count(each.kind) == 1 else Profile(each.user, f"{each.kind} {each.user}")
        for each in found
    ]


def _kind(user: int, flags: int) -> str:
    """Return "" for a user that is not a profile."""
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
    return (await _ask(commands))[1]


async def _ask(commands: Commands) -> tuple[int, list[Profile]]:
    first, _, users = (await commands.ask(f"{USER_LINE}; {USERS_LINE}")).partition("\n")
    user = read_user(first)
    return user, read_profiles(users, user)


class ProfileOwners:
    """Names the user of the app in front. Each user is queried once: its profile never changes."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    async def name(self, commands: Commands, user: int | None) -> str:
        """Return the kind of the profile, "" for the current user. Raises AdbError."""
        if not user:
            return ""  # the first user is not a profile, and a query takes a round trip
        if user not in self._names:
            current, profiles = await _ask(commands)
            names = {each.user: each.kind for each in profiles}
            self._names[user] = "" if user == current else names.get(user, f"user {user}")
        return self._names[user]
