"""`log`: writes a line to the log."""

from ...system.logs import Writer
from ..call import CommandCall, Usage

MOST = 1023
"""The limit of a message in bytes; longer ones are truncated."""


async def log(call: CommandCall) -> None:
    level, tag, words = "I", "log", list(call.arguments)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        option = words.pop(0)
        if option == "--":
            break
        if option[1] not in "pt":
            raise Usage(f"Unknown option '{option[1:]}' (see \"log --help\")")
        if not option[2:] and not words:
            raise Usage(f'Missing argument to -{option[1]} (see "log --help")')
        value = option[2:] or words.pop(0)
        if option[1] == "t":
            tag = value
        elif value[:1].upper() in tuple("VDIWEFS"):
            level = value[0].upper()
        else:
            raise Usage(f"bad -p '{value}'")
    message = " ".join(words).encode("utf-8", "surrogateescape")
    if len(message) > MOST:
        await call.report("log cut at 1024 bytes")
    if words and level != "S":
        world = call.phone.world
        text = message[:MOST].decode("utf-8", "replace")
        world.logs.write(Writer(world.pids(), 2000), level, tag, text)
