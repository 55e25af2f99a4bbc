"""Intents: parsed from the arguments of `am` and `cmd package`, and resolved to components."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...apk.manifest import Component, Filter, Kind
from ..system.android import Android

if TYPE_CHECKING:
    from ..world import World
    from .app import App

MAIN = "android.intent.action.MAIN"
LAUNCHER = "android.intent.category.LAUNCHER"
DEFAULT = "android.intent.category.DEFAULT"
HOME = "android.intent.category.HOME"
NEW_TASK = 0x10000000

Value = str | int | float | bool | None | tuple[str, ...]


class BadIntent(Exception):
    """The message is the exception that Android throws, with its class."""


@dataclass(frozen=True, slots=True)
class Intent:
    action: str = ""
    data: str = ""
    type: str = ""
    categories: tuple[str, ...] = ()
    package: str = ""
    component: tuple[str, str] | None = None
    """The package and the fully qualified class."""
    flags: int = 0
    extras: dict[str, Value] = field(default_factory=dict[str, Value])

    @property
    def scheme(self) -> str:
        scheme, colon, _ = self.data.partition(":")
        return scheme if colon else ""

    @property
    def host(self) -> str:
        found = re.match(r"[^:]+://(?:[^/?#@]*@)?([^/?#:]*)", self.data)
        return found[1] if found is not None else ""

    def with_flags(self, flags: int) -> "Intent":
        return replace(self, flags=self.flags | flags)

    def show(self, android: Android) -> str:
        """Format the intent as Android prints it."""
        parts = {
            "act": self.action,
            "cat": f"[{','.join(self.categories)}]" if self.categories else "",
            "dat": _safe(self.data, android),
            "typ": self.type,
            "flg": f"0x{self.flags:x}" if self.flags else "",
            "pkg": self.package,
            "cmp": short_name(*self.component) if self.component is not None else "",
        }
        words = [f"{name}={value}" for name, value in parts.items() if value]
        if self.extras:
            words.append("(has extras)")
        return f"Intent {{ {' '.join(words)} }}"


def short_name(package: str, name: str) -> str:
    return f"{package}/{name.removeprefix(package) if name.startswith(package + '.') else name}"


def whole_name(package: str, name: str) -> str:
    return package + name if name.startswith(".") else name


def _safe(data: str, android: Android) -> str:
    """Redact what could be private."""
    scheme, colon, rest = data.partition(":")
    if not colon:
        return data
    if scheme.lower() in ("tel", "sip", "sms", "smsto", "mailto", "nfc"):
        return f"{scheme}:" + re.sub(r"[^-@.]", "x", rest)
    hidden = scheme.lower() in ("http", "https", "ftp", "rtsp") or android.intent_data_redacted
    found = re.match(r"//([^/?#]*)", rest)
    if hidden and found is not None:
        return f"{scheme}://{found[1].rpartition('@')[2]}/..."
    return data


_FLAGS = {
    "--grant-read-uri-permission": 0x1,
    "--grant-write-uri-permission": 0x2,
    "--grant-persistable-uri-permission": 0x40,
    "--grant-prefix-uri-permission": 0x80,
    "--exclude-stopped-packages": 0x10,
    "--include-stopped-packages": 0x20,
    "--debug-log-resolution": 0x8,
    "--activity-brought-to-front": 0x400000,
    "--activity-clear-top": 0x4000000,
    "--activity-clear-when-task-reset": 0x80000,
    "--activity-exclude-from-recents": 0x800000,
    "--activity-launched-from-history": 0x100000,
    "--activity-multiple-task": 0x8000000,
    "--activity-no-animation": 0x10000,
    "--activity-no-history": 0x40000000,
    "--activity-no-user-action": 0x40000,
    "--activity-previous-is-top": 0x1000000,
    "--activity-reorder-to-front": 0x20000,
    "--activity-reset-task-if-needed": 0x200000,
    "--activity-single-top": 0x20000000,
    "--activity-clear-task": 0x8000,
    "--activity-task-on-home": 0x4000,
    "--receiver-registered-only": 0x40000000,
    "--receiver-replace-pending": 0x20000000,
    "--receiver-foreground": 0x10000000,
}
_DEFINING = ("-a", "-d", "-t", "-i", "-c", "-n", "-p")
"""The options that make an intent; extras and flags alone do not."""
_LISTS = ("--eia", "--eial", "--ela", "--elal", "--efa", "--efal", "--esa", "--esal")


class UnknownOption(Exception):
    """An option of neither the intent nor the command."""


class Words:
    """A command's arguments, consumed one by one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(words)

    def option(self) -> str | None:
        """The next word if it is an option."""
        if self._words and self._words[0].startswith("-"):
            word = self._words.pop(0)
            return None if word == "--" else word
        return None

    def value(self, option: str) -> str:
        if not self._words:
            raise BadIntent(
                f'java.lang.IllegalArgumentException: Argument expected after "{option}"'
            )
        return self._words.pop(0)

    def next(self) -> str | None:
        return self._words.pop(0) if self._words else None

    def rest(self) -> list[str]:
        return list(self._words)


def parse_intent(
    words: Words, own: "dict[str, bool] | None" = None
) -> tuple[Intent, dict[str, str]]:
    """Parse the intent and the command's own options; `own` says for each name whether it has a
    value. Raises BadIntent and UnknownOption."""
    own = own or {}
    found: dict[str, str] = {}
    intent = Intent()
    action = ""
    defined = False
    while (option := words.option()) is not None:
        defined = defined or option in _DEFINING
        if option in own:
            found[option] = words.value(option) if own[option] else ""
        elif option == "-a":
            intent, action = replace(intent, action=words.value(option)), option
        elif option == "-d":
            intent = replace(intent, data=words.value(option))
        elif option == "-t":
            intent = replace(intent, type=words.value(option))
        elif option == "-i":
            words.value(option)
        elif option == "-c":
            categories = dict.fromkeys((*intent.categories, words.value(option)))
            intent = replace(intent, categories=tuple(categories))
        elif option == "-p":
            intent = replace(intent, package=words.value(option))
        elif option == "-n":
            intent = replace(intent, component=component_of(words.value(option)))
        elif option == "-f":
            intent = replace(intent, flags=_integer(words.value(option)) & 0xFFFFFFFF)
        elif option in _FLAGS:
            intent = intent.with_flags(_FLAGS[option])
        elif option.startswith(("-e", "--e")):
            name, value = _extra(option, words)
            intent = replace(intent, extras={**intent.extras, name: value})
        else:
            raise UnknownOption(option)
    word = words.next()
    if word is not None:
        intent = _named(intent, word, bool(action))
    elif not defined:
        raise BadIntent("java.lang.IllegalArgumentException: No intent supplied")
    return intent, found


def _named(intent: Intent, word: str, has_action: bool) -> Intent:
    """Parse the argument without an option: a URI, a component, or a package to launch."""
    if ":" in word:
        return replace(
            intent,
            action=intent.action or "android.intent.action.VIEW",
            data=intent.data or word,
        )
    launched = replace(
        intent,
        action=intent.action or MAIN,
        categories=intent.categories or ((LAUNCHER,) if not has_action else ()),
    )
    if "/" in word:
        return replace(launched, component=launched.component or component_of(word))
    return replace(launched, package=launched.package or word)


def component_of(text: str) -> tuple[str, str]:
    """Raises BadIntent."""
    package, slash, name = text.partition("/")
    if not slash or not package or not name:
        raise BadIntent(f"java.lang.IllegalArgumentException: Bad component name: {text}")
    return package, whole_name(package, name)


def _integer(text: str, bits: int = 32) -> int:
    most = 1 << bits - 1
    try:
        value = int(text, 0)
    except ValueError:
        value = most
    if not -most <= value < most:
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{text}"')
    return value


def _extra(option: str, words: Words) -> tuple[str, Value]:
    name = words.value(option)
    if option == "--esn":
        return name, None
    if option in ("-e", "--es", "--eu", "--ecn"):
        return name, words.value(option)
    if option in ("--ei", "--el"):
        return name, _integer(words.value(option), 32 if option == "--ei" else 64)
    if option in ("--ef", "--ed"):
        text = words.value(option)
        try:
            return name, float(text)
        except ValueError:
            raise BadIntent(
                f'java.lang.NumberFormatException: For input string: "{text}"'
            ) from None
    if option == "--ez":
        text = words.value(option).lower()
        if text in ("true", "t", "false", "f"):
            return name, text in ("true", "t")
        if not re.fullmatch(r"-?\d{1,9}", text):
            raise BadIntent(f"java.lang.IllegalArgumentException: Invalid boolean value: {text}")
        return name, int(text) != 0
    if option in _LISTS:
        return name, tuple(re.split(r"(?<!\\),", words.value(option)))
    raise UnknownOption(option)


# Resolution


@dataclass(frozen=True, slots=True)
class Match:
    app: "App"
    component: Component
    match: int
    priority: int
    is_default: bool

    @property
    def short(self) -> str:
        return short_name(self.app.package, self.component.name)


def enabled_apps(world: "World") -> list["App"]:
    return [app for name, app in world.apps.items() if name not in world.disabled_packages]


def find_component(world: "World", kind: Kind, component: tuple[str, str]) -> Match | None:
    """Resolve by component name, whatever else the intent contains."""
    for app in enabled_apps(world):
        if app.package == component[0]:
            for candidate in app.manifest.components:
                if candidate.kind is kind and candidate.name == component[1] and candidate.enabled:
                    return Match(app, candidate, 0, 0, False)
    return None


def query(world: "World", kind: Kind, intent: Intent, *, default_only: bool = False) -> list[Match]:
    """Every component that matches, the best first."""
    if intent.component is not None:
        found = find_component(world, kind, intent.component)
        return [found] if found is not None else []
    matches: list[Match] = []
    for app in enabled_apps(world):
        if intent.package and app.package != intent.package:
            continue
        for candidate in app.manifest.components:
            if candidate.kind is not kind or not candidate.enabled:
                continue
            scores = [
                (score, filter) for filter in candidate.filters if (score := _score(filter, intent))
            ]
            if default_only:
                scores = [pair for pair in scores if DEFAULT in pair[1].categories]
            if scores:
                score, filter = max(scores, key=lambda pair: pair[0])
                is_default = DEFAULT in filter.categories
                matches.append(Match(app, candidate, score, filter.priority, is_default))
    return sorted(matches, key=lambda match: (-match.priority, -match.match, not match.is_default))


def _score(filter: Filter, intent: Intent) -> int:
    """Android's match number; 0 when it does not match."""
    if intent.action and intent.action not in filter.actions:
        return 0
    if not intent.action and not filter.actions:
        return 0
    if set(intent.categories) - set(filter.categories):
        return 0
    normal = 0x8000
    if filter.mime_types:
        if not intent.type or not any(
            _type_fits(mime_type, intent.type) for mime_type in filter.mime_types
        ):
            return 0
        if filter.schemes and intent.scheme not in filter.schemes:
            return 0
        if not filter.schemes and intent.scheme not in ("", "content", "file"):
            return 0
        return 0x600000 + normal
    if intent.type:
        return 0
    if not filter.schemes:
        return 0x100000 + normal if not intent.data else 0
    if intent.scheme not in filter.schemes:
        return 0
    if filter.hosts:
        return (
            0x300000 + normal if any(_host_fits(host, intent.host) for host in filter.hosts) else 0
        )
    return 0x200000 + normal


def _host_fits(pattern: str, host: str) -> bool:
    if pattern.startswith("*"):
        return host.lower().endswith(pattern[1:].lower())
    return host.lower() == pattern.lower()


def _type_fits(pattern: str, type: str) -> bool:
    if "*" in (pattern, type) or "*/*" in (pattern, type):
        return True
    base, _, rest = pattern.partition("/")
    other, _, other_rest = type.partition("/")
    return base == other and (rest == other_rest or "*" in (rest, other_rest))
