"""Parse `dumpsys package PACKAGE`.

The lines differ between versions and vendors: unknown lines are skipped, and a missing value is
None, never a guess. An app may put arbitrary lines into its versionName, which is printed verbatim
before most of the values that are read here: of duplicate lines, the last one counts.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..packages import Permission

MOST_PERMISSIONS = 1000

_PACKAGE = re.compile(r"  Package \[([A-Za-z][\w.]*)\] \(\w+\):", re.ASCII)
_SHARED = re.compile(r"  SharedUser \[[^\]\s]+\] \(\w+\):")
_VERSION = re.compile(
    r"    versionCode=(\d{1,19})(?: minSdk=(\d{1,5}))?(?: targetSdk=(\d{1,5}))?\b.*"
)
_VALUE = re.compile(r"    (versionName|installerPackageName|firstInstallTime|lastUpdateTime)=(.+)")
_FLAGS = re.compile(r"    (pkgFlags|flags)=\[ ?([A-Z_ ]*)\]")
_USER = re.compile(r"    User (\d{1,9}):(.*)")
_USER_TIME = re.compile(r"      firstInstallTime=(.+)")
_SECTION = re.compile(r" {4,6}(requested|install|runtime) permissions:")
_STATED = re.compile(
    r" {6,8}([A-Za-z][\w.]{0,254}): granted=(true|false)"
    r"(?:, flags=\[[A-Z0-9_| ]*\])?(?:, userId=(\d{1,9}))?\s*",
    re.ASCII,
)
_REQUESTED = re.compile(r" {6}([A-Za-z][\w.]{0,254})(?:: restricted=(?:true|false))?", re.ASCII)
_WORD = re.compile(r"(?<!\S)(\w{1,40})=(\S+)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_DISABLED = frozenset({"2", "3", "4"})


class DumpedPackage(NamedTuple):
    """The package manager's output about one package and one user."""

    version_name: str | None
    version_code: int
    min_sdk: int | None
    target_sdk: int | None
    flags: frozenset[str]
    installer: str | None
    installed_at: str | None
    updated_at: str | None
    enabled: bool
    permissions: tuple[Permission, ...]


def read_package_dump(text: str, package: str, user: int) -> DumpedPackage | None:
    """Return None if the package is not installed for that user."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    found = list(_block(lines, "Packages:", package))
    if not found:
        return None
    values: dict[str, str] = {}
    flags: dict[str, str] = {}
    version: re.Match[str] | None = None
    state: dict[str, str] | None = None
    for line in found:
        if (match := _VERSION.fullmatch(line)) and version is None:
            version = match
        elif match := _VALUE.fullmatch(line):
            values[match[1]] = match[2].strip()
        elif match := _FLAGS.fullmatch(line):
            flags[match[1]] = match[2]
        elif (match := _USER.fullmatch(line)) and int(match[1]) == user:
            state = dict(_WORD.findall(match[2]))
    if version is None or state is None or state.get("installed") != "true":
        return None
    times = [match[1] for line in _of_user(found, user) if (match := _USER_TIME.fullmatch(line))]
    own_time = times[-1] if times else None
    # Apps that share a uid share its permissions, which are printed with the uid.
    shared = list(_block(lines, "Shared users:", None))
    return DumpedPackage(
        version_name=_given(values.get("versionName")),
        version_code=int(version[1]),
        min_sdk=_number(version[2]),
        target_sdk=_number(version[3]),
        flags=frozenset(" ".join(flags.values()).split()),
        installer=_given(values.get("installerPackageName")),
        installed_at=_time(own_time or values.get("firstInstallTime")),
        updated_at=_time(values.get("lastUpdateTime")),
        enabled=state.get("enabled") not in _DISABLED,
        permissions=_permissions(found, shared, user),
    )


def _block(lines: list[str], title: str, package: str | None) -> Iterator[str]:
    """Yield the lines of the package's block below the title, or of the first block there. An
    updated system app has another block, below another title."""
    inside = own = False
    for line in lines:
        if line and not line.startswith(" "):
            if own:
                return
            inside = line == title
        elif inside and line.startswith("  ") and not line.startswith("   "):
            if own:
                return
            match = (_SHARED if package is None else _PACKAGE).fullmatch(line)
            own = match is not None and (package is None or match[1] == package)
        elif own:
            yield line


def _of_user(lines: list[str], user: int) -> Iterator[str]:
    """Yield the lines below `User N:`."""
    own = False
    for line in lines:
        if match := _USER.fullmatch(line):
            own = int(match[1]) == user
        elif own:
            yield line


def _permissions(found: list[str], shared: list[str], user: int) -> tuple[Permission, ...]:
    requested = [
        match[1]
        for line in _section(found, "requested")
        if (match := _REQUESTED.fullmatch(line)) is not None
    ][:MOST_PERMISSIONS]
    fixed: dict[str, bool] = {}
    runtime: dict[str, bool] = {}
    for lines in (found, shared):
        fixed |= dict(_stated(_section(lines, "install"), user))
        runtime |= dict(_stated(_section(list(_of_user(lines, user)), "runtime"), user))
    return tuple(
        Permission(name, runtime.get(name, fixed.get(name, False)), name in runtime)
        for name in dict.fromkeys(requested)
    )


def _section(lines: list[str], wanted: str) -> Iterator[str]:
    """Yield the lines of a list of permissions, which are indented further than its title."""
    depth = 0
    for line in lines:
        if match := _SECTION.fullmatch(line):
            depth = _depth(line) if match[1] == wanted else 0
        elif depth:
            if _depth(line) <= depth:
                depth = 0
            else:
                yield line


def _stated(lines: Iterator[str], user: int) -> Iterator[tuple[str, bool]]:
    for line in lines:
        match = _STATED.fullmatch(line)
        # A permission that the users hold differently has one line per user.
        if match is not None and match[3] in (None, str(user)):
            yield match[1], match[2] == "true"


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _given(value: str | None) -> str | None:
    return None if value in (None, "", "null") else value


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _time(text: str | None) -> str | None:
    return text if text is not None and _TIME.fullmatch(text) else None
