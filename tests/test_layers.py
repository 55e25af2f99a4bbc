"""The layers of the code: upper layers may import lower ones, never the reverse."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from harness.packages import VIRTUAL, parse, sources

LAYERS = (
    ("__main__", "pytest_plugin", "replay"),
    ("library",),
    ("cli",),
    ("console", "tasks"),
    ("fleet", "server"),
    ("calls",),
    ("access",),
    ("app_tools", "audit", "devices"),
    ("tools",),
    ("phone",),
    ("driver",),
    ("helper",),
    ("adb", "app_functions"),
    ("app_formats", "changes", "clock", "errors", "progress", "screen", "settings"),
    ("compact_json",),
)
"""From the top. A package is one member; members of the same row may not import each other."""

VIRTUAL_MAY = {
    "adb.wire",
    "adb.keys",
    "app_formats",
    "helper.protocol",
    "screen.model",
    "settings.toml_parsing",
}
"""All that the virtual phone shares with the product, so that it stays an independent check."""

VIRTUAL_PUBLIC = {VIRTUAL, *(f"{VIRTUAL}.{name}" for name in ("apps", "command_line", "toolkit"))}
"""The modules of the virtual phone that others may import."""
VIRTUAL_USERS = {
    "cli": {VIRTUAL, f"{VIRTUAL}.command_line"},
    "library": {VIRTUAL, f"{VIRTUAL}.toolkit"},
    "pytest_plugin": {VIRTUAL},
    "tasks": {VIRTUAL, f"{VIRTUAL}.apps", f"{VIRTUAL}.toolkit"},
}
"""Which packages import which of them. `devices` starts it as a program of its own."""

VIRTUAL_LAYERS = (
    ("__main__",),
    ("command_line",),
    ("phone_thread",),
    ("phone",),
    ("commands", "scenes", "wire"),
    ("reference_helper",),
    ("sh",),
    ("boot", "faults", "world"),
    ("automation", "screen"),
    ("apps", "toolkit"),
    ("input", "system_ui"),
    ("packages", "sms"),
    ("files", "system", "video", "views"),
)
"""The layers inside the virtual phone, for imports at run time."""

VIRTUAL_MODULES = 25
"""How many a folder of the virtual phone may have, so that what is in it can be guessed."""

WITHOUT_CIRCLES = ("handheld", VIRTUAL)
"""The import packages whose modules do not import each other in a circle."""

ADB_MAY = {
    "helper": "starts the helper through a link and exchanges frames with it",
    "driver": "performs the verbs of a phone; everything above goes through it",
    "devices": "finds and connects phones",
    "cli": "pairs, connects, lists and diagnoses the phones of adb",
    "library": "makes a key for a phone that it connects to by its address",
    "tasks": "connects to the virtual phone of a task, which is in the same process",
    VIRTUAL: "is the other end of the wire: VIRTUAL_MAY names the codecs",
}
"""Which packages may import `adb`, and why."""

NATS_MAY = {"fleet.nats.client"}
"""The only module that imports the NATS library."""
SPEAKERS = {"cli.terminal", f"{VIRTUAL}.command_line"}
"""Modules that may print to a terminal."""


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


PATHS = {dotted(path): path for path in sources()}
"""Every module's path, by its dotted name: below `handheld`, or that of the virtual phone."""


def text_of(name: str) -> str:
    return sources()[PATHS[name]].read_text(encoding="utf-8")


@cache
def nodes(name: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parse(PATHS[name])))


def typing_alone(name: str) -> set[ast.AST]:
    """The nodes of a module that exist for type checking only."""
    return {
        part
        for node in nodes(name)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        for part in ast.walk(node)
    }


@cache
def imports(name: str, *, typing: bool = True) -> frozenset[tuple[str, bool]]:
    """All imports of a module: dotted name, and whether it is ours."""
    without = set[ast.AST]() if typing else typing_alone(name)
    return frozenset(_imports(name, (node for node in nodes(name) if node not in without)))


def _imports(name: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, bool]]:
    is_package = PATHS[name].endswith("__init__.py")
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _named(alias.name)
        elif isinstance(node, ast.ImportFrom):
            start, ours = node.module or "", True
            if node.level == 0:
                [(start, ours)] = _named(start)
            else:
                parts = name.split(".") if name else []
                base = parts[: len(parts) - node.level + (1 if is_package else 0)]
                start = ".".join([*base, *(start.split(".") if start else [])])
            for alias in node.names:
                deeper = f"{start}.{alias.name}".strip(".")
                yield (deeper if ours and deeper in PATHS else start), ours


def _named(name: str) -> Iterator[tuple[str, bool]]:
    if name == "handheld" or name.startswith("handheld."):
        yield name.removeprefix("handheld").strip("."), True
    elif name.split(".")[0] == VIRTUAL:
        yield name, True
    else:
        yield name, False


def member(name: str) -> str:
    return name.split(".")[0]


def rank(name: str) -> int:
    for number, row in enumerate(LAYERS):
        if member(name) in row:
            return number
    raise AssertionError(f"{name} has no place in the layers: give it one")


def test_every_module_has_one_place() -> None:
    places = [one for row in LAYERS for one in row]
    assert sorted(places) == sorted(set(places))
    members = {member(name) for name in PATHS if name} - {VIRTUAL}
    assert members == set(places)


def offences() -> Iterator[str]:
    for name in PATHS:
        if not name or member(name) == VIRTUAL:
            continue
        for other, ours in imports(name):
            if not ours or not other or member(other) == member(name):
                continue
            if member(other) != VIRTUAL and rank(other) <= rank(name):
                yield f"{name} imports {other}"


def test_no_layer_imports_one_above_it() -> None:
    # Imports under TYPE_CHECKING count too.
    assert set(offences()) == set()


def test_the_virtual_phone_is_used_by_its_public_modules() -> None:
    used: dict[str, set[str]] = {}
    for name in PATHS:
        if name and member(name) != VIRTUAL:
            found = {other for other, ours in imports(name) if ours and member(other) == VIRTUAL}
            used.setdefault(member(name), set()).update(found)
    assert {name: found for name, found in used.items() if found} == VIRTUAL_USERS
    assert set().union(*VIRTUAL_USERS.values()) == VIRTUAL_PUBLIC


@pytest.mark.parametrize("module", sorted(VIRTUAL_PUBLIC))
def test_a_public_module_says_what_is_public(module: str) -> None:
    public = import_module(module)
    assert all(hasattr(public, name) for name in public.__all__)
    assert module == VIRTUAL or f"`{module}`" in str(import_module(VIRTUAL).__doc__)


def test_the_virtual_phone_shares_only_codecs_and_the_model() -> None:
    shared = {
        other
        for name in PATHS
        if member(name) == VIRTUAL
        for other, ours in imports(name)
        if ours and other and member(other) != VIRTUAL
    }
    assert {name if name in VIRTUAL_MAY else member(name) for name in shared} <= VIRTUAL_MAY


def test_inside_the_virtual_phone_no_layer_imports_one_above_it() -> None:
    ranks = {one: number for number, row in enumerate(VIRTUAL_LAYERS) for one in row}
    homes = {name: name.split(".")[1] for name in PATHS if name.startswith(f"{VIRTUAL}.")}
    assert set(homes.values()) == set(ranks)
    offences = {
        f"{home} imports {homes[other]}"
        for name, home in homes.items()
        for other, _ in imports(name, typing=False)
        if other in homes and homes[other] != home and ranks[homes[other]] <= ranks[home]
    }
    assert offences == set()


def test_no_folder_of_the_virtual_phone_has_too_many_modules() -> None:
    folders = Counter(str(Path(path).parent) for path in sources() if path.startswith(VIRTUAL))
    most = VIRTUAL_MODULES + 1  # and its __init__.py
    assert {name: count for name, count in folders.items() if count > most} == {}


def circles(imported: Mapping[str, set[str]]) -> list[list[str]]:
    """The modules of each circle: those that reach each other (Tarjan's algorithm)."""
    found: list[list[str]] = []
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        path.append(name)
        for other in sorted(imported[name]):
            if other not in order:
                visit(other)
            if other in path:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            at = path.index(name)
            found.append(sorted(path[at:]))
            del path[at:]

    for name in imported:
        if name not in order:
            visit(name)
    return [circle for circle in found if len(circle) > 1]


@pytest.mark.parametrize("package", WITHOUT_CIRCLES)
def test_no_modules_import_each_other_in_a_circle(package: str) -> None:
    # At run time: inside functions, too, but not under TYPE_CHECKING.
    names = [name for name in PATHS if (member(name) == VIRTUAL) == (package == VIRTUAL)]
    imported = {
        name: {other for other, ours in imports(name, typing=False) if ours} - {name}
        for name in names
    }
    assert circles({name: others & imported.keys() for name, others in imported.items()}) == []


def test_circles_are_found() -> None:
    imported = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str](), "e": {"a", "d"}}
    assert circles(imported) == [["b", "c"]]
    assert circles(imported | {"d": {"a"}}) == [["a", "b", "c", "d"]]


def test_only_these_packages_import_adb() -> None:
    importers = {
        member(name)
        for name in PATHS
        for other, ours in imports(name)
        if ours and member(other) == "adb"
    }
    assert importers - {"adb"} == set(ADB_MAY)


def test_nothing_imports_the_mcp_library() -> None:
    # It judges the server in tests, and is not installed with it.
    users = {
        name
        for name in PATHS
        for other, ours in imports(name)
        if not ours and other.split(".")[0] in ("mcp", "mcp_types")
    }
    assert users == set()


def test_only_the_client_of_the_engine_imports_nats() -> None:
    users = {
        name
        for name in PATHS
        for other, ours in imports(name)
        if not ours and other.split(".")[0] in ("nats", "nkeys")
    }
    assert users == NATS_MAY


def test_the_fleet_imports_the_client_of_its_engine_only_when_it_dials() -> None:
    # So that nothing of NATS is loaded without an engine.
    early = {
        name
        for name in PATHS
        for node in parse(PATHS[name]).body
        for other, _ in _imports(name, ast.walk(node))
        if other == "fleet.nats.client" and isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert early == set()


def test_screens_import_nothing_of_ours() -> None:
    others = {
        other
        for name in PATHS
        if member(name) == "screen"
        for other, ours in imports(name)
        if ours and member(other) != "screen"
    }
    assert others == set()


@pytest.mark.parametrize("word", ["print", "breakpoint"])
def test_only_the_command_line_prints_to_the_terminal(word: str) -> None:
    speakers = {
        name
        for name in PATHS
        if f"{word}(" in text_of(name)
        for node in nodes(name)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == word
        and name not in SPEAKERS
    }
    assert speakers == set()


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        member(name)
        for name in PATHS
        if "environ" in text_of(name) or "getenv" in text_of(name)
        for node in nodes(name)
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert readers == {"settings"}


def test_the_scan_finds_imports() -> None:
    # The rules above would hold for an empty scan too, so the scan itself is tested.
    assert ("settings", True) in imports("devices.ownership")
    assert ("adb.link", True) in imports("devices.direct")
    assert ("devices", True) in imports("devices.direct")
    assert ("httpx", False) in imports("phone.files.download")
