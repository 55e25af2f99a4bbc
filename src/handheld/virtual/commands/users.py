"""Which user a command means."""

from .call import CommandCall


class NoSuchUser(Exception):
    """The message is that of the exception which Android throws, with its class."""


def check_user(call: CommandCall, user: str) -> None:
    """Only the owner's things can be reached; another user is off limits to the shell.

    Raises NoSuchUser."""
    if user in ("0", "current", "cur"):
        return
    other = call.phone.other_user
    if user == "all":
        if other is None:
            return
        user = str(other)
    if other is not None and user == str(other):
        raise NoSuchUser(
            "java.lang.SecurityException: Shell does not have permission to access user " + user
        )
    if not user.lstrip("-").isdigit():
        raise NoSuchUser(f"java.lang.IllegalArgumentException: Bad user number: {user}")
    raise NoSuchUser(f"java.lang.IllegalArgumentException: User {user} does not exist")
