"""Run command lines on the shell commands of Android's own services, and write what they print.

The classes are those of `android-all`, of every release, on a JVM of their own; what they call is
played. `tests/android_words` has the command lines, and compares the virtual phone with the tables.

    python scripts/android_words.py --write        all levels; writes tests/fixtures/android_words
    python scripts/android_words.py --check 26 34  these; exit code 1 if a table differs
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from helper_compat import VERSIONS, jar_of  # noqa: E402
from tests.android_words.cases import HELP, SERVICES, Case, cases  # noqa: E402
from tests.android_words.phone import (  # noqa: E402
    PLAYER,
    RECORD,
    facts,
    new_phone,
    without_identity,
)

TABLES = ROOT / "tests" / "fixtures" / "android_words"
BUILT = ROOT / "helper" / "robolectric" / "target"
MAIN = "dev.handheld.helper.words.WordsMain"
# Class files refer to classes that are in no jar: the verifier would look for them.
JAVA = (
    *("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.language=en"),
    *("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"),
)
SECONDS = 600
COMPONENT = (
    r"(?m)^ *(?:\d+ \w+ found:|\w+ #\d+:|priority=|\w+Info:|name=|packageName=|enabled=|permission="
    r"|labelRes=|processName=|taskAffinity=org|uid=|sourceDir=|dataDir=).*\n"
)
"""The lines about a component that the virtual phone prints."""

Printed = dict[str, Any]


def run_level(api: int) -> list[Printed | None]:
    """What each command line prints; None where the release has no such command."""
    phone = new_phone(api)
    uid = str(phone.world.running.uid(phone.world.apps[PLAYER]))
    known = facts(phone)
    lines = ["\t".join(fact) for fact in known]
    for case in cases():
        answers = "\x1f".join(f"{name}={value}" for name, value in case.answers.items())
        fields = (case.service, answers.replace("{uid}", uid), *case.words)
        lines.append("\t".join(map(_escape, fields)))
    classpath = (BUILT / "classpath.txt").read_text(encoding="utf-8").strip()
    done = subprocess.run(
        (
            *(*JAVA, "-cp", os.pathsep.join((str(BUILT / "test-classes"), classpath))),
            *(MAIN, str(jar_of(api))),
        ),
        input="".join(f"{line}\n" for line in lines),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=SECONDS,
        check=True,
    )
    replies = done.stdout.split("\n")[:-1]
    if len(replies) != len(lines):
        sys.exit(f"API level {api}: {len(replies)} replies to {len(lines)} lines")
    return [_read(case, reply) for case, reply in zip(cases(), replies[len(known) :], strict=True)]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def _read(case: Case, reply: str) -> Printed | None:
    if reply == "!absent":
        return None
    if reply.startswith("!"):
        sys.exit(f"{case.line}\n{_unescape(reply)}")
    stdout, stderr, code, *intents = map(_unescape, reply.split("\t"))
    if stdout.startswith(HELP):
        stdout = stdout.splitlines(keepends=True)[0]
    if case.service == "record":
        stdout = without_identity("".join(re.findall(RECORD, stdout)))
    if "ApplicationInfo:" in stdout:
        stdout = without_identity("".join(re.findall(COMPONENT, stdout)))
    printed: Printed = {"stdout": stdout, "stderr": _without_frames(stderr), "code": int(code)}
    if intents:
        printed["intents"] = intents
    return printed


def _without_frames(text: str) -> str:
    """Without the frames and causes of stack traces."""
    return re.sub(r"(?m)^(\tat .*|\t\.\.\. \d+ more|Caused by: .*)\n", "", text)


def tables(levels: list[int]) -> dict[str, list[dict[str, Any]]]:
    """By service: for each command line what is printed, and on which levels."""
    found: dict[str, list[dict[str, Any]]] = {service: [] for service in SERVICES}
    by_level = {api: run_level(api) for api in levels}
    for number, case in enumerate(cases()):
        outputs: list[dict[str, Any]] = []
        for api in levels:
            printed = by_level[api][number]
            if printed is None:
                continue
            for output in outputs:
                if {**output, "levels": None} == {**printed, "levels": None}:
                    output["levels"].append(api)
                    break
            else:
                outputs.append({"levels": [api], **printed})
        row: dict[str, Any] = {"line": case.line, "outputs": outputs}
        if case.answers:
            row["answers"] = dict(case.answers)
        found[case.service].append(row)
    return found


def as_text(rows: list[dict[str, Any]]) -> str:
    """A line for each command line, so that a change is seen in its place."""
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def differences(levels: list[int]) -> list[str]:
    """The command lines whose committed output is not what Android's classes print."""
    wrong: list[str] = []
    for service, rows in tables(levels).items():
        committed = json.loads((TABLES / f"{service}.json").read_text(encoding="utf-8"))
        for row, old in zip(rows, committed, strict=True):
            kept = [
                {**output, "levels": here}
                for output in old["outputs"]
                if (here := [api for api in output["levels"] if api in levels])
            ]
            if {**old, "outputs": kept} != row:
                wrong.append(row["line"])
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", type=int, nargs="*", metavar="LEVEL")
    arguments = parser.parse_args()
    if arguments.write:
        TABLES.mkdir(parents=True, exist_ok=True)
        for service, rows in tables(list(VERSIONS)).items():
            (TABLES / f"{service}.json").write_text(as_text(rows), encoding="utf-8")
        return
    if wrong := differences(arguments.check or list(VERSIONS)):
        sys.exit("\n".join(("Other than in the tables:", *wrong)))


if __name__ == "__main__":
    main()
