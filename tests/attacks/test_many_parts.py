"""An app that is denied comes to the front at the first touch or key of a call that goes on, or
while a call waits: no more is done there, and nothing of it is told."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest

from attacks.conftest import Target
from handheld.errors import ToolError
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.world import Event, World

ATTACK = "a denied app in passing"
SETTINGS = "com.android.settings"


class Page(Activity):
    name = ".Page"

    def content(self) -> View:
        return Column(Field("one two three", id="field", width=MATCH))


class PageApp(App):
    package, label = "org.example.page", "Page"
    main = ".Page"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Page": Page}


class Trap(list[Event]):
    """Shows the denied app at the first input of an agent, and counts those after it."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world
        self.sprung = False
        self.after: list[Event] = []

    def append(self, event: Event) -> None:
        super().append(event)
        if event.kind not in ("touch", "key", "perform", "type"):
            return
        if event.kind == "touch" and event.details[0] != "down":
            return
        if self.sprung:
            self.after.append(event)
            return
        self.sprung = True
        self._world.show(SETTINGS)


GESTURE = [
    [{"x": 500, "y": 900 + n, "time": 400 * n}, {"x": 500, "y": 901 + n, "time": 400 * n + 50}]
    for n in range(5)
]
MANY = [
    ("custom_gesture", {"paths": GESTURE}, 0),
    ("phone_tap", {"at": "500,900", "times": 9}, 1),
    ("phone_do", {"steps": [{"tool": "tap", "at": "500,900"}] * 5}, 0),
    ("type_append_text", {"element_id": "ID", "text": "x" * 60}, 3),
    ("phone_press", {"key": "tab", "times": 9}, 0),
    ("phone_press", {"key": "volume_up", "times": 9}, 0),
    ("phone_type", {"text": "x" * 60, "into": "ID", "submit": True}, 3),
    ("phone_type", {"text": "x" * 60, "into": "ID", "mode": "append"}, 3),
    ("phone_scroll", {"screens": 99}, 0),
    ("phone_swipe", {"at": "500,900", "to": "500,300", "ms": 5000}, 0),
    ("type_insert_text", {"element_id": "ID", "text": "x" * 60, "offset": 0}, 3),
    ("type_replace_text", {"element_id": "ID", "search": "two", "new_text": "x" * 60}, 3),
    ("type_clear_text", {"element_id": "ID"}, 3),
    ("double_tap", {"x": 500, "y": 900}, 1),
    ("long_press", {"x": 500, "y": 900, "duration": 20_000}, 0),
    ("swipe", {"x1": 500, "y1": 900, "x2": 500, "y2": 300, "duration": 20_000}, 0),
]
"""Calls of several parts, or that last, and how many inputs may follow the first: the second of a
double tap, and what is typed before the next look."""


async def find_field(target: Target) -> str:
    [item] = await target.call("find_elements", by="resource_id", value="field")
    return str(json.loads(str(item))["elements"][0]["id"])


def few(cases: Sequence[tuple[Any, ...]], count: int) -> list[Any]:
    """The others are run by `make test WHAT=all`."""
    marks = pytest.mark.matrix
    return [*cases[:count], *(pytest.param(*case, marks=marks) for case in cases[count:])]


@pytest.mark.parametrize(("tool", "arguments", "most"), few(MANY, 4))
async def test_a_call_of_many_parts_ends_where_a_denied_app_comes_to_the_front(
    target: Target, tool: str, arguments: dict[str, Any], most: int
) -> None:
    target.world.install(PageApp)
    target.world.show(PageApp.package)
    target.deny(f"app:{SETTINGS}")
    field = await find_field(target)
    if tool.startswith("phone_"):
        field = "one two three"
    given = {name: field if value == "ID" else value for name, value in arguments.items()}
    trap = target.world.events = Trap(target.world)
    try:
        reply = str(await target.call(tool, **given))
    except ToolError as failure:
        reply = " ".join((failure.message, *failure.details))
    assert trap.sprung
    assert "Network" not in reply
    assert len(trap.after) <= most, [(event.kind, *event.details) for event in trap.after]


WAITS = [
    ("wait_for_element", {"by": "text", "value": "Network", "timeout": 3000}),
    ("phone_wait", {"text": "Network", "seconds": 3}),
    ("phone_wait", {"text": "Page", "gone": True, "seconds": 3}),
    ("phone_wait", {"seconds": 2}),
    ("wait_for_idle", {"timeout": 5000}),
]


@pytest.mark.parametrize(("tool", "arguments"), few(WAITS, 1))
async def test_a_wait_tells_nothing_of_a_denied_app_that_was_there_for_a_moment(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.world.install(PageApp)
    target.world.show(PageApp.package)
    target.deny(f"app:{SETTINGS}")
    await target.read()  # which looks for the helper first
    clock = target.device.clock

    async def pass_by() -> None:
        await clock.sleep(700)
        target.world.show(SETTINGS)
        await clock.sleep(900)
        target.world.show(PageApp.package)

    passing = asyncio.create_task(pass_by())
    try:
        reply = str(await target.call(tool, **arguments))
    except ToolError as failure:
        reply = " ".join((failure.message, *failure.details))
    finally:
        passing.cancel()
    words = str(arguments.get("value") or arguments.get("text") or "")
    assert "Network" not in reply.replace(f'"{words}"', "").replace(f"'{words}'", "")
