"""`cmd notification`: post notifications from the shell, list them and snooze them."""

import re
import textwrap
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from ..packages.intent_arguments import BadIntent, Words
from ..packages.posted import key_of
from ..system.android import Android, Change
from ..system.notifications import Notification, Snoozed
from .call import WRONG, CommandCall
from .dumpsys.notification import describe, record
from .exceptions import unknown_command

if TYPE_CHECKING:
    from ..world import World

PACKAGE = "com.android.shell"
_USAGE = """\
usage: cmd notification SUBCMD [args]

SUBCMDs:
  allow_listener COMPONENT [user_id (current user if not specified)]
  disallow_listener COMPONENT [user_id (current user if not specified)]
"""
_POSTED = """\
  post [--help | flags] TAG TEXT
"""
_LISTED = """\
  list
  get <notification-key>
  snooze --for <msec> <notification-key>
  unsnooze <notification-key>
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
"""Options that require a style."""
_ICONS = ("/", "http:", "https:", "content:", "file:", "android.resource:", "data:")


class _Ended(Exception):
    """Print the message and stop."""


async def notification(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    world.settle()
    android = world.android
    verb = words[0].replace("-", "_") if words else ""
    since, run = _VERBS.get(verb, (Android.notification_command, None))
    try:
        if not words or words[0] in ("help", "-h"):
            call.code = WRONG
            posts, lists = android.notification_post_command, android.notification_list_command
            await call.write(_USAGE + _POSTED * posts + _LISTED * lists)
        elif run is None or not android.has(since) or (verb in _DND and world.quirks.lacks_dnd):
            await unknown_command(call, words[0])
        else:
            await run(call, Words(words[1:], words[0]))
    except BadIntent as problem:
        message = str(problem).partition(": ")[2]
        await call.write(f"Error occurred. Check logcat for details. {message}\n")


def _find(world: "World", key: str) -> Notification | None:
    posted = world.notifications.posted
    return next((each for each in posted if key_of(world, each) == key), None)


async def _list(call: CommandCall, words: Words) -> None:
    world = call.phone.world
    for posted in world.notifications.posted:
        await call.write(f"{key_of(world, posted)}\n")


async def _get(call: CommandCall, words: Words) -> None:
    world, key = call.phone.world, words.value()
    posted = _find(world, key)
    if posted is not None:
        await call.write("\n".join(record(world, posted, True)) + "\n")
        return
    call.code = 1
    await call.write(f"error: no active notification matching key: {key}\n")


async def _snooze(call: CommandCall, words: Words) -> None:
    world = call.phone.world
    option, value, key = (words.next() for _ in range(3))
    name = "help" if option is None or key is None else option.removeprefix("--")
    if key is None or value is None or name not in ("for", "until", "duration"):
        call.code = 1
        await call.write(
            "usage: cmd notification snooze (--for <msec> | --context <snooze-criterion-id>) <key>"
            "\n"
        )
        return
    if not re.fullmatch(r"[-+]?[0-9]{1,18}", value):
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{value}"')
    posted = _find(world, key)
    if posted is None and world.android.notification_snooze_checks:
        call.code = 1
        await call.write(f"error: no notification matching key: {key}\n")
        return
    if int(value) <= 0:
        call.code = 1
        await call.write(f"error: invalid value for --{name}: {value}\n")
        return
    until = world.wall.now() + timedelta(milliseconds=min(int(value), 10**12))
    await call.write(f"snoozing <{key}> until time: {until:%a %b %d %H:%M:%S %Z %Y}\n")
    if posted is not None:
        world.notifications.snooze(posted, int(value))


def _find_snoozed(world: "World", key: str) -> Snoozed | None:
    snoozed = world.notifications.snoozed
    return next((each for each in snoozed if key_of(world, each.notification) == key), None)


async def _unsnooze(call: CommandCall, words: Words) -> None:
    key = words.value()
    if key == "--mute":
        key = words.value()
    snoozed = _find_snoozed(call.phone.world, key)
    if snoozed is None:
        call.code = 1
        await call.write(f"error: no snoozed otification matching key: {key}\n")
        return
    await call.write(f"unsnoozing: {key}\n")
    call.phone.world.notifications.unsnooze(snoozed)


async def _snoozed(call: CommandCall, words: Words) -> None:
    world = call.phone.world
    ms = world.wall.now().timestamp() * 1000 - world.timers.now()
    for each in world.notifications.snoozed:
        key = key_of(world, each.notification)
        await call.write(f"{key} snoozed, time={round(ms + each.until)} context=null\n")


_LISTENERS = "enabled_notification_listeners"


async def _allow_listener(call: CommandCall, words: Words) -> None:
    await _change_listeners(call, words, True)


async def _disallow_listener(call: CommandCall, words: Words) -> None:
    await _change_listeners(call, words, False)


async def _change_listeners(call: CommandCall, words: Words, allow: bool) -> None:
    component, preferences = words.value(), call.phone.world.preferences
    if "/" not in component:
        call.code = WRONG
        await call.write("Invalid listener - must be a ComponentName\n")
        return
    known = (preferences.get("secure", _LISTENERS) or "").split(":")
    left = [each for each in known if each and each != component]
    preferences.put("secure", _LISTENERS, ":".join([*left, component] if allow else left))


_FILTERS = {"on": "2", "none": "2", "priority": "1", "alarms": "3", "all": "0", "off": "0"}
"""The words for do not disturb, with their values of `zen_mode`."""


async def _disturb(call: CommandCall, words: Words) -> None:
    """Raises BadIntent."""
    word = words.value()
    if word not in _FILTERS:
        raise _illegal("Invalid filter: 0")
    call.phone.world.preferences.put("global", "zen_mode", _FILTERS[word])


async def _accept(call: CommandCall, words: Words) -> None:
    """Accept the command without an effect, because nothing on this phone depends on it."""
    words.value()


async def _approved_assistant(call: CommandCall, words: Words) -> None:
    await call.write("null\n")


async def _post(call: CommandCall, words: Words) -> None:
    """Post a notification. The exit code is always 0, because Android ignores the result."""
    world = call.phone.world
    try:
        made, verbose = _parse(world, words)
    except _Ended as end:
        await call.write(f"{end}\n")
        return
    await call.write(f"posting:\n  {describe(world, made)}\n")
    world.notifications.post(made)
    if verbose:
        lines = "\n".join(record(world, made, True))
        await call.write(f"posted: \n{textwrap.indent(lines, '  ')}\n")


def _parse(world: "World", rest: Words) -> tuple[Notification, bool]:
    """Parse the flags of `post`. Raises BadIntent, _Ended."""
    title, style, verbose = "", "", False
    shown = ""
    """The text of a style, which an expanded notification shows."""
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


_DND = ("allow_dnd", "disallow_dnd")
_Verb = tuple[Change, Callable[[CommandCall, Words], Awaitable[None]]]
_VERBS: dict[str, _Verb] = {
    "allow_listener": (Android.notification_command, _allow_listener),
    "disallow_listener": (Android.notification_command, _disallow_listener),
    "allow_assistant": (Android.notification_command, _accept),
    "disallow_assistant": (Android.notification_command, _accept),
    "remove_assistant": (Android.notification_command, _accept),
    "allow_dnd": (Android.notification_command, _accept),
    "disallow_dnd": (Android.notification_command, _accept),
    "suspend_package": (Android.notification_suspend_command, _accept),
    "unsuspend_package": (Android.notification_suspend_command, _accept),
    "get_approved_assistant": (Android.notification_post_command, _approved_assistant),
    "post": (Android.notification_post_command, _post),
    "notify": (Android.notification_post_command, _post),
    "list": (Android.notification_list_command, _list),
    "get": (Android.notification_list_command, _get),
    "snooze": (Android.notification_list_command, _snooze),
    "unsnooze": (Android.notification_list_command, _unsnooze),
    "snoozed": (Android.notification_list_command, _snoozed),
    "set_dnd": (Android.notification_list_command, _disturb),
    "redact_otp_from_untrusted_listeners": (Android.notification_redaction_command, _accept),
}
"""The commands, with the release that introduced each."""
