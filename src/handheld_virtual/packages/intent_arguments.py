"""Parser for the intent arguments of `am` and `cmd package`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from urllib.parse import unquote

from ..system.android import Android
from .intent import LAUNCHER, MAIN, VIEW, Intent, Value, whole_name


class BadIntent(Exception):
    """The arguments are invalid. The message is Android's exception, with its class."""


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
    "--receiver-no-abort": 0x8000000,
    "--receiver-include-background": 0x1000000,
    "--activity-match-external": 0x800,
}
_ADDED = {
    "--activity-match-external": Android.intent_match_external,
    "-i": Android.intent_identifier,
    "--ed": Android.intent_doubles,
    "--eda": Android.intent_doubles,
    "--edal": Android.intent_doubles,
}
"""Options that older releases lack."""
_DEFINING = ("-a", "-d", "-t", "-i", "-c", "-n", "-p")
"""The options that define an intent; extras and flags alone do not."""
_FEW, _MANY = 32, 64
"""The bits of an int and of a long."""


def _illegal(message: str) -> BadIntent:
    return BadIntent(f"java.lang.IllegalArgumentException: {message}")


class Words:
    """A command's arguments, consumed one by one as Android's shell commands do."""

    def __init__(self, words: Iterable[str], verb: str = "") -> None:
        """`verb` is the word before the arguments."""
        self._words = list(words)
        self._last = verb
        self._joined: str | None = None
        """The text after a one-letter option in the same word: `-R2`."""

    def option(self) -> str | None:
        """The next word if it is an option. Raises BadIntent if the option before it has an unread
        value."""
        if self._joined is not None:
            raise _illegal(f'No argument expected after "{self._last}"')
        if not self._words or not self._words[0].startswith("-"):
            return None
        word = self._last = self._words.pop(0)
        if len(word) > 2 and word[1] != "-":
            self._joined = word[2:]
            return word[:2]
        return None if word == "--" else word

    def value(self) -> str:
        """The next word. Raises BadIntent if there is none."""
        word = self.next()
        if word is None:
            raise _illegal(f'Argument expected after "{self._last}"')
        return word

    def next(self) -> str | None:
        if self._joined is not None:
            word, self._joined = self._joined, None
            return word
        if not self._words:
            return None
        self._last = self._words.pop(0)
        return self._last


def parse_intent(
    words: Words, android: Android, own: Mapping[str, bool] | None = None
) -> tuple[Intent, dict[str, str]]:
    """Parse the intent and the command's own options; `own` maps their names to whether they take a
    value. Raises BadIntent."""
    own = own or {}
    found: dict[str, str] = {}
    intent = Intent()
    action = ""
    defined = False
    while (option := words.option()) is not None:
        if option in _ADDED and not android.has(_ADDED[option]):
            raise _illegal(f"Unknown option: {option}")
        defined = defined or option in _DEFINING
        if option in own:
            found[option] = words.value() if own[option] else ""
        elif option == "-a":
            intent, action = replace(intent, action=words.value()), option
        elif option == "-d":
            intent = replace(intent, data=words.value())
        elif option == "-t":
            intent = replace(intent, type=words.value())
        elif option == "-i":
            intent = replace(intent, identifier=words.value())
        elif option == "-c":
            categories = dict.fromkeys((*intent.categories, words.value()))
            intent = replace(intent, categories=tuple(categories))
        elif option == "-p":
            intent = replace(intent, package=words.value())
        elif option == "-n":
            intent = replace(intent, component=component_of(words.value()))
        elif option == "-f":
            intent = replace(intent, flags=_flags(words.value(), android))
        elif option in _FLAGS:
            intent = intent.with_flags(_FLAGS[option])
        elif option in _EXTRAS:
            name = words.value()
            value = _EXTRAS[option](words.value()) if option != "--esn" else None
            intent = replace(intent, extras={**intent.extras, name: value})
        else:
            raise _illegal(f"Unknown option: {option}")
    word = words.next()
    if word is not None:
        intent = _named(intent, word, bool(action))
    elif not defined:
        raise _illegal("No intent supplied")
    return intent, found


def _named(intent: Intent, word: str, has_action: bool) -> Intent:
    """Parse the argument without an option: a URI, a component, or a package to launch."""
    if ":" in word:
        named = _parse_uri(word)
        return replace(
            intent,
            action=intent.action or named.action,
            data=intent.data or named.data,
            type=intent.type or named.type,
            categories=intent.categories or named.categories,
            package=intent.package or named.package,
            component=intent.component or named.component,
            flags=intent.flags | named.flags,
            extras=named.extras | intent.extras,
        )
    launched = replace(
        intent,
        action=intent.action or MAIN,
        categories=intent.categories or ((LAUNCHER,) if not has_action else ()),
    )
    if "/" in word:
        return replace(launched, component=launched.component or component_of(word))
    return replace(launched, package=launched.package or word)


def _parse_uri(text: str) -> Intent:
    """Parse an `intent:` URI, or data to view."""
    data, mark, rest = text.partition("#Intent;")
    intent = Intent(action=VIEW, data=text)
    if not text.startswith("intent:") or not mark:
        return intent
    data = data.removeprefix("intent:")
    intent = replace(intent, data=data)
    for part in rest.removesuffix("end").split(";"):
        name, _, encoded = part.partition("=")
        value = unquote(encoded)
        kind, dot, key = name.partition(".")
        if name == "scheme":
            intent = replace(intent, data=f"{value}:{data}")
        elif name == "category":
            intent = replace(intent, categories=(*intent.categories, value))
        elif name == "component":
            intent = replace(intent, component=component_of(value))
        elif name == "launchFlags":
            intent = intent.with_flags(_decode(value))
        elif name in ("action", "type", "package"):
            intent = replace(intent, **{name: value})
        elif dot and kind in _URI_EXTRAS:
            intent = replace(intent, extras={**intent.extras, key: _URI_EXTRAS[kind](value)})
    return intent


def component_of(text: str) -> tuple[str, str]:
    """Parse `package/class`. Raises BadIntent."""
    package, slash, name = text.partition("/")
    if not slash or not name:
        raise _illegal(f"Bad component name: {text}")
    return package, whole_name(package, name)


# Numbers, as Java parses them


def _not_a_number(text: str) -> BadIntent:
    return BadIntent(f'java.lang.NumberFormatException: For input string: "{text}"')


def _decode(text: str, bits: int = _FEW) -> int:
    """Integer.decode: decimal, hexadecimal or octal."""
    found = re.fullmatch(
        r"([-+]?)(?:(?:0[xX]|#)([0-9a-fA-F]{1,16})|(0[0-7]{0,22})|([1-9][0-9]{0,18}))", text
    )
    if found is None:
        raise _not_a_number(text)
    sign, hexadecimal, octal, decimal = found.groups()
    value = int(hexadecimal, 16) if hexadecimal else int(decimal or octal, 10 if decimal else 8)
    value = -value if sign == "-" else value
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise _not_a_number(hexadecimal or text)
    return value


def _flags(text: str, android: Android) -> int:
    bits = _MANY if android.intent_flags_unsigned else _FEW
    return _decode(text, bits) & 0xFFFFFFFF


def _long(text: str) -> int:
    if not re.fullmatch("[-+]?[0-9]{1,19}", text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise _not_a_number(text)
    return int(text)


def _float(text: str) -> float:
    number = text.strip()
    if not re.fullmatch(
        r"[-+]?(NaN|Infinity|(\d{1,40}|\d{1,20}\.\d{0,20}|\.\d{1,20})([eE][-+]?\d{1,3})?[fFdD]?)",
        number,
    ):
        raise _not_a_number(text)
    return float(number if number[-1:] in ("N", "y") else number.rstrip("fFdD"))


def _boolean(text: str) -> bool:
    text = text.lower()
    if text in ("true", "t", "false", "f"):
        return text in ("true", "t")
    try:
        return _decode(text) != 0
    except BadIntent:
        raise _illegal(f"Invalid boolean value: {text}") from None


def _name(text: str) -> str:
    return "/".join(component_of(text))


def _integers(text: str) -> Value:
    return tuple(str(_decode(part)) for part in text.split(","))


def _longs(text: str) -> Value:
    return tuple(str(_long(part)) for part in text.split(","))


def _floats(text: str) -> Value:
    return tuple(str(_float(part)) for part in text.split(","))


def _strings(text: str) -> Value:
    r"""Split at commas. An escaped comma is part of the text, with its backslash."""
    return tuple(re.split(r"(?<!\\),", text))


_EXTRAS: Mapping[str, Callable[[str], Value]] = {
    "-e": str,
    "--es": str,
    "--esn": str,
    "--ez": _boolean,
    "--ei": _decode,
    "--el": _long,
    "--ef": _float,
    "--ed": _float,
    "--eu": str,
    "--ecn": _name,
    **dict.fromkeys(("--eia", "--eial"), _integers),
    **dict.fromkeys(("--ela", "--elal"), _longs),
    **dict.fromkeys(("--efa", "--efal", "--eda", "--edal"), _floats),
    **dict.fromkeys(("--esa", "--esal"), _strings),
}
"""The parser of each type of extra."""
_URI_EXTRAS: Mapping[str, Callable[[str], Value]] = {
    "S": str,
    "B": _boolean,
    "i": _decode,
    "l": _long,
    "f": _float,
    "d": _float,
}
