"""Converts the arguments that models really send into those that the tools declare.

Only certain cases are converted: `"5"` is 5 if a number is declared. Everything else stays
unchanged, for the tool to refuse.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ...compact_json import read_unambiguous
from ...errors import InvalidParams
from ...screen.rows.words import clean, cut
from ..parameter import LONGEST as LONGEST_TEXT
from ..parameter import Unusable, read_integer, read_number

PHONE = "phone"
"""The parameter of every tool if several phones are served together."""
_LONGEST_NAME = 60
_MOST_VALUES = 2_000
"""The maximum length of a JSON text."""
ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "phone_tap": {"at": ("ref", "element", "target", "selector", "text", "element_id", "point")},
    "phone_swipe": {"at": ("ref", "element", "target", "start"), "to": ("end",)},
    "phone_type": {
        "text": ("value", "content"),
        "into": ("at", "ref", "element", "target", "selector", "field", "element_id"),
    },
    "phone_look": {"find": ("query", "text", "search")},
    "phone_open": {
        "what": ("package", "app", "url", "link", "name", "package_id", "package_name", "uri")
    },
    "phone_intent": {
        "do": ("kind", "type"),
        "app": ("package", "package_name", "package_id"),
        "data": ("uri", "url"),
        "mime": ("mime_type",),
    },
    "phone_scroll": {"until": ("text", "find"), "within": ("at", "ref", "element", "target")},
    "phone_press": {"key": ("button", "name", "keycode")},
    "phone_wait": {"text": ("find", "until", "for"), "seconds": ("timeout",)},
    "phone_read": {"of": ("path", "ref", "id", "package", "query", "find")},
    "phone_notification": {
        "id": ("notification_id", "notification", "of"),
        "text": ("button", "minutes", "reply", "message"),
    },
    "phone_message": {"to": ("phone_number", "number", "recipient"), "text": ("message", "body")},
    "phone_set": {"what": ("setting", "name"), "value": ("state", "level", "to")},
    "phone_file": {"text": ("content",), "old": ("old_text", "old_string")},
    "phone_app": {"app": ("package", "package_id", "package_name", "name", "path", "file")},
    "phone_do": {"steps": ("actions",)},
    "phone_lease": {"phone": ("slug", "lease", "handle")},
}
"""Models' names for a parameter, by tool. The parameter's own name wins."""
_POINTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "at": (("x", "y"), ("x1", "y1"), ("start_x", "start_y")),
    "to": (("x2", "y2"), ("end_x", "end_y"), ("to_x", "to_y")),
}
"""Two parameters that together mean one point."""
_PHONES = ("device", "phone_device", "serial")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def normalise(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under the tool's names, with their values in the declared types if the
    conversion is certain. Unknown arguments stay."""
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    values = {name: value for name, value in arguments.items() if value is not None}
    for name, pairs in _POINTS.items():
        for x, y in pairs:
            absent = name in properties and values.get(name, "") == ""
            if absent and x in values and y in values:
                values[name] = f"{values.pop(x)},{values.pop(y)}"
    aliases = ALIASES.get(tool, {})
    for name, others in {**aliases, PHONE: (*aliases.get(PHONE, ()), *_PHONES)}.items():
        for other in others:
            if values.get(name, "") == "" and other in values and other not in properties:
                values[name] = values.pop(other)
    # Models send "" for parameters that they do not use.
    return {
        name: value
        for name, value in convert(schema, values).items()
        if value != "" or name in schema["required"]
    }


def check_known(tool: str, given: Iterable[str], takes: Iterable[str]) -> None:
    """Raises InvalidParams for an unknown argument: the tool would not do what it means."""
    known = [*takes]
    unknown = next((name for name in given if name not in known), None)
    if unknown is None:
        return
    import difflib

    near = difflib.get_close_matches(unknown[:_LONGEST_NAME], known, n=1, cutoff=0.5)
    hint = f" Nearest: {near[0]}." if near else ""
    takes_what = f" It takes {', '.join(known)}." if known else " It takes nothing."
    named = cut(clean(unknown[:LONGEST_TEXT]), _LONGEST_NAME)
    raise InvalidParams(f'{tool} has no "{named}".{hint}{takes_what} Nothing was done.')


def take_phones(arguments: dict[str, Any]) -> list[Any]:
    """Remove the arguments that name a phone, and return their values."""
    named = [arguments.pop(name) for name in (PHONE, *_PHONES) if name in arguments]
    return [phone for phone in named if phone is not None and phone != ""]


def convert(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with their values in the declared types if the conversion is certain."""
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    return {
        name: _converted(value, properties[name]) if name in properties else value
        for name, value in arguments.items()
    }


def _converted(value: Any, declared: Mapping[str, Any]) -> Any:
    kind = declared.get("type")
    try:
        if kind == "string":
            return _text(value, declared.get("enum", ()))
        if value == "":
            return value
        if kind == "boolean":
            return _boolean(value)
        if kind == "integer":
            return read_integer(value)
        if kind == "number":
            return read_number(value)
    except Unusable:
        return value
    if kind in ("array", "object") and isinstance(value, str):
        return parse_text(value)
    return value


def parse_text(text: str) -> Any:
    """Parse a JSON text sent for a declared object or list. Returns the text itself if it is
    invalid, or has more values than any tool takes: messages have a limit of values, which does not
    count those inside strings."""
    if sum(map(text.count, ",[{")) > _MOST_VALUES:
        return text
    try:
        return read_unambiguous(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any, choices: Sequence[str]) -> Any:
    if isinstance(value, list):
        parts = cast("list[Any]", value)
        return _point(parts) if len(parts) == 2 else cast("Any", value)
    if isinstance(value, dict):
        point = cast("dict[str, Any]", value)
        return _point([point["x"], point["y"]]) if point.keys() == {"x", "y"} else point
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    if isinstance(value, str):
        word = value.strip().lower()
        # Models write "logs" for "log"; "file" and "files" may both be choices.
        forms = (word, word.removesuffix("s"), f"{word}s")
        return next((form for form in forms if form in choices), value)
    return value


def _point(parts: list[Any]) -> Any:
    """Convert a point sent as an array or an object."""
    numbers = [read_number(part) for part in parts]
    return ",".join(str(int(each) if each == int(each) else each) for each in numbers)


def _boolean(value: Any) -> Any:
    word = json.dumps(value) if isinstance(value, int) else value
    if not isinstance(word, str):
        return value
    word = word.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else value
