"""The user that a command refers to."""

from .call import CommandCall


class NoSuchUser(Exception):
    """The message is the exception that Android throws, with its class."""


def check_number(user: str) -> None:
    """Raises NoSuchUser for what is neither a number nor a name."""
    if user not in ("all", "current", "cur") and not user.lstrip("-").isdigit():
        raise NoSuchUser(f"java.lang.IllegalArgumentException: Bad user number: {user}")


def check_user(call: CommandCall, user: str) -> None:
    """Only the owner's data can be accessed; other users are off limits for the shell. Raises
    NoSuchUser."""
    if user in ("0", "current", "cur", "-2"):
        return
    other = call.phone.other_user
    if user in ("all", "-1"):
        if other is None:
            return
        user = str(other)
    if other is not None and user == str(other):
        raise NoSuchUser(
            "java.lang.SecurityException: Shell does not have permission to access user " + user
        )
    check_number(user)
    raise NoSuchUser(f"java.lang.IllegalArgumentException: User {user} does not exist")
