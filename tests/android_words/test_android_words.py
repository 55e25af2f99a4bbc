"""The virtual phone's commands print what those of Android's own services print.

`scripts/android_words.py` runs the same command lines on Android's classes and writes the tables.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from handheld_virtual.commands.activity.starting import start_options
from handheld_virtual.commands.dumpsys.notification import record
from handheld_virtual.commands.dumpsys.records import Records
from handheld_virtual.packages.intent import NEW_TASK, Intent
from handheld_virtual.packages.intent_arguments import Words, parse_intent
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from handheld_virtual.system.releases import RELEASES

from .cases import HELP, Case, cases
from .phone import RECORD, new_phone, without_identity

TABLES = Path(__file__).parent.parent / "fixtures" / "android_words"
LEVELS = [release.api for release in RELEASES]
QUICK = (28, 34)
"""The others are for `make test WHAT=all`."""
LIMIT = 1 << 20
JVM = r"(NumberFormatException|NullPointerException): .*"
"""Exceptions whose messages are those of the Java that runs."""

ADDED = {"start": NEW_TASK, "start-activity": NEW_TASK, "broadcast": 0x400000}
"""The flags that a command adds to its intent."""

Printed = Mapping[str, Any]

ALL = range(LEVELS[0], LEVELS[-1] + 1)
DIFFERENCES: Sequence[tuple[str, Sequence[int], str]] = (
    ("start (-D|-P|--start-profiler|--attach-agent)", ALL, "nothing debugs or profiles here"),
    ("--selector", ALL, "no intent here has a selector"),
    ("start --stack 1 ", range(26, 28), "tasks here are in no numbered stacks"),
    ("--dismiss-keyguard-if-insecure", (33, 35, 36, 37), "known as --dismiss-keyguard only"),
    ("window density -d( 9)?$", range(34, 38), "there is one display; a missing number is one"),
    ("input scroll", range(35, 38), "there is no wheel"),
)
"""Command lines whose output differs, as a pattern; on which levels, and why."""


@cache
def table(service: str) -> list[dict[str, Any]]:
    return json.loads((TABLES / f"{service}.json").read_text(encoding="utf-8"))


def expected(api: int) -> list[tuple[Case, Printed]]:
    """Each command line that the release has, and what Android's classes print."""
    rows: dict[str, list[dict[str, Any]]] = {}
    found: list[tuple[Case, Printed]] = []
    for case in cases():
        here = rows.setdefault(case.service, list(table(case.service)))
        row = here.pop(0)
        assert row["line"] == case.line, "not the lines of the tables: make tables WHAT=words"
        found += [(case, output) for output in row["outputs"] if api in output["levels"]]
    return found


async def run_case(phone: VirtualPhone, case: Case) -> Printed:
    for line in case.before:
        await run(phone, line)
    if case.service == "record":
        package, _, _, title, text, _ = case.words
        posted = phone.world.notify(package, title, text, id=0)
        lines = record(phone.world, posted, case.words[-1] != "redacted")
        printed = "".join(re.findall(RECORD, "\n".join([*lines, ""])))
        return {"stdout": without_identity(printed), "stderr": "", "code": 0}
    if case.service == "configuration":
        return {"stdout": f"{Records(phone.world).configuration}\n", "stderr": "", "code": 0}
    printed = await run(phone, case.line)
    return {**printed, "stdout": without_identity(printed["stdout"])}


async def run(phone: VirtualPhone, line: str) -> Printed:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    code = await Shell(phone, Given(b""), stdout, stderr, {}).run(line)
    return {"stdout": stdout.data.decode(), "stderr": stderr.data.decode(), "code": code}


def comparable(printed: Printed) -> tuple[str, str, int]:
    """Without what depends on time or on the JVM, and with the first line of a help text."""
    stdout: str = printed["stdout"]
    if stdout.startswith(HELP):
        stdout = stdout.splitlines()[0]
    if stdout.startswith("package:"):
        # Since Android 13 the order is that of a hash table.
        stdout = "\n".join(sorted(stdout.splitlines()))
    stderr = re.sub(JVM, r"\1", printed["stderr"])
    stdout = re.sub(JVM, r"\1", stdout)
    stdout = re.sub(r"(?m)^((?:This|Total|Wait)Time): \d+$", r"\1: …", stdout)
    return stdout, stderr, printed["code"]


def show(intent: Intent) -> str:
    """As the tables have it."""
    component = "/".join(intent.component) if intent.component is not None else ""
    parts = {
        "act": intent.action,
        "dat": intent.data,
        "typ": intent.type,
        "pkg": intent.package,
        "cmp": component,
    }
    words = [f"{name}={value or 'null'}" for name, value in parts.items()]
    words += [f"flg=0x{intent.flags:x}", f"cat={','.join(intent.categories)}"]
    words += [f"{name}={_value(intent.extras[name])}" for name in sorted(intent.extras)]
    return " ".join(words)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{'|'.join(map(_value, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value).replace("nan", "NaN")


async def differences(api: int) -> list[tuple[str, str]]:
    """The command lines that print something else, and what they print."""
    phone = new_phone(api)
    found: list[tuple[str, str]] = []
    for case, printed in expected(api):
        ours, theirs = comparable(await run_case(phone, case)), comparable(printed)
        if ours != theirs:
            found.append((case.line, f"{api}: {case.line}\n  Android {theirs}\n  virtual {ours}"))
        elif "intents" in printed:
            android = phone.world.android
            intent, _ = parse_intent(Words(case.words[1:]), android, start_options(android))
            shown = show(intent.with_flags(ADDED.get(case.words[0], 0)))
            if shown != printed["intents"][0]:
                text = f"  Android {printed['intents'][0]}\n  virtual {shown}"
                found.append((case.line, f"{api}: {case.line}\n{text}"))
    return found


def listed(line: str, api: int) -> str | None:
    """The pattern of the difference that is known."""
    for pattern, levels, _ in DIFFERENCES:
        if api in levels and re.search(pattern, line):
            return pattern
    return None


@pytest.mark.parametrize(
    "api",
    [api if api in QUICK else pytest.param(api, marks=pytest.mark.matrix) for api in LEVELS],
)
async def test_commands_print_what_android_prints(api: int) -> None:
    found = await differences(api)
    new = [text for line, text in found if not listed(line, api)]
    assert not new, "\n".join((f"{len(new)} differ", *new))
    # One that is gone must go from the list.
    still = {listed(line, api) for line, _ in found}
    assert still == {pattern for pattern, levels, _ in DIFFERENCES if api in levels}
