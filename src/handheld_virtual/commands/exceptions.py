"""How Android's own commands fail: with an exception, or for an unknown command."""

from .call import WRONG, CommandCall, refuse


async def throw(call: CommandCall, verb: str, exception: str) -> None:
    """`exception` is the class and the message."""
    android = call.phone.world.android
    kind, _, message = exception.partition(": ")
    if kind == "java.lang.SecurityException" and not android.exceptions_name_command:
        await refuse(call, f"Security exception: {message}\n\n{exception}")
        return
    named = f" '{verb}'" if android.exceptions_name_command else ""
    await refuse(call, f"\nException occurred while executing{named}:\n{exception}")


async def unknown_command(call: CommandCall, verb: str) -> None:
    """Print what a service prints for a command that it does not have."""
    call.code = WRONG
    await call.write(f"Unknown command: {verb}\n")
