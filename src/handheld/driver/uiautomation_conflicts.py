"""Programs on a phone that are known to take Android's one UiAutomation, found among its processes.

They are named, with what ends them. Nothing is ended here.
"""

import re
from typing import NamedTuple

from ..adb import shell
from ..adb.link import AdbError, Link

_LIST = ["ps", "-A", "-o", "PID,NAME,ARGS"]
_LINE = re.compile(r"\s*(\d{1,9})\s+(\S+)\s*(.*)")


class Rival(NamedTuple):
    pid: int
    name: str
    """What people call it."""
    mend: str
    """What ends it."""


class _Known(NamedTuple):
    pattern: re.Pattern[str]
    """Of the process's name and command line."""
    name: str
    mend: str


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
# scrcpy shows and touches the screen without it; ours is the one that asks.
_HARMLESS = re.compile(r"com\.genymobile\.scrcpy|dev\.handheld\.helper|^handheld\b")
_JAVA = re.compile(r"^app_process(?:32|64)?\b|/app_process(?:32|64)?\b")


def find_rivals(listing: str) -> list[Rival]:
    """Those in the output of `ps`, the well-known ones first."""
    found: list[Rival] = []
    others: list[Rival] = []
    for line in listing.splitlines():
        match = _LINE.fullmatch(line[:4000])
        if match is None or _HARMLESS.search(words := f"{match[2]} {match[3]}"):
            continue
        pid = int(match[1])
        for pattern, name, mend in _KNOWN:
            if pattern.search(words):
                found.append(Rival(pid, name, mend.format(pid=pid)))
                break
        else:
            if _JAVA.search(words):
                name = f"a program run by app_process ({_main_class(match[3])})"
                others.append(Rival(pid, name, _KILL.format(pid=pid)))
    return found + others


def _main_class(arguments: str) -> str:
    classes = [word for word in arguments.split()[1:] if not word.startswith(("/", "-"))]
    return classes[0][:100] if classes else "of an unknown name"


async def look_for_rivals(link: Link) -> list[Rival]:
    """None where they cannot be listed: this is a guess beside an error that is told anyway."""
    try:
        done = await shell.run(link, _LIST)
    except AdbError:
        return []
    return find_rivals(done.stdout.decode(errors="replace"))


def describe_rivals(rivals: list[Rival]) -> str:
    """ "" for none."""
    if not rivals:
        return ""
    first = rivals[0]
    more = f" (and {len(rivals) - 1} more)" if len(rivals) > 1 else ""
    return f"It looks like {first.name}, pid {first.pid} on the phone{more}: {first.mend}."
