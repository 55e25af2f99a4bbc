"""Run command lines on Android 17's own app-function command, and write what it prints.

The class is that of `android-all`, on a JVM; binder, clock, log and AppSearch around it are ours.
Needs a JDK of version 21 or newer, as the class files are, and Maven for the jar.

    python scripts/app_function_words.py --write   writes tests/fixtures/android_words
    python scripts/app_function_words.py --check   exit code 1 if the table differs
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from helper_compat import jar_of  # noqa: E402
from tests.app_formats.app_functions.cases import CASES  # noqa: E402

TABLE = ROOT / "tests" / "fixtures" / "android_words" / "app_function.json"
SOURCES = ROOT / "tests" / "framework" / "app_function_judge"
MAIN = "com.android.server.appfunctions.AppFunctionJudge"
LEVEL = 37
LEAST_JAVA = 21
SECONDS = 300


def find_java() -> Path | None:
    """The folder with a JDK's programs; None where none is new enough."""
    homes = [Path(os.environ[name]) / "bin" for name in ("JAVA_HOME",) if name in os.environ]
    if found := shutil.which("javac"):
        homes.append(Path(found).parent)
    homes += sorted(Path("/usr/lib/jvm").glob("*/bin"))
    return next((home for home in homes if _version(home) >= LEAST_JAVA), None)


def _version(home: Path) -> int:
    try:
        done = subprocess.run(
            [home / "javac", "-version"], capture_output=True, encoding="utf-8", check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.search(r"javac (\d+)", done.stdout + done.stderr)
    return int(found[1]) if found else 0


def run(java: Path) -> list[dict[str, Any]]:
    """What Android prints for each command line, and what the app gets."""
    android = str(jar_of(LEVEL))
    with tempfile.TemporaryDirectory() as classes:
        sources = [str(file) for file in sorted(SOURCES.rglob("*.java"))]
        compile = [java / "javac", "-nowarn", "-d", classes, "-cp", android, *sources]
        subprocess.run(compile, check=True, stderr=subprocess.DEVNULL)
        path = os.pathsep.join((classes, android))
        done = subprocess.run(
            [java / "java", "-XX:TieredStopAtLevel=1", "-cp", path, MAIN],
            input="".join(f"{json.dumps(case)}\n" for case in CASES),
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=SECONDS,
            check=True,
        )
    printed = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    return [
        {"words": case["words"], **_brief(one)} for case, one in zip(CASES, printed, strict=True)
    ]


def _brief(printed: dict[str, Any]) -> dict[str, Any]:
    """Of the help only the commands: what it says about them is nobody's business here."""
    out = printed["out"]
    if out.startswith("AppFunctionManagerService commands:"):
        commands = re.findall(r"(?m)^  (\S.*)$", out)
        printed = {**printed, "out": "".join(f"{command}\n" for command in commands)}
    return printed


def write(table: list[dict[str, Any]]) -> str:
    lines = (json.dumps(row, sort_keys=True) for row in table)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def differs() -> str:
    """What is wrong; "" where the table is what Android prints."""
    java = find_java()
    if java is None:
        return f"no JDK of version {LEAST_JAVA} or newer"
    same = TABLE.exists() and TABLE.read_text(encoding="utf-8") == write(run(java))
    return "" if same else f"{TABLE.name} is not what Android prints"


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        sys.exit(differs())
    java = find_java()
    if sys.argv[1:] != ["--write"] or java is None:
        sys.exit(__doc__ if java else f"no JDK of version {LEAST_JAVA} or newer")
    TABLE.write_text(write(run(java)), encoding="utf-8")


if __name__ == "__main__":
    main()
