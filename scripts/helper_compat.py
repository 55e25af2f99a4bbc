"""Looks in every version of Android for what the helper calls there, without running any of it.

Two questions for each API level, answered from the class files of `android-all`:

- of each hidden part that `compat/` looks up by reflection, is at least one form there, exactly?
- is each public method, field and class that `compat/` names directly there, or does the code ask
  for the version before?

A third one is answered by a list, because the class files of Android's Java are not to be had: does
the helper keep to what every phone's Java has, and to class files that dx reads?

    python scripts/helper_compat.py --write           all levels, and docs/helper-compat.md
    python scripts/helper_compat.py --check 26 30 34  these; exit code 1 when one lacks a part
"""

import argparse
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPER = ROOT / "helper"
PAGE = ROOT / "docs" / "helper-compat.md"
REPOSITORY = Path.home() / ".m2" / "repository" / "org" / "robolectric" / "android-all"
VERSIONS = {
    26: "8.0.0_r4-robolectric-r1",
    27: "8.1.0-robolectric-4611349",
    28: "9-robolectric-4913185-2",
    29: "10-robolectric-5803371",
    30: "11-robolectric-6757853",
    31: "12-robolectric-7732740",
    32: "12.1-robolectric-8229987",
    33: "13-robolectric-9030017",
    34: "14-robolectric-10818077",
    35: "15-robolectric-13954326",
    36: "16-robolectric-13921718",
}
COMPILED = 34
GUARDED = {
    "android/content/AttributionSource": "made only where Android or its call wants one, since 31",
    "android/content/ClipboardManager.clearPrimaryClip()V": "28 is asked for before",
    "android/content/pm/PackageInfo.getLongVersionCode()J": "28 is asked for before",
    "android/content/pm/PackageInfo.signingInfo": "28 is asked for before",
    "android/content/pm/SigningInfo": "28 is asked for before",
    "android/view/accessibility/AccessibilityWindowInfo.getRoot(I)": "33 is asked for before",
    "android/view/accessibility/AccessibilityNodeInfo.getChild(II)": "33 is asked for before",
}
"""What is named directly and is younger than 26: a class, or a beginning of a member's name."""
NEWEST_CLASS_FILE = 52
"""Java 8: dx refuses what is newer."""
JAVA = {
    "java/io",
    "java/lang",
    "java/lang/reflect",
    "java/math",
    "java/nio",
    "java/nio/channels",
    "java/nio/charset",
    "java/nio/file",
    "java/security",
    "java/util",
    "java/util/concurrent",
    "java/util/concurrent/atomic",
    "java/util/regex",
    "java/util/zip",
}
"""Packages whose Java 8 is all there on API 26, but for `NOT_ON_26`. What lambdas need is not."""
NOT_ON_26 = {"java/lang/ClassValue"}


@dataclass(slots=True)
class ClassFile:
    """What is needed of one: its members, its parents, and what it names in other classes."""

    name: str
    parents: list[str]
    members: set[str]
    """`name(descriptor)return` of methods, `name` of fields."""
    named: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])


def read_class(data: bytes, *, with_names: bool = False) -> ClassFile:
    pool, at = _read_pool(data)
    _, this, parent, count = struct.unpack_from(">HHHH", data, at)
    at += 8
    interfaces = struct.unpack_from(f">{count}H", data, at)
    at += 2 * count
    members: set[str] = set()
    for is_method in (False, True):
        (count,) = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(count):
            _, name, kind, attributes = struct.unpack_from(">HHHH", data, at)
            at += 8
            members.add(f"{pool[name]}{pool[kind]}" if is_method else str(pool[name]))
            for _ in range(attributes):
                (length,) = struct.unpack_from(">I", data, at + 2)
                at += 6 + length
    parents = [_class_name(pool, number) for number in (parent, *interfaces) if number]
    found = ClassFile(_class_name(pool, this), parents, members)
    if with_names:
        found.named = set(_names(pool))
    return found


Pool = dict[int, "str | tuple[int, ...]"]


def _read_pool(data: bytes) -> tuple[Pool, int]:
    magic, _, _, count = struct.unpack_from(">IHHH", data)
    if magic != 0xCAFEBABE:
        raise ValueError("not a class file")
    pool: Pool = {}
    at, number = 10, 1
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 18: 4}
    while number < count:
        tag = data[at]
        if tag == 1:
            (length,) = struct.unpack_from(">H", data, at + 1)
            pool[number] = _text(data[at + 3 : at + 3 + length])
            at += 3 + length
        else:
            if tag in (7, 8, 16, 19, 20):
                pool[number] = (tag, *struct.unpack_from(">H", data, at + 1))
            elif tag in (9, 10, 11, 12, 18):
                pool[number] = (tag, *struct.unpack_from(">HH", data, at + 1))
            at += 1 + sizes.get(tag, 2)
        number += 2 if tag in (5, 6) else 1  # long and double take two places
    return pool, at


def _text(data: bytes) -> str:
    """Java's own UTF-8: NUL in two bytes, and surrogates one by one."""
    return data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")


def _class_name(pool: Pool, number: int) -> str:
    entry = pool[number]
    assert isinstance(entry, tuple)
    return str(pool[entry[1]])


def _names(pool: Pool) -> Iterator[tuple[str, str]]:
    """Classes, as `(name, "")`, and members of other classes."""
    for entry in pool.values():
        if isinstance(entry, str):
            continue
        if entry[0] == 7:
            yield str(pool[entry[1]]), ""
        elif entry[0] in (9, 10, 11):
            member = pool[entry[2]]
            assert isinstance(member, tuple)
            name, kind = str(pool[member[1]]), str(pool[member[2]])
            yield _class_name(pool, entry[1]), name + kind if entry[0] != 9 else name


class Android:
    """One API level's classes."""

    def __init__(self, jar: Path) -> None:
        self._jar = zipfile.ZipFile(jar)
        self._names = set(self._jar.namelist())

    @cache  # noqa: B019 (a handful of levels, each for the whole run)
    def find(self, name: str) -> ClassFile | None:
        """By its name with slashes."""
        file = f"{name}.class"
        return read_class(self._jar.read(file)) if file in self._names else None

    def has(self, owner: str, member: str) -> bool:
        """In the class itself or in what it inherits from."""
        waiting, seen = [owner], set[str]()
        while waiting:
            name = waiting.pop()
            if name.startswith("java/") and name != "java/lang/Object":
                return True  # Java's own, which every version has
            found = self.find(name)
            if found is None or name in seen:
                continue
            seen.add(name)
            if member in found.members:
                return True
            waiting += found.parents
        return False


def jar_of(level: int) -> Path:
    version = VERSIONS[level]
    jar = REPOSITORY / version / f"android-all-{version}.jar"
    if not jar.exists():
        print(f"Fetching Android {level} …", file=sys.stderr)
        artifact = f"org.robolectric:android-all:{version}"
        subprocess.run(
            ["mvn", "-q", "-B", "dependency:get", f"-Dartifact={artifact}", "-Dtransitive=false"],
            cwd=HELPER,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    return jar


@dataclass(frozen=True, slots=True)
class Form:
    owner: str
    name: str
    types: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """A hidden part that is looked up."""

    where: str
    """The class and the constant in compat/."""
    kind: str
    optional: bool
    forms: tuple[Form, ...]


def hidden_parts() -> list[Part]:
    classes, tests = HELPER / "target" / "classes", HELPER / "target" / "test-classes"
    program = "dev.handheld.helper.compat.HiddenParts"
    path = ":".join(map(str, (classes, tests, jar_of(COMPILED))))
    ran = subprocess.run(
        ["java", "-cp", path, program, str(classes)],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    parts: dict[str, Part] = {}
    for line in ran.stdout.splitlines():
        owner, constant, _, kind, optional, class_name, name, types, reason = line.split("\t")
        where = f"{owner}.{constant}"
        before = parts.get(where)
        form = Form(class_name, name, tuple(types.split(",")) if types else (), reason)
        forms = (*(before.forms if before else ()), form)
        parts[where] = Part(where, kind, optional == "true", forms)
    return list(parts.values())


_PRIMITIVES = {"int": "I", "long": "J", "boolean": "Z"}


def _descriptor(types: tuple[str, ...]) -> str:
    words = [_PRIMITIVES.get(one) or f"L{one.replace('.', '/')};" for one in types]
    return f"({''.join(words)})"


def form_in(part: Part, android: Android) -> int | None:
    """Which form this level has, as the lookup tries them."""
    for number, form in enumerate(part.forms):
        found = android.find(form.owner.replace(".", "/"))
        if found is None:
            continue
        if part.kind == "FIELD":
            if form.name in found.members:
                return number
        elif any(one.startswith(form.name + _descriptor(form.types)) for one in found.members):
            return number
    return None


def named_directly() -> set[tuple[str, str]]:
    """What compat/ names of Android without looking it up."""
    folder = HELPER / "target" / "classes" / "dev" / "handheld" / "helper" / "compat"
    named: set[tuple[str, str]] = set()
    for file in sorted(folder.glob("*.class")):
        named |= read_class(file.read_bytes(), with_names=True).named
    return {
        (owner.removeprefix("[L").removesuffix(";"), member)
        for owner, member in named
        if owner.lstrip("[L").startswith(("android/", "com/android/"))
    }


def beyond_java(file: Path) -> list[str]:
    """What of a class file dx or the oldest phone's Java would not know."""
    data = file.read_bytes()
    (major,) = struct.unpack_from(">H", data, 6)
    if major > NEWEST_CLASS_FILE:
        return [f"{file.stem} is a class file of version {major}"]
    pool, _ = _read_pool(data)
    if any(isinstance(entry, tuple) and entry[0] == 18 for entry in pool.values()):
        return [f"{file.stem} has a lambda, or what is compiled like one"]
    used = {owner.lstrip("[").removeprefix("L").removesuffix(";") for owner, _ in _names(pool)}
    strange = {name for name in used if name.startswith(("java/", "javax/", "sun/"))}
    strange = {n for n in strange if n.rpartition("/")[0] not in JAVA or n in NOT_ON_26}
    return [f"{file.stem} names {name}" for name in sorted(strange)]


def is_guarded(name: str) -> bool:
    return name.startswith(tuple(GUARDED))


def missing_names(named: set[tuple[str, str]], android: Android) -> list[str]:
    missing: list[str] = []
    for owner, member in sorted(named):
        there = android.find(owner) is not None
        if there and (not member or android.has(owner, member)):
            continue
        # Of an interface Object's own methods are there too.
        if there and android.has("java/lang/Object", member):
            continue
        missing.append(f"{owner}.{member}" if member else owner)
    return missing


def problems_on(
    level: int, android: Android, parts: list[Part], named: set[tuple[str, str]]
) -> list[str]:
    """What the helper would not find there."""
    lost = [part for part in parts if not part.optional and form_in(part, android) is None]
    names = [name for name in missing_names(named, android) if not is_guarded(name)]
    return [
        *(f"{level}: {part.where} is in none of its forms there" for part in lost),
        *(f"{level}: {name} is named and not there" for name in names),
    ]


def stale_rows(text: str, parts: list[Part], androids: dict[int, Android]) -> list[str]:
    """Parts of which the page says something else, or nothing."""
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    head = next((row for row in table if row[:1] == ["part"]), [""])
    rows = {row[0].strip("`"): row for row in reversed(table) if len(row) == len(head)}
    stale: list[str] = []
    for part in parts:
        told = dict(zip(head, rows.get(part.where, []), strict=False))
        wanted = {str(level): _cell(part, android) for level, android in androids.items()}
        if any(told.get(level) != cell for level, cell in wanted.items()):
            stale.append(
                f"{part.where} is told otherwise in {PAGE.name}. Write it: make helper-compat"
            )
    return stale


def check(levels: list[int]) -> int:
    problems: list[str] = []
    parts, named = hidden_parts(), named_directly()
    androids = {level: Android(jar_of(level)) for level in levels}
    for level, android in androids.items():
        problems += problems_on(level, android, parts, named)
    for file in sorted((HELPER / "target" / "classes").rglob("*.class")):
        problems += beyond_java(file)
    problems += stale_rows(PAGE.read_text(encoding="utf-8"), parts, androids)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"All {len(parts)} hidden parts are there on {', '.join(map(str, levels))}.")
    return 1 if problems else 0


HEAD = """\
# What the helper calls in each version of Android

Written by `make helper-compat`, from the class files of each version; nothing of Android is run.
A number is the form that the helper finds there, counted from 1, the newest first; `-` stands for a
part that a phone may be without.

"""


def page(levels: list[int]) -> str:
    parts, named = hidden_parts(), named_directly()
    androids = {level: Android(jar_of(level)) for level in levels}
    lines = [HEAD, "| part | " + " | ".join(map(str, levels)) + " |\n"]
    lines.append("|---|" + "---|" * len(levels) + "\n")
    for part in parts:
        cells = [_cell(part, android) for android in androids.values()]
        lines.append(f"| `{part.where}` | {' | '.join(cells)} |\n")
    lines.append("\n## The forms\n\n| part | form | what | why |\n|---|---|---|---|\n")
    for part in parts:
        for number, form in enumerate(part.forms, 1):
            takes = "" if part.kind == "FIELD" else f"({', '.join(map(_short, form.types))})"
            what = f"`{form.owner}.{form.name}{takes}`"
            lines.append(f"| `{part.where}` | {number} | {what} | {form.reason} |\n")
    lines.append("\n## Named directly, and younger than 26\n\n")
    lines.append("| what | missing on | why it is safe |\n|---|---|---|\n")
    absent: dict[str, list[int]] = {}
    for level, android in androids.items():
        for name in missing_names(named, android):
            absent.setdefault(name, []).append(level)
    for name, where in sorted(absent.items()):
        reasons = [why for one, why in GUARDED.items() if name.startswith(one)]
        reason = reasons[0] if reasons else "**unguarded**"
        lines.append(f"| `{name}` | {', '.join(map(str, where))} | {reason} |\n")
    return "".join(lines)


def _short(type: str) -> str:
    return type.rpartition(".")[2]


def _cell(part: Part, android: Android) -> str:
    number = form_in(part, android)
    if number is not None:
        return str(number + 1)
    return "-" if part.optional else "**none**"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="all levels, and the page")
    parser.add_argument("--check", nargs="*", type=int, choices=list(VERSIONS), metavar="LEVEL")
    given = parser.parse_args()
    if given.write:
        PAGE.write_text(page(list(VERSIONS)), encoding="utf-8")
        return check(list(VERSIONS))
    return check(given.check or [26, 30, 34])


if __name__ == "__main__":
    sys.exit(main())
