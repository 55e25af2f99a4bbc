"""`cmd notification`: post notifications from the shell, and list what is posted."""

import textwrap
from typing import TYPE_CHECKING

from ..packages.intent_arguments import BadIntent, Words
from ..system.notifications import Notification
from .call import WRONG, CommandCall
from .dumpsys.notification import describe, key_of, record
from .exceptions import unknown_command

if TYPE_CHECKING:
    from ..world import World

PACKAGE = "com.android.shell"
_USAGE = """\
usage: cmd notification SUBCMD [args]

SUBCMDs:
  post [--help | flags] TAG TEXT
"""
_LISTED = """\
  list
  get <notification-key>
"""
_POST_USAGE = """\
usage: cmd notification post [flags] <tag> <text>

flags:
  -h|--help
  -v|--verbose
  -t|--title <text>
  -i|--icon <iconspec>
  -I|--large-icon <iconspec>
  -S|--style <style> [styleargs]
  -c|--content-intent <intentspec>
"""
_STYLES = ("bigtext", "bigpicture", "inbox", "messaging", "media")
_STYLED = {
    **dict.fromkeys(("--bigText", "--bigtext", "--big-text"), "bigtext"),
    "--picture": "bigpicture",
    "--line": "inbox",
    "--message": "messaging",
    "--conversation": "messaging",
}
"""Options that need a style."""
_ICONS = ("/", "http:", "https:", "content:", "file:", "android.resource:", "data:")


class _Ended(Exception):
    """It prints this and stops."""


async def notification(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    world.settle()
    listed = world.android.notification_list_command
    verb = words[0].replace("-", "_") if words else ""
    try:
        if not words or words[0] in ("help", "-h"):
            call.code = WRONG
            await call.write(_USAGE + _LISTED * listed)
        elif verb in ("post", "notify"):
            await _post(call, words[1:], words[0])
        elif verb == "list" and listed:
            for posted in world.notifications.posted:
                await call.write(f"{key_of(world, posted)}\n")
        elif verb == "set_dnd" and world.android.set_dnd_command:
            await _disturb(call, Words(words[1:], words[0]).value())
        elif verb == "get" and listed:
            await _get(call, Words(words[1:], words[0]).value())
        else:
            await unknown_command(call, words[0])
    except BadIntent as problem:
        message = str(problem).partition(": ")[2]
        await call.write(f"Error occurred. Check logcat for details. {message}\n")


_FILTERS = {"on": "2", "none": "2", "priority": "1", "alarms": "3", "all": "0", "off": "0"}
"""Words for do not disturb, and the `zen_mode` of each."""


async def _disturb(call: CommandCall, word: str) -> None:
    """Raises BadIntent."""
    if word not in _FILTERS:
        raise _illegal("Invalid filter: 0")
    call.phone.world.preferences.put("global", "zen_mode", _FILTERS[word])


async def _get(call: CommandCall, key: str) -> None:
    world = call.phone.world
    for posted in world.notifications.posted:
        if key_of(world, posted) == key:
            lines = record(world, posted, True)
            await call.write(textwrap.dedent("\n".join(lines)) + "\n")
            return
    call.code = 1
    await call.write(f"error: no active notification matching key: {key}\n")


async def _post(call: CommandCall, words: list[str], verb: str) -> None:
    """Android ignores what this returns: the exit code is 0."""
    world = call.phone.world
    try:
        made, verbose = _parse(world, Words(words, verb))
    except _Ended as end:
        await call.write(f"{end}\n")
        return
    await call.write(f"posting:\n  {describe(world, made)}\n")
    world.notifications.post(made)
    if verbose:
        lines = textwrap.dedent("\n".join(record(world, made, True)))
        await call.write(f"posted: \n{textwrap.indent(lines, '  ')}\n")


def _parse(world: "World", rest: Words) -> tuple[Notification, bool]:
    """Raises BadIntent and _Ended."""
    title, style, verbose = "", "", False
    shown = ""
    """The text of a style, which the shade shows expanded."""
    while (option := rest.option()) is not None:
        match option:
            case "-v" | "--verbose":
                verbose = True
            case "-t" | "--title":
                title = rest.value()
            case "-i" | "--icon" | "-I" | "--large-icon" | "--largeicon":
                icon = rest.value()
                if not icon.startswith(_ICONS):
                    raise _Ended(f"error: invalid icon: {icon}")
            case "-S" | "--style":
                style = rest.value().lower()
                if style not in _STYLES:
                    raise _illegal(f"unrecognized notification style: {style}")
            case _ if option in _STYLED:
                if style != _STYLED[option]:
                    raise _illegal(f"{option.lower()} requires --style {_STYLED[option]}")
                value = rest.value()
                if option == "--conversation":
                    title = value
                elif option != "--picture":
                    shown = f"{shown}\n{value}".lstrip("\n")
            case _:
                raise _Ended(_POST_USAGE.rstrip("\n"))
    tag, text = rest.next(), rest.next()
    if tag is None or text is None:
        raise _Ended(_POST_USAGE.rstrip("\n"))
    number, channel = (
        (2020, "shell_cmd") if world.android.notification_list_command else (1138, "shellcmd")
    )
    made = Notification(
        PACKAGE, title, shown or text, world.timers.now(), None, number, tag, channel, stays=True
    )
    return made, verbose


def _illegal(message: str) -> BadIntent:
    return BadIntent(f"java.lang.IllegalArgumentException: {message}")
