"""The user that a command refers to."""

from .call import CommandCall


class NoSuchUser(Exception):
    """The message is the exception that Android throws, with its class."""


def check_number(user: str) -> None:
    """Raises NoSuchUser for what is neither a number nor a name."""
    if user not in ("all", "current", "cur") and not user.lstrip("-").isdigit():
        raise NoSuchUser(f"java.lang.IllegalArgumentException: Bad user number: {user}")


def check_user(call: CommandCall, user: str) -> None:
    """For what only the first user has here. Raises NoSuchUser."""
    if find_user(call, user):
        raise NoSuchUser(
            f"java.lang.UnsupportedOperationException: this phone has nothing of user {user} here"
        )


def find_user(call: CommandCall, user: str) -> int:
    """The user that is meant; the first one for all of them. Raises NoSuchUser, also for one that
    is off limits for the shell."""
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
