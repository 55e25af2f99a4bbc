"""Changing single members of a JSON text while everything else stays as it was written.

Editors take more than JSON in their settings: comments, and a comma after the last member. Both are
read everywhere, since nothing here rewrites what it did not have to.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

Path = tuple[str, ...]
DEEPEST = 100
"""Objects and arrays inside each other."""

_GAP = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_COMMENT_BESIDE = re.compile(r"[ \t]*+(?://[^\r\n]*|/\*[^\n]*?\*/)")
_INDENT = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*\r?\n")


class JsonError(ValueError):
    """The text is not JSON, or cannot be changed. The message says where and why."""


@dataclass(slots=True)
class _Member:
    """A key and its value; `comma` is the place of the one after it, or -1."""

    key_start: int
    start: int
    end: int
    value: Any
    object: "_Object | None"
    comma: int = -1


@dataclass(slots=True)
class _Object:
    start: int
    end: int = 0
    members: dict[str, _Member] = field(default_factory=dict[str, _Member])

    @property
    def value(self) -> dict[str, Any]:
        return {key: member.value for key, member in self.members.items()}


def parse(text: str) -> dict[str, Any]:
    """The object that the text is; an empty one where there are at most comments. Raises
    JsonError."""
    root = _Reader(text).document()
    return {} if root is None else root.value


def put(text: str, path: Path, value: Any) -> str:
    """The text with `value` at `path`, and the objects on the way there. Raises JsonError."""
    root = _Reader(text).document()
    if root is None:
        newline = _newline(text)
        head = f"{text.rstrip()}{newline}" if text.strip() else ""
        return f"{head}{_render(_nested(path, value), '', '  ', newline)}{newline}"
    inside = root
    for depth, key in enumerate(path):
        member = inside.members.get(key)
        if member is None:
            fresh = _nested(path[depth + 1 :], value)
            return _insert(text, root, inside, key, fresh)
        if depth == len(path) - 1:
            if member.value == value:
                return text
            indent = _indent_of(text, member.key_start)
            fresh = _render(value, indent, _unit(text, root), _newline(text))
            return text[: member.start] + fresh + text[member.end :]
        if member.object is None:
            raise JsonError(f"{'.'.join(path[: depth + 1])} is not an object")
        inside = member.object
    raise AssertionError("a path has a key")


def remove(text: str, path: Path) -> str:
    """The text without the member at `path`, if it is there. Raises JsonError."""
    inside = _find(text, path[:-1])
    if inside is None or path[-1] not in inside.members:
        return text
    names = list(inside.members)
    place = names.index(path[-1])
    member = inside.members[path[-1]]
    start, end = member.key_start, member.end if member.comma < 0 else member.comma + 1
    line, rest = text.rfind("\n", 0, start) + 1, _beside(text, end)
    if not text[line:start].strip() and (after := _LINE_END.match(text, rest)):
        start, end = line, after.end()
    elif place < len(names) - 1:
        end = len(text) - len(text[end:].lstrip())
    elif place:
        start = len(text[:start].rstrip())
    before = text[:start]
    if place and place == len(names) - 1 and member.comma < 0:
        comma = inside.members[names[place - 1]].comma
        before = text[:comma] + text[comma + 1 : start]
    cut = before + text[end:]
    emptied = _find(cut, path[:-1])
    if emptied is not None and not cut[emptied.start + 1 : emptied.end - 1].strip():
        cut = f"{cut[: emptied.start]}{{}}{cut[emptied.end :]}"
    return cut


def _find(text: str, path: Path) -> _Object | None:
    found = _Reader(text).document()
    for key in path:
        member = found.members.get(key) if found is not None else None
        found = member.object if member is not None else None
    return found


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert(text: str, root: _Object, inside: _Object, key: str, value: Any) -> str:
    newline, unit = _newline(text), _unit(text, root)
    name = json.dumps(key, ensure_ascii=False)
    if inside.members:
        last = list(inside.members.values())[-1]
        closes = last.comma >= 0
        comma = "" if closes else ","
        if "\n" not in text[inside.start : last.key_start]:
            end = last.comma + 1 if closes else last.end
            compact = json.dumps(value, ensure_ascii=False)
            return f"{text[:end]}{comma} {name}: {compact}{',' if closes else ''}{text[end:]}"
        indent = _indent_of(text, last.key_start)
        place = _beside(text, last.comma + 1 if closes else last.end)
        fresh = f"{newline}{indent}{name}: {_render(value, indent, unit, newline)}"
        fresh += "," if closes else ""
        return f"{text[: last.end]}{comma}{text[last.end : place]}{fresh}{text[place:]}"
    outer = _indent_of(text, inside.start)
    indent = outer + unit
    fresh = f"{newline}{indent}{name}: {_render(value, indent, unit, newline)}"
    within = text[inside.start + 1 : inside.end - 1]
    kept = within.rstrip()  # comments
    tail = within[len(kept) :] if kept and "\n" in within[len(kept) :] else newline + outer
    return f"{text[: inside.start + 1]}{kept}{fresh}{tail}{text[inside.end - 1 :]}"


def _render(value: Any, indent: str, unit: str, newline: str) -> str:
    """An object over several lines; all else, also a list, on one."""
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    lines = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_render(each, inner, unit, newline)}"
        for key, each in cast("Mapping[str, Any]", value).items()
    ]
    return f"{{{newline}{f',{newline}'.join(lines)}{newline}{indent}}}"


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _unit(text: str, root: _Object) -> str:
    """By how much the text is indented: as the first member of the root is."""
    members = list(root.members.values())
    indent = _indent_of(text, members[0].key_start) if members else ""
    return indent or "  "


def _indent_of(text: str, place: int) -> str:
    """The white space at the beginning of the line of `place`."""
    found = _INDENT.match(text, text.rfind("\n", 0, place) + 1)
    assert found is not None
    return found[0]


def _beside(text: str, place: int) -> int:
    """Where comments end that begin at `place`, on the same line."""
    while found := _COMMENT_BESIDE.match(text, place):
        place = found.end()
    return place


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> _Object | None:
        """The root object; None where there are only comments. Raises JsonError."""
        self._skip()
        if self._at == len(self._text):
            return None
        if self._text[self._at] != "{":
            raise self._error("it does not begin with {")
        root = self._object(1)
        self._skip()
        if self._at < len(self._text):
            raise self._error("there is something after the last }")
        return root

    def _object(self, depth: int) -> _Object:
        found = _Object(self._at)
        self._at += 1
        while True:
            self._skip()
            if self._peek() == "}":
                self._at += 1
                found.end = self._at
                return found
            key_start = self._at
            key = self._string("a name in quotes, or }, is missing")
            if key in found.members:
                raise self._error(f"{key} is there twice")
            self._skip()
            self._take(":")
            self._skip()
            start = self._at
            value, below = self._value(depth)
            member = _Member(key_start, start, self._at, value, below)
            found.members[key] = member
            self._skip()
            if self._peek() == ",":
                member.comma = self._at
                self._at += 1
            elif self._peek() != "}":
                raise self._error("a comma or } is missing")

    def _array(self, depth: int) -> list[Any]:
        self._at += 1
        values: list[Any] = []
        while True:
            self._skip()
            if self._peek() == "]":
                self._at += 1
                return values
            values.append(self._value(depth)[0])
            self._skip()
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != "]":
                raise self._error("a comma or ] is missing")

    def _value(self, depth: int) -> tuple[Any, _Object | None]:
        if depth >= DEEPEST:
            raise self._error("it is nested too deeply")
        first = self._peek()
        if first == "{":
            found = self._object(depth + 1)
            return found.value, found
        if first == "[":
            return self._array(depth + 1), None
        if first == '"':
            return self._string(""), None
        scalar = _SCALAR.match(self._text, self._at)
        if scalar is None:
            raise self._error("a value is missing")
        self._at = scalar.end()
        return self._loads(scalar[0]), None

    def _string(self, missing: str) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._error(missing or "a text has no end")
        self._at = found.end()
        return self._loads(found[0])

    def _loads(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            raise self._error("a value is not JSON") from None

    def _skip(self) -> None:
        found = _GAP.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, char: str) -> None:
        if self._peek() != char:
            raise self._error(f"{char} is missing")
        self._at += 1

    def _error(self, reason: str) -> JsonError:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - (self._text.rfind("\n", 0, self._at) + 1) + 1
        return JsonError(f"line {line}, column {column}: {reason}")
