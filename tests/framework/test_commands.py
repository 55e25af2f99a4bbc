"""The helper's commands on Android's own widgets are answered as the contract suite wants it."""

import asyncio
import json
from typing import Any

import pytest

from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.screen.model import Bounds, Flag, Node
from helper.contract.test_commands import act
from helper.contract.test_text import typing

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "toggles"
BUDGET_MS = 20_000


async def do(tools: Tools, command: str, arguments: dict[str, Any], act: bool = True) -> Any:
    """The reply, without the window that some commands send with it."""
    answer = await tools.helper.call(command, arguments, budget_ms=BUDGET_MS, act=act)
    return answer.reply


async def failure(tools: Tools, command: str, arguments: dict[str, Any]) -> tuple[Code, Happened]:
    with pytest.raises(HelperFailure) as raised:
        await do(tools, command, arguments)
    return raised.value.code, raised.value.happened


async def read_nodes(tools: Tools) -> list[Node]:
    answer = await tools.helper.call("screen", {}, budget_ms=BUDGET_MS)
    nodes: list[Node] = []
    for window in json.loads(answer.data)["windows"]:
        for row in window["nodes"]:
            depth, index, key, kind, text, description, name, *place, flags, order = row
            node = (depth, index, key, kind, text, description, name, Bounds(*place), flags, order)
            nodes.append(Node(*node))
    return nodes


async def find(tools: Tools, view: str) -> Node:
    """The node of one of the app's views, by its class and its place."""
    state = await tools.android.state(view)
    wanted = (state["class"], state["bounds"])
    [found] = [
        node
        for node in await read_nodes(tools)
        if (node.class_name, ",".join(map(str, node.bounds))) == wanted
    ]
    return found


async def test_screen_has_the_display_and_every_view(tools: Tools) -> None:
    answer = await tools.helper.call("screen", {}, budget_ms=BUDGET_MS)
    assert answer.reply["display"] == {
        "width": 1080,
        "height": 2400,
        "density": 480,
        "rotation": 0,
    }
    assert (answer.reply["missing"], answer.reply["degraded"]) == ([], False)
    box = await find(tools, "box")
    wanted = Flag.CHECKABLE | Flag.CLICKABLE | Flag.FOCUSABLE | Flag.ENABLED | Flag.VISIBLE
    assert (box.text, box.flags) == ("Box", wanted)


async def test_click_checks_a_box_once(tools: Tools) -> None:
    assert await do(tools, "act", act(await find(tools, "box"))) == {}
    assert (await tools.android.state("box"))["checked"] is True


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"expect": {"text": "other"}}, Code.CHANGED), ({"key": "999:1:-1"}, Code.GONE)],
)
async def test_changed_or_missing_view_is_not_acted_on(
    tools: Tools, changes: dict[str, Any], code: Code
) -> None:
    box = await find(tools, "box")
    assert await failure(tools, "act", act(box, **changes)) == (code, Happened.NO)
    assert (await tools.android.state("box"))["checked"] is False


async def test_action_that_a_view_does_not_have_is_not_actionable(tools: Tools) -> None:
    box = await find(tools, "box")
    answer = await failure(tools, "act", act(box, action="scroll_forward"))
    assert answer == (Code.NOT_ACTIONABLE, Happened.NO)


async def test_a_list_scrolls_by_a_page_and_not_beyond_its_top(tools: Tools) -> None:
    await tools.android.show("list")
    rows = await find(tools, "list")
    answer = await failure(tools, "act", act(rows, action="scroll_backward"))
    assert answer == (Code.FAILED, Happened.NO)
    before = await tools.android.state("list")
    assert await do(tools, "act", act(rows, action="scroll_forward")) == {}
    await tools.android.elapse(500)
    after = await tools.android.state("list")
    assert abs(after["first"] - before["last"]) <= 1


async def test_a_finger_and_a_change_are_noticed(tools: Tools) -> None:
    seq = (await do(tools, "screen", {}, act=False))["seq"]
    left, top, right, bottom = (await find(tools, "button")).bounds
    stroke = [[(left + right) / 2, (top + bottom) / 2, 0]]
    assert await do(tools, "touch", {"strokes": [stroke]}) == {}
    changed = await do(tools, "changed", {"after": seq, "within_ms": 4000}, act=False)
    assert changed["seq"] > seq
    assert await tools.android.log() == ["button clicked"]


@pytest.mark.parametrize(
    ("text", "changes", "content", "removed"),
    [
        ("d", {}, "abcd", 0),
        ("X", {"where": {"offset": 1}}, "aXbc", 0),
        ("X", {"where": {"search": "bc"}}, "aX", 2),
        ("new", {"where": "all", "delay_ms": 0}, "new", 3),
        ("", {"where": "all"}, "", 3),
    ],
)
async def test_text_is_typed_at_each_place(
    tools: Tools, text: str, changes: dict[str, Any], content: str, removed: int
) -> None:
    await tools.android.show("fields")
    await do(tools, "type", typing(await find(tools, "single"), "abc"))
    assert await do(tools, "type", typing(await find(tools, "single"), text, **changes)) == {
        "content": content,
        "typed": len(text),
        "removed": removed,
        "password": False,
        "matches": True,
    }
    assert (await tools.android.state("single"))["text"] == content


async def test_keys_act_at_the_cursor(tools: Tools) -> None:
    await tools.android.show("fields")
    await do(tools, "type", typing(await find(tools, "lines"), "a👍🏽"))
    for key, after in (("del", "a"), ("tab", "a\t"), ("space", "a\t "), ("enter", "a\t \n")):
        assert await do(tools, "key", {"key": key}) == {}
        assert (await tools.android.state("lines"))["text"] == after


async def test_offset_beyond_the_text_is_rejected(tools: Tools) -> None:
    await tools.android.show("fields")
    arguments = typing(await find(tools, "single"), "x", where={"offset": 5})
    assert await failure(tools, "type", arguments) == (Code.OUTSIDE_TEXT, Happened.NO)


async def test_cancelled_typing_stops(tools: Tools) -> None:
    await tools.android.show("fields")
    arguments = typing(await find(tools, "single"), "abcdefgh" * 5, delay_ms=100)
    running = asyncio.create_task(do(tools, "type", arguments))
    while not (await tools.android.state("single"))["text"]:
        await tools.android.elapse(100)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    # The next command is answered after the one that was given up has stopped.
    await read_nodes(tools)
    typed = await tools.android.state("single")
    await tools.android.elapse(1000)
    assert 0 < len(typed["text"]) < 40
    assert (await tools.android.state("single"))["text"] == typed["text"]


async def test_pinch_reports_the_scale_of_the_detector(tools: Tools) -> None:
    await tools.android.show("gestures")
    arguments = {"x": 540, "y": 600, "scale": 1.5, "duration_ms": 300}
    reply = await do(tools, "pinch", arguments)
    await tools.android.elapse(300)
    [line] = [line for line in await tools.android.log() if line.startswith("scale")]
    assert float(line.removeprefix("scale ")) == pytest.approx(reply["scale"], rel=0.02)


async def test_back_closes_a_dialog_and_keys_reach_the_field(tools: Tools) -> None:
    await tools.android.show("windows")
    assert await do(tools, "act", act(await find(tools, "Dialog"))) == {}
    await tools.android.elapse(500)
    assert "Really?" in [node.text for node in await read_nodes(tools)]
    assert await do(tools, "press", {"button": "back"}) == {}
    await tools.android.elapse(500)
    assert "Really?" not in [node.text for node in await read_nodes(tools)]
