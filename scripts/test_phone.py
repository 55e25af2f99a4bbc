"""Try the tools on a real phone, and write a report that can be sent.

ANDROID_SERIAL names the phone. It asks before it begins, unless HANDHELD_PHONE_OK is 1.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from handheld.cli.doctor.private_words import PrivateWords
from handheld.cli.doctor.report import write_report
from handheld.settings import SettingsError, load

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "build" / "phone-report.md"
ASKS = """\
This tries Handheld's tools on the phone {serial}, which takes about a minute:
- it opens the settings app, scrolls there, opens a page and goes back, and types into its search;
- it puts a text on the clipboard, and puts back the text that was there before;
- it writes a file under Download/handheld-test and removes it;
- it reads the screen, the list of apps and the last lines of the log; none of that is kept.
Unlock the phone, leave it alone meanwhile, and keep what is private off its screen.
"""


def run_tests() -> tuple[int, list[ElementTree.Element]]:
    """In a process of their own: the exit code, and what is told of each test."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "any_phone"]
        command += ["-p", "no:cacheprovider", f"--junitxml={results}", "tests/any_phone"]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if not results.exists():
            return code, []
        return code, ElementTree.parse(results).getroot().findall(".//testcase")


def table(cases: list[ElementTree.Element], words: PrivateWords) -> str:
    lines = ["## Tools", "", "| test | outcome | seconds | |", "|---|---|---|---|"]
    for case in cases:
        name = case.get("name", "").removeprefix("test_").replace("_", " ")
        outcome, reason = "passed", ""
        for kind in ("skipped", "failure", "error"):
            if (found := case.find(kind)) is not None:
                outcome, reason = kind, words.hide(_reason(kind, found.get("message", "")))
        if "Without Handheld's helper" in reason:
            outcome = "refused"
        seconds = float(case.get("time", "0"))
        lines.append(f"| {name} | {outcome} | {seconds:.1f} | {reason.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def _reason(kind: str, message: str) -> str:
    """Why a test was skipped, or a tool's own sentence; never a comparison, which may show what is
    on the screen."""
    first = message.splitlines()[0] if message else ""
    name, _, said = first.partition(": ")
    return first if kind == "skipped" else said if "handheld.errors." in name else name


def main() -> int:
    serial = os.environ.get("ANDROID_SERIAL", "")
    if not serial:
        print("Say which phone: ANDROID_SERIAL=R58M123ABC make test WHAT=phone.")
        print("`handheld phones` lists those that are connected; docs/phones.md tells how.")
        return 2
    if os.environ.get("HANDHELD_PHONE_OK") != "1" and not _agreed(serial):
        return 2
    os.environ["HANDHELD_PHONE_OK"] = "1"
    try:
        settings = load({}, {**os.environ, "HANDHELD_PHONE_OK": ""})
        head = asyncio.run(write_report(settings))
    except SettingsError as problem:
        print(problem)
        return 2
    code, cases = run_tests()
    words = PrivateWords({serial: "<phone>", str(Path.home()): "~"})
    text = f"{head}\n{table(cases, words)}"
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(text, encoding="utf-8")
    print(f"\n{text}\nWritten to {REPORT.relative_to(ROOT)}. Read it before you send it.")
    return code


def _agreed(serial: str) -> bool:
    print(ASKS.format(serial=serial))
    if not sys.stdin.isatty():
        print("Nobody is here to ask. HANDHELD_PHONE_OK=1 says that it may begin.")
        return False
    return input("Begin? [y/N] ").strip().lower() in ("y", "yes")


if __name__ == "__main__":
    sys.exit(main())
