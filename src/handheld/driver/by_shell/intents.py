"""Intents by Android's `cmd package` and `am`.

Every word is quoted. The result is parsed from the output of `am`: until Android 14 its exit code
is always 0.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from ...adb.link import AdbError
from ...helper.protocol import Code, Happened, HelperFailure
from ..by_adb.commands import LONGEST_LINE, Commands, first_line
from ..by_adb.denial import Denial, read_denial
from ..by_adb.permissions import DUMP, find_granted
from ..intents import Extra, Handler, Intent, Sent, sent_as
from ..reading.dumpsys import read_locked
from ..reading.package_lists import BadList
from .apps import ABORTED, FRONT_LINE, LOOK_MS, ShellApps

DEFAULT = "android.intent.category.DEFAULT"
DOUBLES_SINCE = 33
"""The API level since which `am start` has `--ed`."""
FRONT_MS = 5000
"""The time to wait for an activity's window."""
MOST_HANDLERS = 200

_QUERIES = {
    "activity": "query-activities",
    "service": "query-services",
    "broadcast": "query-receivers",
}
_NONE = re.compile(r"No (activity|activities|services|receivers) found")
_FOUND = re.compile(r"(\d{1,9}) (activities|services|receivers) found:")
_LISTED = re.compile(r"^(\d{1,9} activities found:|No activities found)", re.MULTILINE)
"""The beginning of the list, after the output of `resolve-activity`."""
_ENTRY = re.compile(r" *(?:Activity|Service|Receiver) #\d{1,9}:")
_DECIDING = ("name", "packageName", "exported", "permission")
"""The fields of a receiver. A label, which the app controls, may repeat them."""
_COMPONENT = re.compile(r" *([A-Za-z][\w.]*)/([^\s/]+)", re.ASCII)
"""Class names may have letters of any script."""
_STARTED = re.compile(r"(Starting|Starting service|Broadcasting): Intent", re.MULTILINE)
_DONE = re.compile(r"^Broadcast completed: result=", re.MULTILINE)
_FAILED = re.compile(
    r"^(Error|Exception occurred|Security exception|java\.|android\.|Bad component|Unknown)",
    re.MULTILINE,
)
_ERROR = re.compile(r"^Error", re.MULTILINE)
_NO_CLASS = re.compile(r"^Error: Activity class .* does not exist\.$", re.MULTILINE)
_NO_SERVICE = "Error: Not found; no service started."
_UNRESOLVED = "Error: Activity not started, unable to resolve Intent"
_BACKGROUND = re.compile(r"^Error: app is in background", re.MULTILINE)
_PROTECTED = re.compile(r"not allowed to send broadcast (\S{1,200}) from pid=", re.MULTILINE)


def read_handlers(text: str) -> list[Handler]:
    """Parse `query-activities --brief` and similar commands. Raises BadList."""
    lines = [line for line in text.replace("\r", "\n").splitlines() if line.strip()]
    if len(lines) == 1 and _NONE.fullmatch(lines[0]):
        return []
    head = _FOUND.fullmatch(lines[0]) if lines else None
    components = filter(None, map(_COMPONENT.fullmatch, lines[1:]))
    found = [_handler(component) for component in components]
    if head is None or int(head[1]) != len(found):
        raise BadList(first_line(text))
    return found


def read_resolved(text: str) -> Handler | None:
    """Parse `resolve-activity --brief`: the activity, which may be Android's chooser, or None.
    Raises BadList."""
    lines = [line for line in text.replace("\r", "\n").splitlines() if line.strip()]
    if len(lines) == 1 and _NONE.fullmatch(lines[0]):
        return None
    component = _COMPONENT.fullmatch(lines[-1]) if lines else None
    if component is None:
        raise BadList(first_line(text))
    return _handler(component)


def read_closed(text: str, handlers: list[Handler]) -> list[Denial | None]:
    """Parse the long form of `query-receivers`: the denial of each of the `handlers`, which are in
    the same order; None for one that is open to all. Raises BadList if an app's label forges other
    receivers or fields."""
    blocks: list[dict[str, str]] = []
    for line in text.replace("\r", "\n").splitlines():
        if _ENTRY.fullmatch(line):
            blocks.append({})
        elif blocks and line.startswith("      ") and not line.startswith("       "):
            # The fields of the receiver itself; those of its app are indented further.
            for word in line.split():
                field, _, value = word.partition("=")
                if blocks[-1].setdefault(field, value) != value and field in _DECIDING:
                    raise BadList("a receiver with contradictory fields")
    names = [(block.get("packageName"), block.get("name")) for block in blocks]
    if names != [(handler.package, handler.class_name) for handler in handlers]:
        raise BadList("receivers that do not match their names")
    return [_read_closed(block) for block in blocks]


def _read_closed(receiver: Mapping[str, str]) -> Denial | None:
    if receiver.get("exported") != "true":
        return Denial()
    permission = receiver.get("permission", "null")
    return None if permission == "null" else Denial(permission)


def _handler(found: re.Match[str]) -> Handler:
    package, name = found.groups()
    return Handler(package, package + name if name.startswith(".") else name)


class NotByShell(Exception):
    """`am` cannot express the intent. The message is a sentence. Nothing was done."""


def intent_words(intent: Intent, api: int) -> list[str]:
    """Return the intent as arguments of `am`. Raises NotByShell."""
    words: list[str] = []
    for option, value in (
        ("-a", intent.action),
        ("-d", intent.data),
        ("-t", intent.mime_type),
        ("-p", intent.package),
    ):
        if value:
            words += (option, value)
    for category in intent.categories:
        words += ("-c", category)
    if intent.class_name:
        words += ("-n", f"{intent.package}/{intent.class_name}")
    if intent.flags:
        words += ("-f", hex(intent.flags))
    for extra in intent.extras:
        words += _extra_words(extra, api)
    return words


_EXTRAS = {
    "string": "--es",
    "int": "--ei",
    "long": "--el",
    "float": "--ef",
    "double": "--ed",
    "boolean": "--ez",
    "strings": "--esal",
}


def _extra_words(extra: Extra, api: int) -> tuple[str, str, str]:
    value = extra.value
    if extra.type == "double" and api < DOUBLES_SINCE:
        raise NotByShell(
            f"extras.{extra.name}: a number with a fraction needs Android 13 or the helper."
        )
    if isinstance(value, tuple):
        # `am` cuts it at commas, keeps the backslash before one, and drops empty texts at the end.
        if not value or any(not text or "," in text or text.endswith("\\") for text in value):
            raise NotByShell(
                f"extras.{extra.name}: a list needs the helper if it is empty, or if one of its "
                "texts"
                " is empty, contains a comma or ends with a backslash."
            )
        shown = ",".join(value)
    elif isinstance(value, bool):
        shown = str(value).lower()
    else:
        shown = str(value)
    return _EXTRAS[extra.type], extra.name, shown


class ShellIntents:
    def __init__(self, commands: Commands, apps: ShellApps) -> None:
        self._commands = commands
        self._apps = apps

    async def handlers(self, intent: Intent) -> list[Handler]:
        return await self._find(intent, await self._commands.user())

    async def _find(self, intent: Intent, user: int) -> list[Handler]:
        """Return the components that handle the intent. Raises AdbError."""
        options = f"--brief --user {user}"
        words = self._line(intent, asks=True)
        line = f"cmd package {_QUERIES[intent.kind]} {options} {words}"
        if intent.kind != "activity":
            found = self._read(await self._commands.ask(line))
            only = len(found) == 1 or intent.kind == "broadcast"
            return [handler._replace(default=only) for handler in found]
        line = f"cmd package resolve-activity {options} {words}; {line}"
        printed = await self._commands.ask(line)
        listed = _LISTED.search(printed)
        found = self._read(printed[listed.start() :] if listed else printed)
        try:
            chosen = read_resolved(printed[: listed.start()] if listed else printed)
        except BadList as problem:
            raise _unclear(problem) from None
        return [handler._replace(default=handler == chosen) for handler in found]

    @staticmethod
    def _read(printed: str) -> list[Handler]:
        try:
            return read_handlers(printed)
        except BadList as problem:
            raise _unclear(problem) from None

    def _line(self, intent: Intent, api: int = DOUBLES_SINCE, *, asks: bool = False) -> str:
        """Return the intent as words of a command line; `asks`: only the parts that affect
        resolution."""
        if asks:
            categories = intent.categories
            if intent.kind == "activity" and not intent.class_name and DEFAULT not in categories:
                # Android starts only activities that declare this category.
                categories = (*categories, DEFAULT)
            intent = replace(intent, categories=categories, flags=0, extras=())
        return shlex.join(intent_words(intent, api))

    async def send(self, intent: Intent) -> Sent:
        """Raises HelperFailure, NotByShell."""
        api, user = await self._commands.api(), await self._commands.user()
        intent_words(intent, api)  # raises NotByShell before any query
        if intent.kind == "activity" and read_locked(await self._commands.ask(FRONT_LINE)):
            raise HelperFailure(Code.LOCKED, "The phone is locked.")
        found = await self._find(intent, user)
        if not found:
            raise await self._explain(intent, user)
        if intent.kind == "broadcast":
            return await self._broadcast(intent, found, user, api)
        chosen = [handler for handler in found if handler.default]
        if not chosen:
            data = {
                "handlers": [
                    {
                        "package": handler.package,
                        "class": handler.class_name,
                        "label": handler.label,
                        "default": False,
                    }
                    for handler in found[:MOST_HANDLERS]
                ]
            }
            raise HelperFailure(Code.SEVERAL_HANDLERS, f"{len(found)} handle it.", data=data)
        return await self._start(intent, chosen[0], user, api)

    async def _explain(self, intent: Intent, user: int) -> HelperFailure:
        """Return the reason why no component handles the intent."""
        if intent.package:
            listed = await self._commands.ask(
                f"pm list packages --user {user} {shlex.quote(intent.package)}"
            )
            if f"package:{intent.package}" not in listed.split():
                return HelperFailure(Code.NOT_INSTALLED, f"{intent.package} is not installed.")
        if intent.class_name:
            message = f"{intent.package} has no {intent.class_name}."
            return HelperFailure(Code.NO_COMPONENT, message, data={"installed": True})
        return HelperFailure(Code.NO_HANDLER, "Nothing takes it.")

    async def _start(self, intent: Intent, handler: Handler, user: int, api: int) -> Sent:
        """Start exactly this component."""
        explicit = replace(sent_as(intent), package=handler.package, class_name=handler.class_name)
        verb = "start" if intent.kind == "activity" else "startservice"
        before = "cmd statusbar collapse > /dev/null 2>&1; " if intent.kind == "activity" else ""
        said = await self._say(f"{before}am {verb} --user {user}", explicit, api)
        if (denial := read_denial(said)) is not None or _FAILED.search(said):
            raise _refused(said, handler, denial)
        if not _STARTED.search(said):
            message = f"Android did not confirm the start; it printed: {first_line(said)}."
            raise HelperFailure(Code.FAILED, message, Happened.MAYBE)
        front = await self._await_front(handler.package) if intent.kind == "activity" else ""
        return Sent((handler,), front)

    async def _say(self, command: str, intent: Intent, api: int) -> str:
        line = f"{command} {self._line(intent, api)}"
        if len(line.encode()) > LONGEST_LINE:
            raise NotByShell(f"An intent of more than {LONGEST_LINE} bytes needs the helper.")
        result = await self._commands.run(line, act=True)
        return (result.stdout + b"\n" + result.stderr).decode(errors="replace")

    async def _await_front(self, package: str) -> str:
        """Wait for the activity's package; return the package in front, even if it is another."""
        front = ""
        for look in range(FRONT_MS // LOOK_MS):
            if look:
                # Sleeps on the phone, whose clock matters here.
                await self._commands.ask(f"sleep {LOOK_MS / 1000}")
            front, there = await self._apps.look_for(package)
            if there:
                break
        return front

    async def _broadcast(self, intent: Intent, found: list[Handler], user: int, api: int) -> Sent:
        line = f"cmd package query-receivers --user {user} {self._line(intent, asks=True)}"
        try:
            closed = read_closed(await self._commands.ask(line), found)
        except BadList as problem:
            raise _unclear(problem) from None
        granted = frozenset[str]()
        if any(denial is not None and denial.permission for denial in closed):
            granted = find_granted(await self._commands.ask(shlex.join(DUMP)))
        receivers = [
            receiver
            for receiver, denial in zip(found, closed, strict=True)
            if denial is None or denial.permission in granted
        ]
        if not receivers:
            permission = closed[0].permission if closed[0] is not None else ""
            raise HelperFailure(
                Code.APP_REFUSED,
                f"it requires {permission}" if permission else "not exported from uid 0",
                data={"component": found[0].component},
            )
        said = await self._say(f"am broadcast --user {user}", sent_as(intent), api)
        if (action := _PROTECTED.search(said)) is not None:
            raise HelperFailure(Code.FAILED, f"Only the system may send {action[1]}.")
        if _FAILED.search(said) or not _DONE.search(said):
            raise HelperFailure(Code.FAILED, f"Android said: {first_line(said)}.", Happened.MAYBE)
        return Sent(tuple(receivers))


def _unclear(problem: BadList) -> AdbError:
    return AdbError(f"The phone did not list the intent's handlers; it printed: {problem}.")


def _refused(said: str, handler: Handler, denial: Denial | None) -> HelperFailure:
    data = {"component": handler.component}
    if denial is not None:
        return HelperFailure(Code.APP_REFUSED, said, data=data)
    if _BACKGROUND.search(said):
        return HelperFailure(Code.APP_NOT_STARTED, "Its app is in the background.", data=data)
    if _NO_CLASS.search(said) or _NO_SERVICE in said:
        return HelperFailure(
            Code.NO_COMPONENT, f"{handler.component} is gone.", data={"installed": True}
        )
    if ABORTED in said:
        return HelperFailure(Code.FAILED, ABORTED, data={"aborted": True})
    if _UNRESOLVED in said:
        return HelperFailure(Code.NO_HANDLER, "Nothing takes it.")
    # The exception may have occurred at any time.
    happened = Happened.NO if _ERROR.search(said) else Happened.MAYBE
    return HelperFailure(Code.FAILED, f"Android said: {first_line(said)}.", happened)
