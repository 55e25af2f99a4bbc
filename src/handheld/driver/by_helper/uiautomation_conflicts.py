"""Find programs that hold Android's only UiAutomation by the phone's processes.

The report says how to stop them. Nothing is stopped here.
"""

import re
from typing import NamedTuple

from ...adb import shell
from ...adb.link import AdbError, Link

_LIST = ["ps", "-A", "-o", "PID,NAME,ARGS"]
_LINE = re.compile(r"\s*(\d{1,9})\s+(\S++)\s*+(.*)")


class UiAutomationConflict(NamedTuple):
    pid: int
    name: str
    """Its common name."""
    fix: str
    """How to stop it."""


class _Known(NamedTuple):
    pattern: re.Pattern[str]
    """Matches the process's name and command line."""
    name: str
    fix: str


_KILL = "end the program on the computer that uses it, or run `adb shell kill {pid}`"
_KNOWN = (
    _Known(re.compile(r"u2\.jar|com\.wetest\.uia2"), "uiautomator2 (u2.jar)", _KILL),
    _Known(
        re.compile(r"\bcom\.github\.uiautomator\b"),
        "uiautomator2 (its app)",
        "run `adb shell am force-stop com.github.uiautomator`",
    ),
    _Known(
        re.compile(r"\bio\.appium\.uiautomator2\.server\b"),
        "Appium's UiAutomator2 server",
        "end the Appium session, or run `adb shell am force-stop io.appium.uiautomator2.server`",
    ),
    _Known(re.compile(r"\bmobilecli\b|\bcom\.mobilenext\b"), "mobilecli", _KILL),
    _Known(
        re.compile(r"\bdev\.mobile\.maestro\b"),
        "Maestro",
        "end the Maestro run, or run `adb shell am force-stop dev.mobile.maestro`",
    ),
    _Known(
        re.compile(r"com\.android\.commands\.uiautomator|\buiautomator\b"),
        "the `uiautomator` command",
        "wait until it is done, or run `adb shell kill {pid}`",
    ),
    _Known(
        re.compile(r"\bam instrument\b|\bcmd activity instrument\b|commands\.am\.Am instrument"),
        "a test run (`am instrument`)",
        "wait until it is done, or run `adb shell kill {pid}`",
    ),
)
# scrcpy works without UiAutomation, and our helper is the one that reports the conflict.
_HARMLESS = re.compile(r"com\.genymobile\.scrcpy|dev\.handheld\.helper|^handheld\b")
_JAVA = re.compile(r"^app_process(?:32|64)?\b|/app_process(?:32|64)?\b")


def parse_conflicts(listing: str) -> list[UiAutomationConflict]:
    """Parse the output of `ps`; well-known programs come first."""
    found: list[UiAutomationConflict] = []
    others: list[UiAutomationConflict] = []
    for line in listing.splitlines():
        match = _LINE.fullmatch(line[:4000])
        if match is None or _HARMLESS.search(words := f"{match[2]} {match[3]}"):
            continue
        pid = int(match[1])
        for pattern, name, fix in _KNOWN:
            if pattern.search(words):
                found.append(UiAutomationConflict(pid, name, fix.format(pid=pid)))
                break
        else:
            if _JAVA.search(words):
                name = f"a program run by app_process ({_main_class(match[3])})"
                others.append(UiAutomationConflict(pid, name, _KILL.format(pid=pid)))
    return found + others


def _main_class(arguments: str) -> str:
    classes = [word for word in arguments.split()[1:] if not word.startswith(("/", "-"))]
    return classes[0][:100] if classes else "of an unknown name"


async def find_conflicts(link: Link) -> list[UiAutomationConflict]:
    """Return the conflicts; [] if processes cannot be listed: this is only a hint in addition to an
    error."""
    try:
        done = await shell.run(link, _LIST)
    except AdbError:
        return []
    return parse_conflicts(done.stdout.decode(errors="replace"))


def describe_conflicts(conflicts: list[UiAutomationConflict]) -> str:
    """Return a sentence; "" for none."""
    if not conflicts:
        return ""
    first = conflicts[0]
    more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
    return f"It looks like {first.name}, pid {first.pid} on the phone{more}: {first.fix}."
