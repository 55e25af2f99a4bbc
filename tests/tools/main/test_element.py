"""Finding elements, clicking them, scrolling to them."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column, Frame, Row, Scroll
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Switch, Text
from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene
from testbed.screens import ChangingText, Gestures, LongList

from .conftest import Bench

AGAIN = "Call get_screen_state again and use an id from its reply."


async def found(bench: Bench, **arguments: Any) -> list[dict[str, Any]]:
    return json.loads(await bench.call("find_elements", **arguments))["elements"]


async def test_an_element_is_described_by_all_its_keys_in_their_order(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    reply = await bench.call("find_elements", by="text", value="÷", exact_match=True)
    name = await bench.id_of("÷")
    assert reply == (
        '{"elements":[{"id":"' + name + '","text":"÷","contentDescription":"divide",'
        '"resourceId":"com.android.calculator2:id/op_div",'
        '"className":"android.widget.Button",'
        '"bounds":{"left":807,"top":957,"right":1036,"bottom":1191},'
        '"clickable":true,"longClickable":false,"scrollable":false,"editable":false,'
        '"enabled":true}]}'
    )


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({"by": "resource_id", "value": "DIGIT_7"}, ["7"]),
        ({"by": "RESOURCE_ID", "value": "digit_7", "exact_match": "true"}, []),
        ({"by": "content_desc", "value": "paren"}, ["(", ")"]),
        ({"by": "text", "value": 7}, ["7"]),
        ({"by": "class_name", "value": "editText"}, []),
        ({"by": "text", "value": "calc", "exact_match": None}, ["Calculator"]),
    ],
)
async def test_elements_are_found_by_each_criterion(
    bench: Bench, arguments: dict[str, Any], texts: list[str]
) -> None:
    bench.world.show("com.android.calculator2")
    assert [each["text"] for each in await found(bench, **arguments)] == texts


async def test_nothing_found_is_an_empty_list(bench: Bench) -> None:
    assert await bench.call("find_elements", by="text", value="zzz") == '{"elements":[]}'


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_offscreen_and_structural_nodes_are_found_too(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    assert [each["text"] for each in await found(bench, by="text", value="far below")] == [
        "Far below"
    ]
    frames = await found(bench, by="class_name", value="android.widget.FrameLayout")
    listed = {row[0] for row in await bench.rows()}
    assert [each for each in frames if each["id"] not in listed]


@pytest.mark.by_helper(
    "Android's dump breaks off at the scene's control characters: see test_without_helper"
)
async def test_json_keeps_line_ends_and_no_other_control_character(bench: Bench) -> None:
    show_scene(bench.world, "hostile")
    [element] = await found(bench, by="text", value="lone")
    assert element["text"] == "lone \ufffd surrogate \ufffd"
    # As on a screenshot, in a table, in JSON, and as the app has it.
    for value in ("tab new line", "tab new⏎line", "tab new\nline", "tab\tnew\nline"):
        [element] = await found(bench, by="text", value=value)
        assert element["text"].startswith("tab new\nline\nreturn null ")


async def test_found_elements_have_their_states_after_the_documented_keys(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    [box] = await found(bench, by="text", value="Box")
    assert list(box.items())[-2:] == [("enabled", True), ("checked", False)]
    [button] = await found(bench, by="text", value="Button")
    assert list(button)[-1] == "enabled"


@pytest.mark.by_helper("a dump of Android 14 does not tell a hint: see test_without_helper")
async def test_a_hint_is_found_as_description_of_its_field(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    assert await found(bench, by="text", value="Hint") == []
    [field] = await found(bench, by="content_desc", value="Hint", exact_match=True)
    assert (field["text"], field["contentDescription"], field["showingHint"]) == (
        None,
        "Hint",
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "text", "value": ""}, "Parameter 'value' must be non-empty"),
        (
            {"by": "colour", "value": "x"},
            "Invalid 'by' value: 'colour'. Must be one of: text, content_desc, resource_id,"
            " class_name",
        ),
    ],
)
async def test_a_search_that_cannot_be_made_is_refused(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("find_elements", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)


async def test_a_found_element_can_be_clicked(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    names: list[str] = []
    for key in ("digit_7", "op_add", "digit_5", "eq"):
        [element] = await found(bench, by="resource_id", value=f":id/{key}")
        names.append(element["id"])
        assert await bench.call("click_element", element_id=element["id"]) == (
            f"Click performed on element '{element['id']}'"
        )
    assert bench.acts() == [bench.act] * 4
    texts = [row[2] for row in await bench.rows() if row[4].endswith((":id/formula", ":id/result"))]
    assert "12" in texts


async def test_a_short_id_is_accepted_and_echoed(bench: Bench) -> None:
    show_scene(bench.world, "changing_text")
    short = (await bench.id_of("More")).removeprefix("node_").partition("_w")[0]
    assert await bench.call("click_element", element_id=short) == (
        f"Click performed on element '{short}'"
    )
    assert [row[2] for row in await bench.rows() if row[4].endswith("counter")] == ["1"]


async def test_a_changed_element_is_not_clicked(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    name = await bench.id_of("0")
    scene.more()
    failure = await bench.failure("click_element", element_id=name)
    assert (type(failure), failure.message) == (
        ElementNotFound,
        f"Element '{name}' not found: it has changed since it was listed. {AGAIN}",
    )
    assert bench.events() == []


async def test_an_element_of_another_screen_is_gone(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    name = await bench.id_of("÷")
    bench.world.show("com.android.settings")
    failure = await bench.failure("click_element", element_id=name)
    assert (type(failure), failure.message) == (
        ElementNotFound,
        f"Element '{name}' not found: it is gone from the screen. {AGAIN}",
    )
    assert bench.events() == []


@pytest.mark.by_helper("the shell's dump fails as a whole: see test_without_helper")
async def test_what_a_silent_app_shows_is_not_called_gone(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    name = await bench.id_of("÷")
    number = name.rpartition("_w")[2]
    bench.world.frozen_packages.add("com.android.calculator2")
    note = f"window {number} com.android.calculator2 did not answer in time and is missing"
    later = (
        f"{note}, so it may be there. Wait and call get_screen_state again, or leave the"
        " app with press_home."
    )
    for tool, wanted in (
        ("scroll_to_element", name),
        ("click_element", f"node_1_w{number}"),
    ):
        failure = await bench.passing(bench.failure(tool, element_id=wanted))
        assert (type(failure), failure.message) == (
            ElementNotFound,
            f"Element '{wanted}' not found: {later}",
        )
    searched = await bench.passing(bench.call("find_elements", by="text", value="÷"))
    assert json.loads(searched) == {"elements": [], "note": note}
    details = await bench.passing(bench.items("get_element_details", ids=[name]))
    assert details == [f"id\ttext\tdesc\n{name}\tnot_found\tnot_found", f"note:{note}"]
    [waited, _] = await bench.passing(bench.items("wait_for_idle", timeout=1000))
    assert isinstance(waited, str)
    idle = json.loads(waited)
    assert (idle["similarity"], idle["note"]) == (0, note)
    assert bench.events() == []


async def test_a_recycled_row_is_never_clicked_for_another(bench: Bench) -> None:
    """Rows keep their views while the list scrolls under them."""
    scene = show_scene(bench.world, "long_list")
    assert isinstance(scene, LongList)
    rows = await bench.rows()
    buttons = {rows[number - 1][2]: row[0] for number, row in enumerate(rows) if row[2] == "Open"}
    [(where, _)] = [(row[0], row) for row in rows if row[4].endswith(":id/list")]
    await bench.passing(bench.phone.elements.act(where, "scroll_forward"))
    seen = {row[2] for row in await bench.rows()}
    for title, name in buttons.items():
        before = list(scene.clicked)
        if title in seen:
            await bench.call("click_element", element_id=name)
            assert scene.clicked == [*before, int(title.removeprefix("Row "))]
        else:
            failure = await bench.failure("click_element", element_id=name)
            assert type(failure) is ElementNotFound
            assert scene.clicked == before
    assert any(title in seen for title in buttons)
    assert any(title not in seen for title in buttons)


async def test_what_cannot_be_clicked_is_not(bench: Bench) -> None:
    show_scene(bench.world, "changing_text")
    name = await bench.id_of("0")
    failure = await bench.failure("click_element", element_id=name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Node '{name}' is not clickable. Click an element with the flag clk, or tap it.",
    )


async def test_a_click_on_a_text_clicks_the_row_around_it_and_says_so(bench: Bench) -> None:
    """In a list the row takes the click, and often has nothing that tells it from the others."""
    bench.world.launch("com.android.settings")
    text = await bench.id_of("Battery")
    bench.events()
    done, further = await bench.items("click_element", element_id=text)
    assert done == f"Click performed on element '{text}'"
    assert bench.world.front.title == "Battery"
    assert bench.acts() == [bench.act]
    row = re.search("'(node_[^']+)'", str(further))
    assert row is not None
    assert further == (
        "It is not clickable itself: the click went to the element around it,"
        f" '{row[1]}' (android.widget.LinearLayout)."
    )
    await bench.call("press_back")
    assert await bench.call("click_element", element_id=row[1]) == (
        f"Click performed on element '{row[1]}'"
    )
    assert bench.world.front.title == "Battery"


class Rows(Activity):
    """Rows that take clicks, with buttons of their own, and what a finger on a text meets there."""

    def content(self) -> View:
        self.log: list[str] = []

        def note(what: str) -> Callable[[], None]:
            return lambda: self.log.append(what)

        def long(what: str) -> Callable[[], bool]:
            return lambda: bool(self.log.append(what)) or True

        return Column(
            Row(
                Text("Wi-Fi", weight=1),
                Button("Forget", note("forget")),
                Switch(),
                on_click=note("row"),
                on_long_click=long("long row"),
                id="row",
            ),
            Row(Column(Text("Scrolls"), id="inner"), on_click=note("outer"), id="outer"),
            Row(Text("Held", on_long_click=long("held")), on_click=note("around"), id="around"),
            Row(
                Row(Text("Twice"), on_click=note("near"), id="near"),
                on_click=note("far"),
                on_long_click=long("long far"),
                id="far",
            ),
            Frame(
                Text("Covered", width=MATCH),
                Button("Over", note("over"), width=MATCH),
                on_click=note("under"),
                id="under",
            ),
        )


class RowsApp(App):
    package, label = "org.example.rows", "Rows"
    screens = (Rows,)


def show_rows(bench: Bench) -> Rows:
    bench.world.install(RowsApp)
    bench.world.show("org.example.rows")
    shown = bench.world.front
    assert isinstance(shown, Rows)
    return shown


@pytest.mark.parametrize(
    ("tool", "text", "log", "row"),
    [
        ("click_element", "Wi-Fi", ["row"], "row"),
        ("long_click_element", "Wi-Fi", ["long row"], "row"),
        ("click_element", "Scrolls", ["outer"], "outer"),
        ("click_element", "Twice", ["near"], "near"),
    ],
)
async def test_the_row_takes_the_click_also_when_it_holds_a_switch_and_buttons(
    bench: Bench, tool: str, text: str, log: list[str], row: str
) -> None:
    shown = show_rows(bench)
    name = await bench.id_of(text)
    done, further = await bench.items(tool, element_id=name)
    assert done == f"{tool.split('_e')[0].replace('_', '-').capitalize()} performed on element" + (
        f" '{name}'"
    )
    assert f"(android.widget.LinearLayout, org.example.rows:id/{row})." in str(further)
    assert shown.log == log


@pytest.mark.parametrize(
    ("tool", "text", "around"),
    [
        # The text itself keeps the finger.
        ("click_element", "Held", "around"),
        # So does the row in the row: it takes clicks, and nothing happens when it is held.
        ("long_click_element", "Twice", "far"),
        ("click_element", "Covered", "under"),
    ],
)
async def test_an_ancestor_that_would_not_get_the_finger_is_not_clicked_but_named(
    bench: Bench, tool: str, text: str, around: str
) -> None:
    shown = show_rows(bench)
    name = await bench.id_of(text)
    failure = await bench.failure(tool, element_id=name)
    outer = next(row[0] for row in await bench.rows() if row[4].endswith(f":id/{around}"))
    verb = tool.removesuffix("_element").replace("_", "-")
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Node '{name}' is not {verb}able. The element around it is: {verb} '{outer}'.",
    )
    assert shown.log == []


async def test_a_row_that_shows_another_text_meanwhile_is_not_clicked(bench: Bench) -> None:
    """The id stands for the text: the row is clicked for it, not for what else is there."""
    shown = show_rows(bench)
    name = await bench.id_of("Scrolls")
    assert shown.window is not None
    text = next(view for view in shown.window.root.walk() if getattr(view, "text", "") == "Scrolls")
    assert isinstance(text, Text)
    text.text = "Delete everything"
    assert type(await bench.failure("click_element", element_id=name)) is ElementNotFound
    assert shown.log == []


async def test_a_disabled_row_does_not_take_the_click_of_its_text(bench: Bench) -> None:
    shown = show_rows(bench)
    assert shown.window is not None
    next(view for view in shown.window.root.walk() if view.id == "outer").enabled = False
    name = await bench.id_of("Scrolls")
    failure = await bench.failure("click_element", element_id=name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Action failed on element '{name}': The view did not accept click. Nothing was done.",
    )
    assert shown.log == []


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"element_id": ""}, InvalidParams, "Parameter 'element_id' must be non-empty"),
        (
            {"element_id": "node_abc_w42"},
            ElementNotFound,
            f"Element 'node_abc_w42' not found in accessibility tree. {AGAIN}",
        ),
        (
            {"element_id": "Submit"},
            ElementNotFound,
            f"Element 'Submit' not found: ids look like node_1a2b3c_w42. {AGAIN}",
        ),
    ],
)
async def test_an_id_that_means_nothing_does_nothing(
    bench: Bench, arguments: dict[str, Any], kind: type, message: str
) -> None:
    failure = await bench.failure("click_element", **arguments)
    assert (type(failure), failure.message) == (kind, message)
    assert bench.events() == []


async def test_a_conflict_over_uiautomation_is_reported(bench: Bench) -> None:
    bench.world.automation.holder = "uiautomator2"
    for name, arguments in (
        ("find_elements", {"by": "text", "value": "x"}),
        ("click_element", {"element_id": "node_1_w1"}),
    ):
        assert type(await bench.failure(name, **arguments)) is PermissionDenied


@pytest.mark.by_helper(
    "Android's dump breaks off at the scene's control characters: see test_without_helper"
)
async def test_text_longer_than_a_row_shows_is_compared_whole(bench: Bench) -> None:
    """The row is cut at 100, what is compared is not."""
    show_scene(bench.world, "hostile")
    [element] = await found(bench, by="text", value="xxxxxxxx")
    failure = await bench.failure("click_element", element_id=element["id"])
    assert failure.message.startswith(f"Node '{element['id']}' is not clickable.")


# long_click_element


async def test_a_long_click_is_performed_on_the_element(bench: Bench) -> None:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    name = await bench.id_of("Press")
    assert await bench.call("long_click_element", element_id=name) == (
        f"Long-click performed on element '{name}'"
    )
    assert scene.log == [("long_click",)]
    assert bench.acts() == [bench.act]


async def test_what_cannot_be_long_clicked_is_not(bench: Bench) -> None:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    name = await bench.id_of("Twice")
    failure = await bench.failure("long_click_element", element_id=name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Node '{name}' is not long-clickable. Long-click an element with the flag lclk, or use"
        " long_press.",
    )
    assert scene.log == []


@pytest.mark.parametrize(
    ("tool", "action"), [("click_element", "click"), ("long_click_element", "long_click")]
)
async def test_an_element_that_does_not_take_it_is_an_error(
    bench: Bench, tool: str, action: str
) -> None:
    outcome = "Nothing was done."
    if bench.by == "helper" and action == "long_click":
        # A view may answer so after its listener has run.
        outcome = "The action may or may not have happened; look at the screen before going on."
    scene = show_scene(bench.world, "gestures")
    assert scene.window is not None
    button = next(view for view in scene.window.root.walk() if view.id == "press")
    button.enabled = False
    name = await bench.id_of("Press")
    failure = await bench.failure(tool, element_id=name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Action failed on element '{name}': The view did not accept {action}. {outcome}",
    )


# scroll_to_element


def rows_shown(bench: Bench) -> list[int]:
    """The numbers of the long list's rows in the tree."""
    return [
        int(node.text.removeprefix("Row "))
        for window in bench.world.automation.read_windows()
        for node in window.nodes
        if node.text and node.text.startswith("Row ")
    ]


def performed(bench: Bench) -> list[object]:
    """Also as a finger scrolls: against the way that the content goes."""
    events = bench.events()
    ends = [event for event in events if event[:2] in (("touch", "down"), ("touch", "up"))]
    swipes = zip(ends[::2], ends[1::2], strict=True)
    return [event[2] for event in events if event[0] == "perform"] + [
        "scroll_forward" if float(str(up[4])) < float(str(down[4])) else "scroll_backward"
        for down, up in swipes
    ]


async def scroll_to(bench: Bench, name: str) -> str:
    return await bench.passing(bench.call("scroll_to_element", element_id=name))


async def test_an_element_on_the_screen_is_not_scrolled_to(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    name = await bench.id_of("Title")
    assert await scroll_to(bench, name) == f"Element '{name}' is already visible"
    assert bench.events() == []


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_an_element_below_is_scrolled_to(bench: Bench) -> None:
    show_scene(bench.world, "mixed")
    name = await bench.id_of("Far below")
    assert await scroll_to(bench, name) == f"Scrolled to element '{name}' (2 scroll(s))"
    assert performed(bench) == ["scroll_forward"] * 2
    assert "on" in next(row[6] for row in await bench.rows() if row[2] == "Far below").split(",")
    assert await scroll_to(bench, name) == f"Element '{name}' is already visible"


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_an_element_above_is_scrolled_back_to(bench: Bench) -> None:
    """Direction from the bounds."""
    show_scene(bench.world, "mixed")
    title, far = await bench.id_of("Title"), await bench.id_of("Far below")
    await scroll_to(bench, far)
    bench.events()
    assert await scroll_to(bench, title) == f"Scrolled to element '{title}' (2 scroll(s))"
    assert performed(bench) == ["scroll_backward"] * 2


SILENT = {"jumps": "no", "numbered": "no"}
"""A list that neither jumps nor reports the positions of its rows; in a dump every list is one."""


async def listed_row(bench: Bench, number: int, **extras: str) -> tuple[RecycledList, str]:
    """A list, and the id of a row's button, which looks the same in every row."""
    scene = show_scene(bench.world, "long_list", **extras)
    assert scene.window is not None
    [view] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
    rows = await bench.rows()
    at = next(place for place, row in enumerate(rows) if row[2] == f"Row {number}")
    return view, rows[at + 1][0]


async def call_until_done(bench: Bench, name: str, calls: int) -> tuple[int, str]:
    """Call the tool until it no longer asks for another call; the number of calls, and what the
    last one said."""
    for number in range(1, calls + 1):
        try:
            return number, await bench.passing(bench.call("scroll_to_element", element_id=name))
        except AssertionError:
            failure = bench.counter.failed
            assert failure is not None
            if not isinstance(failure, ActionFailed):
                return number, failure.message
            assert failure.message == (
                f"Element '{name}' not visible after 5 scroll attempts. Call scroll_to_element "
                "again: it continues from here."
            )
    raise AssertionError(f"It has not ended in {calls} calls.")


@pytest.mark.by_helper("a finger cannot jump")
async def test_a_row_above_is_jumped_to(bench: Bench) -> None:
    view, opens = await listed_row(bench, 1)
    view.scroll_by(view.viewport * 20)
    assert await scroll_to(bench, opens) == f"Scrolled to element '{opens}' (1 scroll(s))"
    assert performed(bench) == ["scroll_to_position"]
    assert 1 in rows_shown(bench)


@pytest.mark.by_helper("a dump does not say which rows these are")
async def test_a_row_above_is_reached_in_a_list_that_numbers_its_rows(bench: Bench) -> None:
    view, opens = await listed_row(bench, 1, jumps="no")
    view.scroll_by(view.viewport * 20)
    assert await scroll_to(bench, opens) == f"Scrolled to element '{opens}' (20 scroll(s))"
    assert performed(bench) == ["scroll_backward"] * 20
    await bench.call("click_element", element_id=opens)
    assert 1 in rows_shown(bench)


async def test_a_row_above_is_on_the_side_where_it_was_seen(bench: Bench) -> None:
    """By rows that were listed together with it, and those listed with them."""
    view, opens = await listed_row(bench, 1, **SILENT)
    for _ in range(4):
        view.scroll_by(view.viewport // 2)
        await bench.rows()
    assert 1 not in rows_shown(bench)
    bench.events()
    await scroll_to(bench, opens)
    assert set(performed(bench)) == {"scroll_backward"}
    assert 1 in rows_shown(bench)


async def test_a_row_below_is_on_the_side_where_it_was_seen(bench: Bench) -> None:
    view, last = await listed_row(bench, 1, **SILENT)
    for _ in range(4):
        view.scroll_by(view.viewport // 2)
        last = (await bench.rows())[-1][0]
    view.scroll_by(-view.extent)
    bench.events()
    await scroll_to(bench, last)
    assert set(performed(bench)) == {"scroll_forward"}


async def test_without_a_hint_a_row_is_sought_forward_and_back_from_the_end(bench: Bench) -> None:
    view, opens = await listed_row(bench, 1, count="30", **SILENT)
    view.scroll_by(view.viewport + 200)
    assert 1 not in rows_shown(bench)
    calls, reply = await call_until_done(bench, opens, 2)
    assert reply.startswith(f"Scrolled to element '{opens}'")
    assert calls == {"helper": 1, "shell": 1}[bench.by]
    assert sorted(set(map(str, performed(bench)))) == ["scroll_backward", "scroll_forward"]
    assert 1 in rows_shown(bench)


@pytest.mark.slow
async def test_a_call_goes_on_where_the_last_one_stopped(bench: Bench) -> None:
    """In a list of 200 rows, from the middle: to its end, and from there to the top."""
    view, opens = await listed_row(
        bench, 1, count="200" if bench.by == "shell" else "2000", **SILENT
    )
    view.scroll_by(view.extent // 2)
    calls, reply = await call_until_done(bench, opens, 12)
    assert reply.startswith(f"Scrolled to element '{opens}'")
    assert calls > 1
    ways = [str(way) for way in performed(bench)]
    assert ways == sorted(ways, reverse=True), "forward to the end, then backward alone"
    assert 1 in rows_shown(bench)


@pytest.mark.slow
async def test_a_list_that_was_scrolled_meanwhile_is_searched_anew(bench: Bench) -> None:
    count = {"helper": "2000", "shell": "200"}[bench.by]
    view, opens = await listed_row(bench, 1, count=count, **SILENT)
    view.scroll_by(view.extent)
    view.scroll_by(-view.viewport)
    first = await bench.passing(bench.failure("scroll_to_element", element_id=opens))
    assert "not visible after 5 scroll attempts" in first.message
    view.scroll_by(view.viewport * 3 - view.offset)
    bench.events()
    await call_until_done(bench, opens, 12)
    assert performed(bench)[0] == "scroll_forward", "what lies below was not seen"


async def test_a_row_that_was_deleted_is_not_found_once_the_list_was_searched(
    bench: Bench,
) -> None:
    view, title = await listed_row(bench, 3, count="40")
    make = view.bind

    def without_three(row: View, position: int) -> None:
        make(row, position + (position >= 3))

    view.bind = without_three
    view.refresh(39)
    calls, reply = await call_until_done(bench, title, 5)
    assert reply == (
        f"Element '{title}' not found: not in this list, which was searched from the top to the"
        f" end. {AGAIN}"
    )
    assert calls == {"helper": 1, "shell": 2}[bench.by]
    assert type(bench.counter.failed) is ElementNotFound
    assert view.offset == 0, "back at the beginning"


@pytest.mark.by_helper("a thousand pages take too long by dumps")
@pytest.mark.matrix
async def test_a_list_without_an_end_is_not_searched_for_ever(bench: Bench) -> None:
    view, title = await listed_row(bench, 3, count="100000", **SILENT)
    view.scroll_by(view.extent // 2)
    calls, reply = await call_until_done(bench, title, 11)
    assert calls == 10
    assert reply == f"Element '{title}' not found: not in 1000 pages of this list. {AGAIN}"


@pytest.mark.slow
async def test_a_contact_above_is_arrived_at(bench: Bench) -> None:
    bench.world.show("com.android.contacts")
    rows = await bench.rows()
    first = next(row for row in rows if row[4].endswith(":id/cliv_name_textview"))
    for _ in range(3):
        await bench.passing(bench.items("scroll", direction="down", amount="large"))
    assert first[2] not in [row[2] for row in await bench.rows()]
    _, reply = await call_until_done(bench, first[0], 6)
    assert reply.startswith(f"Scrolled to element '{first[0]}'")
    assert first[2] in [row[2] for row in await bench.rows()]


async def test_another_row_with_the_same_view_is_not_what_was_listed(bench: Bench) -> None:
    """The id means the row that was listed, whatever its view shows now."""
    show_scene(bench.world, "long_list", count="26")
    rows = await bench.rows()
    title = next(row[0] for row in rows if row[2] == "Row 2")
    [listed] = [row[0] for row in rows if row[4].endswith(":id/list")]
    await bench.passing(bench.phone.elements.act(listed, "scroll_forward"))
    await scroll_to(bench, title)
    assert 2 in rows_shown(bench)


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_what_nothing_scrolls_cannot_be_scrolled_to(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    scene.counter.margin = (0, 5000, 0, 0)
    scene.counter.changed()
    name = await bench.id_of("0")
    failure = await bench.failure("scroll_to_element", element_id=name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"No scrollable container found for element '{name}'",
    )
    assert bench.events() == []


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_a_container_that_refuses_is_named(bench: Bench) -> None:
    class Refusing(Scroll):
        def scroll_page(self, forward: bool) -> bool:
            return False

    class Page(Activity):
        def content(self) -> View:
            below = Text("Far below", margin=(0, 5000, 0, 0))
            return Refusing(below, id="scroll", width=MATCH, height=MATCH)

    class RefusingApp(App):
        package, label = "org.example.refusing", "Refusing"
        screens = (Page,)

    bench.world.install(RefusingApp)
    bench.world.show("org.example.refusing")
    rows = await bench.rows()
    far = next(row[0] for row in rows if row[2] == "Far below")
    container = next(row[0] for row in rows if row[4].endswith(":id/scroll"))
    failure = await bench.failure("scroll_to_element", element_id=far)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Scroll failed on ancestor '{container}': it does not scroll to the element.",
    )


@pytest.mark.by_helper("what is out of sight is not in a dump")
async def test_a_changed_text_in_a_scrolling_page_is_not_scrolled_for(bench: Bench) -> None:
    scene = show_scene(bench.world, "mixed")
    assert scene.window is not None
    name = await bench.id_of("Far below")
    far = next(view for view in scene.window.root.walk() if view.id == "far")
    assert isinstance(far, Text)
    far.text = "Something else"
    failure = await bench.failure("scroll_to_element", element_id=name)
    assert (type(failure), failure.message) == (
        ElementNotFound,
        f"Element '{name}' not found: it has changed since it was listed. {AGAIN}",
    )
    assert bench.events() == []


@pytest.mark.parametrize("tool", ["long_click_element", "scroll_to_element"])
@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"element_id": ""}, InvalidParams, "Parameter 'element_id' must be non-empty"),
        (
            {"element_id": "node_abc_w42"},
            ElementNotFound,
            f"Element 'node_abc_w42' not found in accessibility tree. {AGAIN}",
        ),
    ],
)
async def test_an_id_that_means_nothing_is_neither_held_nor_sought(
    bench: Bench, tool: str, arguments: dict[str, Any], kind: type, message: str
) -> None:
    failure = await bench.failure(tool, **arguments)
    assert (type(failure), failure.message) == (kind, message)
    assert bench.events() == []


@pytest.mark.parametrize("tool", ["long_click_element", "scroll_to_element"])
async def test_held_automation_keeps_from_elements(bench: Bench, tool: str) -> None:
    bench.world.automation.holder = "uiautomator2"
    assert type(await bench.failure(tool, element_id="node_1_w1")) is PermissionDenied
