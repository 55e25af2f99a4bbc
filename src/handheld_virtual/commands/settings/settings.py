"""`settings`: reads and writes the three tables of preferences."""

from ...system.preferences import TABLES
from ..call import CommandCall, refuse
from ..users import NoSuchUser, check_user

_USAGE = """\
Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
      Retrieve the current value of KEY.
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
      Change the contents of KEY to VALUE.
  delete [--user <USER_ID> | current] NAMESPACE KEY
      Delete the entry for KEY.
  reset [--user <USER_ID> | current] NAMESPACE {PACKAGE_NAME | RESET_MODE}
      Reset the global/secure table for a package with mode.
  list [--user <USER_ID> | current] NAMESPACE
      Print all defined keys.
      NAMESPACE is one of {system, secure, global}, case-insensitive
"""
LONGEST = 64 * 1024
MOST = 2_000
"""The limit of names in a table."""


async def settings(call: CommandCall) -> None:
    words = call.arguments
    if not words or words[0] in ("help", "-h"):
        await call.write(_USAGE)
        call.code = 0 if words else 255
        return
    if words[0] == "--user" and len(words) > 2:
        words = [words[2], *words[:2], *words[3:]]
    verb, *rest = words
    if verb not in ("get", "put", "delete", "list", "reset"):
        await _invalid(call, f"Invalid command: {verb}")
        return
    operands: list[str] = []
    given = iter(rest)
    for word in given:
        if word == "--user":
            try:
                check_user(call, next(given, ""))
            except NoSuchUser as problem:
                await refuse(call, f"Security exception: {str(problem).partition(': ')[2]}")
                return
        elif word == "--lineage":
            await _invalid(call, f"Unknown option: {word}")
            return
        else:
            operands.append(word)
    table = operands[0].lower() if operands else ""
    if not operands:
        await _invalid(call, "Not enough arguments")
    elif table not in TABLES:
        await _invalid(call, f"Invalid namespace '{operands[0]}'")
    elif verb == "list":
        for name, value in call.phone.world.preferences.all(table).items():
            await call.write(f"{name}={value}\n")
    elif len(operands) < (3 if verb == "put" else 2):
        await _invalid(call, "Not enough arguments")
    elif len(operands) > {"put": 5, "reset": 3}.get(verb, 2):
        await _invalid(call, "Too many arguments")
    else:
        await _do(call, verb, table, operands[1:])


async def _invalid(call: CommandCall, text: str) -> None:
    """Print the error and then the whole help, as Android does."""
    call.code = 255
    await call.process.stderr.write(f"{text}\n".encode("utf-8", "surrogateescape"))
    await call.write(_USAGE)


async def _do(call: CommandCall, verb: str, table: str, words: list[str]) -> None:
    preferences = call.phone.world.preferences
    match verb:
        case "get":
            value = preferences.get(table, words[0])
            await call.write(("null" if value is None else value) + "\n")
        case "put":
            name, value = words[:2]
            full = len(preferences.all(table)) >= MOST and preferences.get(table, name) is None
            if len(name) + len(value) > LONGEST or full:
                await refuse(
                    call,
                    "java.lang.IllegalStateException: You are adding too many system settings. You"
                    " should stop using system settings for app specific data",
                )
                return
            preferences.put(table, name, value)
        case "delete":
            await call.write(f"Deleted {int(preferences.delete(table, words[0]))} rows\n")
        case _:
            if table == "system":
                await _invalid(call, "Failed to reset: the system table cannot be reset")
                return
            # Packages and untrusted callers cannot set values here, so there is nothing to reset.
            await call.write(f"Reset {table} table\n" if words[0] else "")
