"""Reading the screen through the helper."""

import json
from collections.abc import Callable, Iterable
from itertools import starmap
from typing import Any

from ...helper.client import HelperClient
from ...helper.protocol import Code, HelperFailure
from ...helper.session import Answer
from ...screen.model import Bounds, Details, Node, Notice, Range, Screen, WebNode, Window, upright
from ..by_adb.commands import Commands
from ..by_adb.profiles import ProfileOwners
from ..conditions import describe_condition, describe_displays
from ..failures import FailedCall, translate
from ..screen import Rested, Screenshot
from .verbs import READ_MS, SLACK_MS, HelperVerbs

CAPTURE_MS = 5_000
MOST_KEPT = 1_000_000
"""The maximum size of an answer that is kept for comparison with the next: some 10,000 nodes."""

_REASONS = {
    "timeout": "did not answer in time and is missing",
    "no_root": "gave no content and is missing",
    "incomplete": "gave only a part of its content",
}


class _LastWindows:
    """The windows of the last answer: many reads find an unchanged screen. Windows are never
    modified after reading, so reads may share them."""

    def __init__(self) -> None:
        self._data = b""
        self._windows: list[Window] = []

    def decode(self, data: bytes) -> list[Window]:
        if not data or data != self._data:
            windows = _decode_windows(data)
            if len(data) > MOST_KEPT:
                return windows
            self._data, self._windows = data, windows
        return [*self._windows]


class HelperScreen(HelperVerbs):
    def __init__(self, client: HelperClient, *, wake: bool = True) -> None:
        super().__init__(client, wake=wake)
        self._last = _LastWindows()
        self._owners = ProfileOwners()

    async def read_screen(self) -> Screen:
        return await self._decode(await self._call("screen", {}, READ_MS))

    async def _decode(self, answer: Answer) -> Screen:
        screen = decode_screen(answer, wake=self._wake, decode=self._last.decode)
        self.conditions.add(locked=screen.locked)
        screen.profile = await self._owners.name(Commands(self._link), screen.front_user)
        return screen

    async def _decode_rested(self, answer: Answer) -> Rested:
        then = answer.reply["then"]
        screen, problem = None, ""
        if (error := then["error"]) is None:
            screen = await self._decode(Answer(then["screen"], answer.data))
        else:
            failure = HelperFailure(Code(error["code"]), error["message"], data=error.get("data"))
            problem = str(translate(failure, FailedCall("screen", {})))
        return Rested(then["changed"], then["settled"], screen, problem)

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot:
        arguments = {"max_size": max_size, "format": format, "quality": quality}
        reply, data = await self._call("capture", arguments, CAPTURE_MS)
        secure = tuple(reply["secure"])
        return Screenshot(data, reply["width"], reply["height"], reply["format"], secure)

    async def changed(self, after: int, within_ms: int) -> int:
        arguments = {"after": after, "within_ms": within_ms}
        answer = await self._call("changed", arguments, within_ms + SLACK_MS)
        return answer.reply["seq"]

    async def need_notices(self) -> None:
        # Android reports the displays since that release.
        await self.changed(0, 0)


def _decode_windows(data: bytes) -> list[Window]:
    return [decode_window(window) for window in json.loads(data)["windows"]]


def decode_screen(
    answer: Answer,
    *,
    wake: bool = True,
    decode: Callable[[bytes], list[Window]] = _decode_windows,
) -> Screen:
    """Decode a `screen` answer. Hot path: a large screen has thousands of nodes."""
    reply, data = answer
    shown = reply["display"]
    foreground = reply["foreground"]
    windows = decode(data)
    return Screen(
        shown["width"],
        shown["height"],
        shown["density"],
        shown["rotation"],
        windows,
        foreground and (foreground["package"], foreground["activity"]),
        reply["degraded"],
        tuple(_notes(reply)),
        reply["seq"],
        len(reply["missing"]),
        locked=reply["locked"],
        awake=reply["awake"],
        conditions=describe_condition(reply["awake"], reply["locked"], wake),
        silent=tuple(
            lost["package"]
            for lost in reply["missing"]
            if lost["reason"] == "timeout" and lost["package"]
        ),
        notices=tuple(starmap(Notice, reply["notices"])),
        front_user=foreground and foreground["user"],
    )


def decode_window(window: dict[str, Any]) -> Window:
    details: dict[int, Details] = {}
    web: dict[int, WebNode] = {}
    for number, told in window["details"]:
        if (role := told.pop("role", None)) is not None:
            web[number] = WebNode(role, told.pop("url", None))
        if told:
            details[number] = _decode_details(**told)
    return Window(
        window["id"],
        window["type"],
        window["package"],
        window["title"],
        window["layer"],
        window["focused"],
        _decode_nodes(window["nodes"]),
        {number: (row, column) for number, row, column in window["items"]},
        details,
        web,
    )


def _decode_details(
    range: list[Any] | None = None, rows: list[int] | None = None, **told: Any
) -> Details:
    return Details(
        **told,
        range=None if range is None else Range(*range),
        rows=None if rows is None else (rows[0], rows[1]),
    )


def _decode_nodes(rows: Iterable[list[Any]]) -> list[Node]:
    # One expression for speed; bounds avoid the constructor, which is a Python function.
    return [
        Node(
            depth,
            index,
            key,
            class_name,
            text,
            description,
            resource_id,
            tuple.__new__(Bounds, (left, top, right, bottom))
            if left <= right and top <= bottom
            else upright(left, top, right, bottom),
            flags,
            drawing_order,
        )
        for (
            depth,
            index,
            key,
            class_name,
            text,
            description,
            resource_id,
            left,
            top,
            right,
            bottom,
            flags,
            drawing_order,
        ) in rows
    ]


def _notes(reply: dict[str, Any]) -> list[str]:
    notes: list[str] = []
    for lost in reply["missing"]:
        package = f" {lost['package']}" if lost["package"] else ""
        reason = _REASONS.get(lost["reason"], "is missing")
        notes.append(f"window {lost['window']}{package} {reason}")
    notes += describe_displays(reply["displays"])
    return notes
