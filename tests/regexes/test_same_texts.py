"""Patterns that took more than linear work, and what is there instead: both take the same texts."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.adb.smartsocket import parse_devices
from handheld.adb.state import PhoneState
from handheld.audit.masking import MASK, _without_numbers
from handheld.cli.clients import jsonc
from handheld.cli.doctor.private_words import _PATTERNS
from handheld.driver.by_helper import uiautomation_conflicts
from handheld.driver.reading import drop_box, dumpsys
from handheld.driver.reading.package_lists import BadList, read_packages
from handheld.screen.rows import token_bound
from handheld.screen.rows.words import split_quoted
from handheld.tools.agent import device_tools
from handheld.tools.agent.elements import targets

Read = Callable[[str], object]


def whole(pattern: "re.Pattern[str]") -> Read:
    def read(text: str) -> object:
        found = pattern.fullmatch(text)
        return found and (found.groups(), found.groupdict())

    return read


def every(pattern: "re.Pattern[str]") -> Read:
    return lambda text: [each.span() for each in pattern.finditer(text)]


def former(pattern: str) -> Read:
    return whole(re.compile(pattern))


POINT = r"[\[(]?\s*(\d{1,5}(?:\.\d+)?)\s*[,; ]\s*(\d{1,5}(?:\.\d+)?)\s*[\])]?"
DEVICE = re.compile(r"(\S.*?)\s+(no permissions\b.*?|[a-z]+)((?:\s+[a-z_]+:\S+)*)\s*")
LISTED = re.compile(r"package:(/.*)=([^=\s]+) versionCode:(\d{1,19})(?: .*)?")


def former_devices(text: str) -> list[Any]:
    if not (found := DEVICE.fullmatch(text)):
        return []
    serial, state, details = found.groups()
    state = "no permissions" if state.startswith("no permissions") else state
    pairs = (detail.split(":", 1) for detail in details.split())
    return [(serial, PhoneState.read(state), dict(pairs))]


def packages(text: str) -> object:
    try:
        return read_packages(text)
    except BadList:
        return None


def former_packages(text: str) -> object:
    found = LISTED.fullmatch(text)
    return found and {found[2]: (found[1], int(found[3]))}


SAME: dict[str, tuple[Read, Read, Sequence[str]]] = {
    "point": (
        lambda text: former(POINT)(text.strip()),
        lambda text: whole(targets.POINT)(text.strip()),
        ["(", "[", "]", ")", "1", "23", "0.5", "123456", " ", "\t", "\n", ",", ";", "x", "."],
    ),
    "point of a picture": (
        lambda text: former(rf"(p[1-9]\d{{0,8}})\s*:\s*{POINT}")(text.strip()),
        lambda text: whole(targets._IN_PICTURE)(text.strip()),
        ["p1", ":", "(", ")", "1", "0.5", " ", "\t", ",", ";", "x"],
    ),
    "copied": (
        former(
            r'([a-z][1-9]\d{0,2})\b[^"#]*(?:"(?P<words>(?:[^"\\]|\\.)*)"|#(?P<id>\S+))?.*',
        ),
        whole(targets._COPIED),
        ["k4", " ", '"', "\\", "#", "a b", "\n", "x"],
    ),
    "place": (
        former(r"(-?\d{1,3}(?:\.\d{1,15})?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d{1,15})?)"),
        whole(device_tools._PLACE),
        ["1", "-", ".5", " ", "\t", "\n", ",", ";", "x"],
    ),
    "tokens": (
        every(
            re.compile(
                r"[0-9]+|[^\x00-\x7f]+|[\x00-\x09\x0b-/:-\x7f]*\n|[\x00-\x09\x0b-/:-\x7f]+",
            )
        ),
        every(token_bound._PARTS),
        ["1", "a", "\n", "é", " "],
    ),
    "devices": (
        former_devices,
        lambda text: [(*each,) for each in parse_devices(text)],
        [
            "R58",
            " ",
            "  ",
            "\t",
            "device",
            "no permissions",
            "(x)",
            "usb:1-1",
            "model:a:b",
            "ab",
            "1",
        ],
    ),
    "phone numbers": (
        lambda text: re.sub(r"\+?\d[\d ()./-]{2,}\d", MASK, text),
        lambda text: _without_numbers(text, []),
        ["+", "1", "23", " ", "(", ")", ".", "/", "-", "x", "٣"],
    ),
    "quotes": (
        lambda text: re.split(r'("(?:[^"\\]|\\.)*")', text),
        split_quoted,
        ['"', "\\", "a", " "],
    ),
    "mails": (
        every(re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")),
        every(_PATTERNS[0][0]),
        ["a", "@", ".", "+", "-", " ", ","],
    ),
    "processes": (
        former(r"\s*(\d{1,9})\s+(\S+)\s*(.*)"),
        whole(uiautomation_conflicts._LINE),
        ["1", " ", "\t", "a", "b c"],
    ),
    "windows": (
        lambda text: (found := re.match(r"^ *Window #\d+:? *(.*)$", text)) and found.groups(),
        lambda text: (found := dumpsys._WINDOW.match(text)) and found.groups(),
        [" ", "Window #", "1", ":", "a"],
    ),
    "crashed packages": (
        whole(re.compile(r"([A-Za-z][\w.]*)(?: v\d+.*)?", re.ASCII)),
        whole(drop_box._PACKAGE),
        ["a", ".", " v", "1", " ", "("],
    ),
    "listed packages": (
        former_packages,
        packages,
        ["package:", "/data", "=", "a.b", " versionCode:", "7", " ", "x"],
    ),
    "comments": (
        lambda text: re.match(r"(?s)(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", text)[0],  # type: ignore[index]
        lambda text: jsonc._GAP.match(text)[0],  # type: ignore[index]
        ["/", "*", "/*", "*/", "//", "\n", " ", "a"],
    ),
}


@pytest.mark.parametrize("name", SAME)
@given(data=st.data())
def test_the_same_texts_are_taken(name: str, data: st.DataObject) -> None:
    before, now, pieces = SAME[name]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=10)))
    assert now(text) == before(text), text
