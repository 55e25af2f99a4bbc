"""Scrolling a list for a row: by pages, or by a jump to its position."""

from typing import Any

import pytest

from handheld.screen.model import Flag, Node
from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene

from .conftest import Stage
from .host import Answer, Host
from .test_commands import signature, windows

LIST = "dev.handheld.testbed:id/list"


def list_of(stage: Stage, **extras: str) -> tuple[RecycledList, Node]:
    """Show a list; return its view and its node."""
    scene = show_scene(stage.world, "long_list", **extras)
    assert scene.window is not None
    [view] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
    [node] = [
        node
        for window in stage.world.automation.read_windows()
        for node in window.nodes
        if node.resource_id == LIST
    ]
    return view, node


def seek(node: Node, wanted_row: int, **changes: Any) -> dict[str, Any]:
    return {
        "key": node.key,
        "expect": signature(node),
        "anchor": None,
        "wanted": {"text": f"Row {wanted_row}"},
        "beside": None,
        "row": None,
        "column": None,
        "forward": True,
        "pages": 20,
        **changes,
    }


async def sought(host: Host, arguments: dict[str, Any]) -> Answer:
    number = await host.call("seek", arguments, budget_ms=60_000, act=True)
    for _ in range(200):
        if number in host.answers:
            break
        await host.advance(100)
    return await host.answer(number)


def shown(list_: RecycledList) -> range:
    return range(min(list_.rows), max(list_.rows) + 1)


async def test_screen_has_row_and_column_of_the_items_of_a_list(stage: Stage, host: Host) -> None:
    rows, _ = list_of(stage)
    rows.scroll_by(rows.viewport * 3)
    found = {
        window["nodes"][number + 1][4]: (row, column)
        for window in windows(await host.do("screen"))
        for number, row, column in window["items"]
    }
    assert found == {f"Row {number}": (number, 0) for number in shown(rows)}
    assert 0 not in shown(rows)


async def test_screen_says_where_a_list_can_be_scrolled_to(stage: Stage, host: Host) -> None:
    rows, _ = list_of(stage, count="30")
    ways = Flag.SCROLLS_FORWARD | Flag.SCROLLS_BACKWARD

    async def flags() -> int:
        return next(
            node[11] & ways
            for window in windows(await host.do("screen"))
            for node in window["nodes"]
            if node[6] == LIST
        )

    assert await flags() == Flag.SCROLLS_FORWARD
    rows.scroll_by(5)
    assert await flags() == ways
    rows.scroll_by(rows.extent)
    assert await flags() == Flag.SCROLLS_BACKWARD


async def test_screen_says_in_which_directions_a_view_scrolls(stage: Stage, host: Host) -> None:
    """RecyclerView offers only forward and backward."""
    directions = Flag.SCROLLS_UP | Flag.SCROLLS_DOWN | Flag.SCROLLS_LEFT | Flag.SCROLLS_RIGHT
    show_scene(stage.world, "mixed")
    [window] = [each for each in windows(await host.do("screen")) if each["focused"]]
    found = {row[6]: row[11] & directions for row in window["nodes"]}
    assert found["dev.handheld.testbed:id/scroll"] == Flag.SCROLLS_DOWN
    list_of(stage)
    [window] = [each for each in windows(await host.do("screen")) if each["focused"]]
    assert not any(row[11] & directions for row in window["nodes"])


async def test_a_row_below_is_reached_by_pages(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    answer = await sought(host, seek(node, 100))
    assert 100 in shown(rows)
    pages = rows.offset // rows.viewport
    assert answer.reply == {"jumped": False, "scrolls": pages, "found": True, "end": False}


async def test_a_row_above_is_reached_by_pages(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    rows.scroll_by(rows.viewport * 8)
    answer = await sought(host, seek(node, 1, forward=False))
    assert 1 in shown(rows)
    assert answer.reply == {"jumped": False, "scrolls": 8, "found": True, "end": False}


async def test_pages_are_limited(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    answer = await sought(host, seek(node, 999, pages=3))
    assert answer.reply == {"jumped": False, "scrolls": 3, "found": False, "end": False}
    assert rows.offset == rows.viewport * 3


async def test_the_end_of_a_list_ends_it(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage, count="40")
    answer = await sought(host, seek(node, 999))
    assert answer.reply["end"] is True
    assert answer.reply["found"] is False
    assert rows.offset == rows.extent - rows.viewport
    again = await sought(host, seek(node, 999))
    assert again.reply == {"jumped": False, "scrolls": 0, "found": False, "end": True}


async def test_a_list_that_can_jump_is_scrolled_to_the_position(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    answer = await sought(host, seek(node, 700, row=700, column=0))
    assert answer.reply == {"jumped": True, "scrolls": 1, "found": True, "end": False}
    assert shown(rows)[0] == 700


async def test_a_jump_to_where_the_row_no_longer_is_has_not_found_it(
    stage: Stage, host: Host
) -> None:
    rows, node = list_of(stage)
    answer = await sought(host, seek(node, 3, row=700, column=0))
    assert answer.reply == {"jumped": True, "scrolls": 1, "found": False, "end": False}
    assert shown(rows)[0] == 700


async def test_a_list_that_cannot_jump_is_scrolled_by_pages(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage, jumps="no")
    answer = await sought(host, seek(node, 100, row=100, column=0))
    assert answer.reply["jumped"] is False
    assert answer.reply["found"] is True
    assert 100 in shown(rows)


async def test_a_button_is_that_of_the_row_beside_it(stage: Stage, host: Host) -> None:
    """Every row has a button of the same name."""
    rows, node = list_of(stage)
    beside = {"class": "android.widget.TextView", "text": "Row 60"}
    answer = await sought(host, seek(node, 60, wanted={"text": "Open"}, beside=beside))
    assert answer.reply["found"] is True
    assert 60 in shown(rows)


async def test_a_view_without_content_is_known_by_its_key_alone(stage: Stage, host: Host) -> None:
    _, node = list_of(stage, count="40")
    answer = await sought(host, seek(node, 0, wanted={"key": "1:1:-1"}))
    assert (answer.reply["found"], answer.reply["end"]) == (False, True)


async def test_a_view_that_does_not_scroll_is_not_searched(stage: Stage, host: Host) -> None:
    _, node = list_of(stage, count="2")
    answer = await host.do("seek", seek(node, 1), act=True)
    assert answer.failure == ("not_actionable", "no")


async def test_a_list_that_changed_is_not_scrolled(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    for changes, code in (({"expect": {"text": "x"}}, "changed"), ({"key": "9:9:-1"}, "gone")):
        answer = await host.do("seek", seek(node, 1, **changes), act=True)
        assert answer.failure == (code, "no")
    assert rows.offset == 0


async def test_a_cancelled_search_has_partly_happened(stage: Stage, host: Host) -> None:
    rows, node = list_of(stage)
    number = await host.call("seek", seek(node, 999), budget_ms=60_000, act=True)
    await host.settle()
    assert rows.offset > 0
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "partly")


@pytest.mark.parametrize(
    "changes",
    [
        {"wanted": None},
        {"wanted": {"more": "x"}},
        {"wanted": {"text": 1}},
        {"beside": {"key": "1:1:-1"}},
        {"row": 1},
        {"column": 1},
        {"row": -1, "column": 0},
        {"row": 2**31, "column": 0},
        {"row": 1.5, "column": 0},
        {"forward": 1},
        {"pages": 51},
        {"pages": -1},
        {"more": 1},
    ],
)
async def test_malformed_searches_are_refused(
    stage: Stage, host: Host, changes: dict[str, Any]
) -> None:
    _, node = list_of(stage)
    answer = await host.do("seek", seek(node, 1, **changes), act=True)
    assert answer.failure == ("bad_call", "no")
