"""Failures of Android's own commands: exceptions and unknown commands."""

from .call import WRONG, CommandCall, refuse


async def throw(call: CommandCall, verb: str, exception: str) -> None:
    """Print an exception, given as its class and message."""
    android = call.phone.world.android
    kind, _, message = exception.partition(": ")
    if kind == "java.lang.SecurityException" and not android.exceptions_name_command:
        await refuse(call, f"Security exception: {message}\n\n{exception}")
        return
    named = f" '{verb}'" if android.exceptions_name_command else ""
    await refuse(call, f"\nException occurred while executing{named}:\n{exception}")


async def unknown_command(call: CommandCall, verb: str) -> None:
    """Print a service's error for a command that it does not have."""
    call.code = WRONG
    await call.write(f"Unknown command: {verb}\n")
