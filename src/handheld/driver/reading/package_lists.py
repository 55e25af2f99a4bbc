"""Parse the output of Android's package manager.

The output differs between versions: unknown lines are skipped, except if a command prints only its
answer.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

_NONE_FOUND = "No services found"
_COMPONENT = re.compile(r"([A-Za-z][\w.]*)/([\w.$]+)")
_LISTED = re.compile(r"package:(/.*)=([^=\s]+)")
_VERSION = re.compile(r"(\d{1,19})(?: .*)?")
_SIZED = re.compile(r"(\d{1,19}) (\d{1,19}) (/.*)")


class BadList(ValueError):
    """A command printed something other than its answer. The message is its output."""


class ListedComponent(NamedTuple):
    package: str
    class_name: str
    """Fully qualified."""


class ListedPackage(NamedTuple):
    path: str
    """The path of its base.apk. Each installation of a package has a new folder."""
    version_code: int


class FileState(NamedTuple):
    size: int
    modified: int
    """Seconds since 1970."""


def read_components(text: str) -> list[ListedComponent]:
    """Parse `cmd package query-services --components`. Raises BadList."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines == [_NONE_FOUND]:
        return []
    return [_component(line) for line in lines]


def read_resolver(text: str, table: str, keys: Collection[str]) -> list[ListedComponent]:
    """Parse `dumpsys package resolvers`: the distinct components under any of the keys in the table
    with that title."""
    found: dict[ListedComponent, None] = {}
    inside = wanted = False
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        if not line.strip():
            continue
        if depth == 0:
            inside, wanted = line == table, False
        elif depth == 2:
            wanted = False
        elif depth == 6:
            wanted = inside and line.strip().removesuffix(":") in keys
        elif depth == 8 and wanted:
            # A filter's hash is followed by its component.
            parts = line.split()
            match = _COMPONENT.fullmatch(parts[1]) if len(parts) > 1 else None
            if match is not None:
                found[_qualify(match)] = None
    return list(found)


def read_packages(text: str) -> dict[str, ListedPackage]:
    """Parse `pm list packages -f --show-versioncode`. Raises BadList."""
    found: dict[str, ListedPackage] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        # Paths contain equals signs: the last one separates the package.
        listed, _, code = line.partition(" versionCode:")
        match, version = _LISTED.fullmatch(listed), _VERSION.fullmatch(code)
        if match is None or version is None:
            raise BadList(_shown(line))
        found[match[2]] = ListedPackage(match[1], int(version[1]))
    if not found:
        raise BadList("no package at all")
    return found


def read_states(text: str) -> dict[str, FileState]:
    """Parse `stat -c '%s %Y %n'`, by path. Files that do not exist are missing."""
    return {path: FileState(int(size), int(when)) for size, when, path in _sized(text)}


def _sized(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.splitlines():
        match = _SIZED.fullmatch(line)
        if match is None:
            raise BadList(_shown(line))
        yield match[1], match[2], match[3]


def _component(line: str) -> ListedComponent:
    match = _COMPONENT.fullmatch(line)
    if match is None:
        raise BadList(_shown(line))
    return _qualify(match)


def _qualify(match: re.Match[str]) -> ListedComponent:
    package, name = match.groups()
    return ListedComponent(package, package + name if name.startswith(".") else name)


def _shown(line: str) -> str:
    return repr(line.strip()[:200])
