"""Changes single values in a TOML text and keeps everything else as written."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

from .toml_parsing import parse_toml

Path = tuple[str, ...]
LONGEST_VALUE = 200
"""The most lines that one value may span."""
_BARE_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
MOST_SIGNS = 50
"""The most number signs that are examined in one statement; with more, it counts as commented."""


@dataclass(frozen=True, slots=True)
class Changed:
    text: str
    keeps: bool
    """Whether every comment is still there."""


def change(text: str, path: Path, value: Any, *, rewrite: bool = True) -> Changed:
    """Return the text with `value` at `path`; None removes the value. Raises ValueError for a text
    that is not TOML, or, without `rewrite`, if other lines would have to be rewritten."""
    tree = parse_toml(text)
    wanted = _with(tree, path, value)
    acceptable = (wanted, _without_empty(wanted, path[:-1]))
    if tree in acceptable:
        return Changed(text, True)
    # An edit counts only if the result parses to the wanted values.
    for edited, keeps in _edit(text, path, value):
        if _parsed(edited) in acceptable:
            return Changed(edited, keeps)
    rewritten = _write(wanted)
    if not rewrite or _parsed(rewritten) not in acceptable:
        raise ValueError("it has a value that can only be changed by hand")
    return Changed(rewritten, "#" not in text)


def _with(tree: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    wanted = deepcopy(dict(tree))
    table = wanted
    for name in path[:-1]:
        below = table.setdefault(name, {})
        if not isinstance(below, dict):
            raise ValueError(f"{name} is not a table")
        table = cast("dict[str, Any]", below)
    if value is None:
        table.pop(path[-1], None)
    else:
        table[path[-1]] = value
    return wanted


def _without_empty(tree: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The tree without the tables on the path that are now empty."""
    pruned = deepcopy(dict(tree))
    for depth in range(len(path), 0, -1):
        table: Any = pruned
        for name in path[: depth - 1]:
            table = table[name]
        if not table.get(path[depth - 1], True):
            del table[path[depth - 1]]
    return pruned


@dataclass(frozen=True, slots=True)
class _Statement:
    """Lines `first` to `last`, and the table or key they set."""

    first: int
    last: int
    path: Path
    header: bool
    key: str = ""
    """As it is written."""


def _edit(text: str, path: Path, value: Any) -> Iterator[tuple[str, bool]]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    statements = list(_statements(lines))
    for statement in statements:
        if not statement.header and statement.path == path:
            kept, comment = _comments("".join(lines[statement.first : statement.last + 1]))
            tail = f"  {comment}" if comment else ""
            fresh = [comment + "\n"] if comment else []
            if value is not None:
                fresh = [f"{statement.key} = {written(value)}{tail}\n"]
            yield "".join([*lines[: statement.first], *fresh, *lines[statement.last + 1 :]]), kept
            return
    if value is None:
        yield from _without_table(lines, statements, path)
        return
    place, before = _place(statements, path[:-1], lines)
    line = f"{_key(path[-1:])} = {written(value)}\n"
    yield "".join([*lines[:place], *before, line, *lines[place:]]), True


def _without_table(
    lines: Sequence[str], statements: Sequence[_Statement], path: Path
) -> Iterator[tuple[str, bool]]:
    for number, statement in enumerate(statements):
        if statement.header and statement.path == path:
            last = statement.last
            for inside in statements[number + 1 :]:
                if inside.header and inside.path[: len(path)] != path:
                    break
                last = inside.last
            first = statement.first
            if first and not lines[first - 1].strip():
                first -= 1  # the blank line before it
            gone = lines[first : last + 1]
            yield "".join([*lines[:first], *lines[last + 1 :]]), "#" not in "".join(gone)


def _place(
    statements: Sequence[_Statement], table: Path, lines: Sequence[str]
) -> tuple[int, Sequence[str]]:
    """Where a new line of the table belongs, and the lines to insert before it."""
    headers = [statement for statement in statements if statement.header]
    own = [statement for statement in headers if statement.path == table]
    if table and not own:
        gap = ["\n"] if lines and lines[-1].strip() else []
        return len(lines), [*gap, f"[{_key(table)}]\n"]
    first = own[0].first if own else -1
    end = min(
        (statement.first for statement in headers if statement.first > first), default=len(lines)
    )
    inside = [statement.last for statement in statements if first <= statement.first < end]
    if inside:
        return inside[-1] + 1, []
    # Before the first table, and before the comment that introduces it.
    while end and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end, []


def _statements(lines: Sequence[str]) -> Iterator[_Statement]:
    """Yield the statements, up to one that cannot be parsed."""
    table: Path = ()
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        if not line or line.startswith("#"):
            number += 1
            continue
        if line.startswith("["):
            found = _chain(line)
            if found is None:
                return
            table = found
            yield _Statement(number, number, table, True)
            number += 1
            continue
        last = _last_line(lines, number)
        bare = _BARE_KEY.match(lines[number])
        key = bare[1] if bare else _key_of(lines[number])
        if last is None or key is None:
            return
        below = (key,) if bare else _chain(f"{key} = 0")
        yield _Statement(number, last, (*table, *(below or ())), False, key)
        number = last + 1


def _last_line(lines: Sequence[str], first: int) -> int | None:
    for last in range(first, min(len(lines), first + LONGEST_VALUE)):
        if _parsed("".join(lines[first : last + 1])) is not None:
            return last
    return None


def _key_of(line: str) -> str | None:
    for place, char in enumerate(line):
        if char == "=" and _parsed(line[:place] + "= 0") is not None:
            return line[:place].strip()
    return None


def _chain(line: str) -> Path | None:
    """The names in a table header or dotted key."""
    tree: Any = _parsed(line)
    if tree is None:
        return None
    path: list[str] = []
    while isinstance(tree, dict) and tree:
        [(name, tree)] = cast("dict[str, Any]", tree).items()
        path.append(name)
    return tuple(path)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except ValueError:
        return None


def _comments(statement: str) -> tuple[bool, str]:
    """Whether a statement has no comments except one at its end, and that comment."""
    if statement.count("#") > MOST_SIGNS:
        return False, ""
    value = _parsed(statement)
    found: list[tuple[int, int]] = []
    for place, char in enumerate(statement):
        end = statement.find("\n", place)
        end = len(statement) if end < 0 else end
        inside = bool(found) and place < found[-1][1]
        if char == "#" and not inside and _parsed(statement[:place] + statement[end:]) == value:
            found.append((place, end))
    trailing = [(start, end) for start, end in found if not statement[end:].strip()]
    comment = statement[slice(*trailing[0])].rstrip() if trailing else ""
    return len(found) == len(trailing), comment


def _key(path: Path) -> str:
    return ".".join(
        name
        if name.isascii() and name.replace("-", "a").replace("_", "a").isalnum()
        else written(name)
        for name in path
    )


def written(value: Any) -> str:
    """Format a value as TOML."""
    if isinstance(value, str):
        # JSON strings are TOML strings, except for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return f"{{ {', '.join(f'{_key((name,))} = {written(each)}' for name, each in pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, cast('Sequence[Any]', value)))}]"
    # None of our values are dates, which JSON does not have.
    return json.dumps(value, default=str)


def _write(tree: Mapping[str, Any], path: Path = ()) -> str:
    """Format a whole tree: values first, then tables."""
    tables: dict[str, dict[str, Any]] = {
        name: table for name, table in tree.items() if isinstance(table, dict)
    }
    lines = [
        f"{_key((name,))} = {written(value)}\n"
        for name, value in tree.items()
        if name not in tables
    ]
    if path and (lines or not tables):
        lines.insert(0, f"[{_key(path)}]\n")
    texts = ["".join(lines)] if lines else []
    texts += [_write(table, (*path, name)) for name, table in tables.items()]
    return "\n".join(text for text in texts if text)
