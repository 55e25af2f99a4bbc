"""Android's users: their list, and the user that a command names."""

from collections.abc import Sequence

from ..packages.profiles import FLAG_NAMES, NAMES, OWNER, TYPES
from .call import WRONG, CommandCall, refuse
from .exceptions import unknown_command


class NoSuchUser(Exception):
    """The user does not exist. The message is Android's exception, with its class."""


def check_number(user: str) -> None:
    """Check that a word is a user's number or name. Raises NoSuchUser."""
    if user not in ("all", "current", "cur") and not user.lstrip("-").isdigit():
        raise NoSuchUser(f"java.lang.IllegalArgumentException: Bad user number: {user}")


def check_user(call: CommandCall, user: str) -> None:
    """Refuse users other than the first, for commands that only support that one. Raises
    NoSuchUser."""
    if find_user(call, user):
        raise NoSuchUser(
            f"java.lang.UnsupportedOperationException: this phone has nothing of user {user} here"
        )


def find_user(call: CommandCall, user: str) -> int:
    """The user that a word names; the first user if it names all. Raises NoSuchUser, also for a
    user that the shell may not access."""
    if user in ("0", "current", "cur", "-2"):
        return 0
    profiles = call.phone.world.profiles
    if user in ("all", "-1"):
        closed = next((each for each in profiles.values() if each.closed), None)
        if closed is None:
            return 0
        user = str(closed.user)
    check_number(user)
    profile = profiles.get(int(user)) if user.isdecimal() else None
    if profile is None:
        raise NoSuchUser(f"java.lang.IllegalArgumentException: User {user} does not exist")
    if profile.closed:
        raise NoSuchUser(
            "java.lang.SecurityException: Shell does not have permission to access user " + user
        )
    return profile.user


async def user(call: CommandCall) -> None:
    """`cmd user`."""
    words = call.arguments
    match words:
        case ["list", *options]:
            await list_users(call, options)
        case [name, *_]:
            await unknown_command(call, name)
        case _:
            await refuse(call, "", WRONG)


async def list_users(call: CommandCall, options: Sequence[str] = ()) -> None:
    """`cmd user list`, and `pm list users` without options."""
    world = call.phone.world
    android = world.android
    users = [(0, "Owner", "full.SYSTEM", OWNER, 0)]
    for each in world.profiles.values():
        flags, kind = each.flags(android.user_types), TYPES[each.kind].rpartition("usertype.")[2]
        users.append((each.user, NAMES[each.kind], kind, flags, each.parent))
    verbose = False
    for option in options if android.verbose_user_list else ():
        if option not in ("-v", "--all"):
            await call.write(f"Invalid option: {option}\n")
            return
        verbose |= option == "-v"
    await call.write(f"{len(users)} users:\n\n" if verbose else "Users:\n")
    for place, (number, name, kind, flags, parent) in enumerate(users):
        if not verbose:
            await call.write(f"\tUserInfo{{{number}:{name}:{flags:x}}} running\n")
            continue
        parts = [f"{place}: id={number}, name={name}"]
        parts += [f"type={kind}"] if android.user_list_types else []
        words = "|".join(word for word, bit in FLAG_NAMES.items() if flags & bit)
        signs = [
            f" (parentId={parent})" if number and android.user_parents else "",
            " (running)",
            "" if number else " (current)",
            " (visible)" if android.user_list_visible else "",
        ]
        await call.write(f"{', '.join((*parts, f'flags={words}'))}{''.join(signs)}\n")
