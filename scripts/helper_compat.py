"""Check that every version of Android has what the helper calls, without running any of it.

For each API level, from the class files of `android-all`:

- does each hidden API that `compat/` looks up by reflection exist, in at least one of its forms?
- does that form return the same in every version, and is it static in all of them or in none?
- does each method, field and class that the jar's code references exist, or does the code check
  the version first?
- does each of our classes have every method that Android calls on it?

A list answers a fifth question, because the class files of Android's Java are not available: does
the helper use only what every phone's Java has, and class files that dx reads?

    python scripts/helper_compat.py --write           all levels; writes docs/helper-compat.md
    python scripts/helper_compat.py --check 26 30 34  these; exit code 1 if something is missing
"""

import argparse
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dex import Class, Dex, read_jar

ROOT = Path(__file__).resolve().parent.parent
HELPER = ROOT / "helper"
PAGE = ROOT / "docs" / "helper-compat.md"
JAR = ROOT / "src" / "handheld" / "helper" / "handheld-helper.jar"
ANDROID = ROOT / "build" / "android-all"
"""Copied here by Maven, because only Maven knows where its repository is: it ignores HOME."""
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
    37: "17-robolectric-15733970",
}
COMPILED = 34
GUARDED = {
    "android/app/ActivityManager$RunningTaskInfo.baseIntent": "after a check for API 29",
    "android/app/ActivityOptions.setPendingIntentBackgroundActivityStartMode(I)": (
        "after a look for its mode of API 36"
    ),
    "android/app/Notification$Action.isAuthenticationRequired()Z": "after a check for API 31",
    "android/app/RemoteInput.setResultsSource(": "after a check for API 28",
    "android/content/AttributionSource": "made only where Android or its call needs one, since 31",
    "android/app/UiAutomation.getWindowsOnAllDisplays()": "after a check for API 30",
    "android/content/ClipboardManager.clearPrimaryClip()V": "after a check for API 28",
    "android/content/pm/PackageInfo.getLongVersionCode()J": "after a check for API 28",
    "android/content/pm/PackageInfo.signingInfo": "after a check for API 28",
    "android/content/pm/SigningInfo": "after a check for API 28",
    "android/location/LocationManager.isLocationEnabled()Z": "after a check for API 28",
    "android/view/accessibility/AccessibilityNodeInfo.getChild(II)": "after a check for API 33",
    "android/view/accessibility/AccessibilityNodeInfo.getPaneTitle()": "after a check for API 28",
    "android/view/accessibility/AccessibilityNodeInfo.getStateDescription()": (
        "after a check for API 30"
    ),
    "android/view/accessibility/AccessibilityNodeInfo.isHeading()": "after a check for API 28",
}
"""References that are newer than API 26: a class, or a prefix of a member's name."""
NEWEST_CLASS_FILE = 52
"""Java 8: dx refuses newer class files."""
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
    "java/text",
    "java/util",
    "java/util/concurrent",
    "java/util/concurrent/atomic",
    "java/util/regex",
    "java/util/zip",
}
"""Packages that are complete for Java 8 on API 26, except `NOT_ON_26` and what lambdas need."""
NOT_ON_26 = {"java/lang/ClassValue"}
OBJECT = {
    "<init>()V",
    "clone()Ljava/lang/Object;",
    "equals(Ljava/lang/Object;)Z",
    "getClass()Ljava/lang/Class;",
    "hashCode()I",
    "notifyAll()V",
    "toString()Ljava/lang/String;",
    "wait(J)V",
}
"""Members of every Java object or array that the helper calls."""


STATIC, INTERFACE, ABSTRACT = 0x0008, 0x0200, 0x0400


def read_class(data: bytes) -> Class:
    pool, at = _read_pool(data)
    own_flags, this, parent, count = struct.unpack_from(">HHHH", data, at)
    at += 8
    interfaces = struct.unpack_from(f">{count}H", data, at)
    at += 2 * count
    members: dict[str, int] = {}
    for is_method in (False, True):
        (count,) = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(count):
            flags, name, kind, attributes = struct.unpack_from(">HHHH", data, at)
            at += 8
            members[f"{pool[name]}{'' if is_method else ':'}{pool[kind]}"] = flags
            for _ in range(attributes):
                (length,) = struct.unpack_from(">I", data, at + 2)
                at += 6 + length
    parents = tuple(_class_name(pool, number) for number in (parent, *interfaces) if number)
    return Class(_class_name(pool, this), own_flags, parents, members)


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
    """Decode modified UTF-8: NUL in two bytes, and surrogates encoded separately."""
    return data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")


def _class_name(pool: Pool, number: int) -> str:
    entry = pool[number]
    assert isinstance(entry, tuple)
    return str(pool[entry[1]])


def _classes(pool: Pool) -> Iterator[str]:
    for entry in pool.values():
        if isinstance(entry, tuple) and entry[0] == 7:
            yield str(pool[entry[1]])


class Android:
    """The classes of one API level and of the program that should run there."""

    def __init__(self, jar: Path, own: dict[str, Class] | None = None) -> None:
        self._jar = zipfile.ZipFile(jar)
        self._names = set(self._jar.namelist())
        self._own = own or {}

    @cache  # noqa: B019 (a handful of levels, each for the whole run)
    def find(self, name: str) -> Class | None:
        """Look up a class by its name with slashes."""
        file = f"{name}.class"
        if name in self._own:
            return self._own[name]
        return read_class(self._jar.read(file)) if file in self._names else None

    def above(self, name: str) -> Iterator[Class]:
        """A class and everything it inherits from, except Java's own classes, which are missing."""
        waiting, seen = [name], set[str]()
        while waiting:
            name = waiting.pop(0)
            if name not in seen and (found := self.find(name)):
                seen.add(name)
                yield found
                waiting += found.parents

    def has(self, owner: str, member: str) -> bool:
        """Look up a member in the class or in what it inherits from."""
        for found in self.above(owner):
            strangers = [one for one in found.parents if one.startswith("java/")]
            # Java's own classes are in every version.
            if member in found.members or strangers not in ([], ["java/lang/Object"]):
                return True
        return member in OBJECT


def jar_of(level: int) -> Path:
    version = VERSIONS[level]
    jar = ANDROID / f"android-all-{version}.jar"
    if not jar.exists():
        print(f"Fetching Android {level} …", file=sys.stderr)
        artifact = f"org.robolectric:android-all:{version}"
        subprocess.run(
            [
                "mvn",
                "-q",
                "-B",
                "dependency:copy",
                f"-Dartifact={artifact}",
                f"-DoutputDirectory={ANDROID}",
            ],
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
    """A hidden API that the helper looks up by reflection."""

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
    return f"({''.join(map(_type, types))})"


def _type(name: str) -> str:
    path = name.replace(".", "/")
    return _PRIMITIVES.get(name) or (path if name.startswith("[") else f"L{path};")


def form_in(part: Part, android: Android) -> int | None:
    """Return the form that this level has, in the order of the lookup."""
    found = _found_in(part, android)
    return found[0] if found else None


def _found_in(part: Part, android: Android) -> tuple[int, str, int] | None:
    """Return the form, the member with its types, and its flags."""
    for number, form in enumerate(part.forms):
        found = android.find(form.owner.replace(".", "/"))
        begins = form.name + (":" if part.kind == "FIELD" else _descriptor(form.types))
        for member, flags in found.members.items() if found else ():
            if member.startswith(begins):
                return number, member, flags
    return None


def unlike_forms(parts: list[Part], androids: dict[int, Android]) -> list[str]:
    """Forms that return something else, or are called differently, in one of these versions."""
    problems: list[str] = []
    for part in parts:
        seen: dict[int, tuple[int, str, int]] = {}
        for level, android in androids.items():
            if not (found := _found_in(part, android)):
                continue
            number, member, flags = found
            first, before, other = seen.setdefault(number, (level, member, flags))
            if member != before or (flags ^ other) & STATIC:
                words = [
                    f"{'static ' * bool(f & STATIC)}{m}" for m, f in ((before, other), found[1:])
                ]
                problems.append(f"{part.where} is {words[0]} on {first}, {words[1]} on {level}")
    return problems


def named_directly(dex: Dex) -> set[tuple[str, str]]:
    """What the code references directly, except Java's own classes and compiler annotations."""
    return {one for one in dex.named if not one[0].startswith(("java/", "dalvik/annotation/"))}


def owed(dex: Dex, android: Android) -> list[str]:
    """Methods that Android calls on one of our classes and that it does not have."""
    problems: list[str] = []
    for name, own in sorted(dex.own.items()):
        if own.flags & (ABSTRACT | INTERFACE):
            continue
        family = list(android.above(name))
        bodies = {m for one in family for m, flags in one.members.items() if not flags & ABSTRACT}
        wanted = {m for one in family for m, flags in one.members.items() if flags & ABSTRACT}
        problems += [f"{name} has no {member}" for member in sorted(wanted - bodies)]
    return problems


def beyond_java(file: Path) -> list[str]:
    """Parts of a class file that dx or the oldest phone's Java does not support."""
    data = file.read_bytes()
    (major,) = struct.unpack_from(">H", data, 6)
    if major > NEWEST_CLASS_FILE:
        return [f"{file.stem} is a class file of version {major}"]
    pool, _ = _read_pool(data)
    if any(isinstance(entry, tuple) and entry[0] == 18 for entry in pool.values()):
        return [f"{file.stem} has a lambda, or what is compiled like one"]
    used = {name.lstrip("[").removeprefix("L").removesuffix(";") for name in _classes(pool)}
    strange = {name for name in used if name.startswith(("java/", "javax/", "sun/"))}
    strange = {n for n in strange if n.rpartition("/")[0] not in JAVA or n in NOT_ON_26}
    return [f"{file.stem} names {name}" for name in sorted(strange)]


def is_guarded(name: str) -> bool:
    return name.startswith(tuple(GUARDED))


def missing_names(named: set[tuple[str, str]], android: Android) -> list[str]:
    missing: list[str] = []
    for owner, member in sorted(named):
        there = android.find(owner) is not None
        if not there or (member and not android.has(owner, member)):
            missing.append(f"{owner}.{member}" if member else owner)
    return missing


def problems_on(level: int, android: Android, parts: list[Part], dex: Dex) -> list[str]:
    """What the helper would not find on this level."""
    lost = [part for part in parts if not part.optional and form_in(part, android) is None]
    names = missing_names(named_directly(dex), android)
    return [
        *(f"{level}: {part.where} is in none of its forms there" for part in lost),
        *(f"{level}: {name} is named and not there" for name in names if not is_guarded(name)),
        *(f"{level}: {problem}" for problem in owed(dex, android)),
    ]


def stale_rows(text: str, parts: list[Part], androids: dict[int, Android]) -> list[str]:
    """APIs whose row on the page is wrong or missing."""
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    head = next((row for row in table if row[:1] == ["part"]), [""])
    rows = {row[0].strip("`"): row for row in reversed(table) if len(row) == len(head)}
    stale: list[str] = []
    for part in parts:
        told = dict(zip(head, rows.get(part.where, []), strict=False))
        wanted = {str(level): _cell(part, android) for level, android in androids.items()}
        if any(told.get(level) != cell for level, cell in wanted.items()):
            stale.append(
                f"{part.where} is told otherwise in {PAGE.name}: make tables WHAT=helper-compat"
            )
    return stale


def check(levels: list[int]) -> int:
    problems: list[str] = []
    parts, dex = hidden_parts(), read_jar(JAR)
    androids = {level: Android(jar_of(level), dex.own) for level in levels}
    for level, android in androids.items():
        problems += problems_on(level, android, parts, dex)
    problems += unlike_forms(parts, androids)
    for file in sorted((HELPER / "target" / "classes").rglob("*.class")):
        problems += beyond_java(file)
    problems += stale_rows(PAGE.read_text(encoding="utf-8"), parts, androids)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        there = f"{len(parts)} hidden parts and {len(named_directly(dex))} names"
        print(f"All {there} are there on {', '.join(map(str, levels))}.")
    return 1 if problems else 0


HEAD = """\
# What the helper calls in each version of Android

Generated by `make tables WHAT=helper-compat` from the jar for the phone and the class files of each
version; no Android code is run. Hidden members are looked up by reflection: one of the forms must
exist, and have the same type in every version that has it. Everything else that the jar's code
references must exist as referenced, and so must every method of ours that Android calls.

A number is the form that the helper finds there, counted from 1, the newest first; `-` marks an
optional member that is missing, `?` a version whose class files were not available when the member
was added.

"""


def page(levels: list[int]) -> str:
    parts, dex = hidden_parts(), read_jar(JAR)
    androids = {level: Android(jar_of(level), dex.own) for level in levels}
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
        for name in missing_names(named_directly(dex), android):
            absent.setdefault(name, []).append(level)
    for name, where in sorted(absent.items()):
        reasons = [why for one, why in GUARDED.items() if name.startswith(one)]
        reason = reasons[0] if reasons else "**unguarded**"
        lines.append(f"| `{name}` | {', '.join(map(str, where))} | {reason} |\n")
    return "".join(lines)


def _short(type: str) -> str:
    name = type.removeprefix("[L").removesuffix(";").rpartition(".")[2]
    return f"{name}[]" if type.startswith("[L") else name


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
