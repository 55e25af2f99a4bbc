"""The clipboard, waiting and details."""

import asyncio
import json
from typing import Any

import pytest

from handheld.driver.by_shell.unsupported import Unsupported
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.views.widgets.recycler import RecycledList
from harness.polling import HANG
from testbed import show_nodes, show_scene
from testbed.screens import ChangingText

from .conftest import TOKEN, Bench

BUSY = (
    "Android's UiAutomation is held by another program (uiautomator2). Only one program at a time"
    " can have it. Stop that program (uiautomator2, Appium and test runs are the usual ones) and"
    " try again; if it is another Handheld, run `handheld phones release` there."
)
NO_WINDOWS = "All windows returned null root nodes."


# Clipboard


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("Hello from MCP", 14),
        ("", 0),
        ("two\nlines\tand a tab", 19),
        ("👩‍👩‍👧‍👦 ÷ עברית", 19),
        ("x" * 250_000, 250_000),
    ],
)
@pytest.mark.needs(Unsupported.CLIPBOARD)
async def test_clipboard_text_is_read_back(bench: Bench, text: str, length: int) -> None:
    """Lengths are UTF-16 units."""
    assert await bench.call("set_clipboard", text=text) == (
        f"Clipboard set successfully ({length} characters)"
    )
    assert bench.world.clipboard.paste() == text
    reply = await bench.call("get_clipboard")
    assert reply == json.dumps({"text": text}, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.needs(Unsupported.CLIPBOARD)
async def test_an_empty_clipboard_is_null(bench: Bench) -> None:
    assert await bench.call("get_clipboard") == '{"text":null}'


@pytest.mark.by_helper("the clipboard is refused, locked or not")
async def test_a_locked_phone_hides_its_clipboard_and_takes_a_text(bench: Bench) -> None:
    """Android would answer that it is empty."""
    bench.world.clipboard.copy("secret")
    bench.world.locked = True
    failure = await bench.failure("get_clipboard")
    assert (type(failure), failure.message) == (
        PermissionDenied,
        "The phone is locked: unlock it and try again.",
    )
    assert await bench.call("set_clipboard", text="new") == (
        "Clipboard set successfully (3 characters)"
    )
    bench.world.locked = False
    assert await bench.call("get_clipboard") == '{"text":"new"}'


@pytest.mark.needs(Unsupported.CLIPBOARD)
async def test_a_refused_clipboard_reports_the_reason(bench: Bench) -> None:
    bench.world.clipboard.refusal = "Disallowed by the device's owner."
    failure = await bench.failure("get_clipboard")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Clipboard access failed: Disallowed by the device's owner.",
    )
    failure = await bench.failure("set_clipboard", text="x")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Clipboard set failed: Disallowed by the device's owner. Nothing was done.",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"text": "😀" * 125_001},
            "Parameter 'text' must have at most 250000 characters, got: 250002. Put longer texts"
            " into a file with write_file.",
        ),
    ],
)
async def test_what_is_no_text_for_a_clipboard_is_refused(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    bench.world.clipboard.copy("before")
    failure = await bench.failure("set_clipboard", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.world.clipboard.paste() == "before"


# wait_for_element


async def wait(bench: Bench, **arguments: Any) -> dict[str, Any]:
    return json.loads(await bench.passing(bench.call("wait_for_element", **arguments)))


async def test_an_element_that_is_there_is_found_at_once(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    reply = await bench.call("wait_for_element", by="text", value="÷", timeout="5000")
    name = await bench.id_of("÷")
    assert reply == (
        '{"found":true,"elapsedMs":0,"attempts":1,"element":{"id":"' + name + '","text":"÷",'
        '"contentDescription":"divide","resourceId":"com.android.calculator2:id/op_div",'
        '"className":"android.widget.Button",'
        '"bounds":{"left":807,"top":957,"right":1036,"bottom":1191},'
        '"clickable":true,"enabled":true}}'
    )
    await bench.call("click_element", element_id=name)


@pytest.mark.by_helper("changes are seen by looking, and a dump waits until the screen rests")
async def test_an_element_is_found_when_the_phone_reports_it(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    bench.world.timers.after(730, lambda: setattr(scene.counter, "text", "Done"))
    found = await wait(bench, by="text", value="done", timeout=5000)
    # Read at 0 and at 500, and then as soon as the change was reported.
    assert (found["found"], found["elapsedMs"], found["attempts"]) == (True, 730, 3)
    assert found["element"]["resourceId"] == "dev.handheld.testbed:id/counter"
    name = found["element"]["id"]
    assert (await bench.call("get_element_details", ids=[name])).endswith(f"{name}\tDone\t-")


async def test_a_screen_at_rest_is_read_every_half_second(bench: Bench) -> None:
    """`attempts` counts reads, and a timeout is no error."""
    bench.world.show("com.android.calculator2")
    reply = await bench.passing(
        bench.call("wait_for_element", by="text", value="zzz", timeout=5000)
    )
    assert reply == '{"found":false,"elapsedMs":5000,"attempts":10}'


@pytest.mark.by_helper("changes are seen by looking, and a dump waits until the screen rests")
async def test_a_restless_screen_is_read_as_often_as_it_reports(bench: Bench) -> None:
    """Android reports at most every 100 ms."""
    show_scene(bench.world, "restless")
    found = await wait(bench, by="text", value="zzz", timeout=1000)
    assert found == {"found": False, "elapsedMs": 1000, "attempts": 11}


@pytest.mark.by_helper(
    "a dump waits 5 s for an app that does not answer, the helper 2 s: see test_without_helper"
)
async def test_a_slow_phone_is_given_as_much_time_between_reads(bench: Bench) -> None:
    """A frozen app holds up each read for two seconds."""
    bench.world.show("com.android.calculator2")
    bench.world.frozen_packages.add("com.android.calculator2")
    found = await wait(bench, by="text", value="÷", timeout=9000)
    assert found == {
        "found": False,
        "elapsedMs": 10000,
        "attempts": 3,
        "note": "window 4 com.android.calculator2 did not answer in time and is missing",
    }


@pytest.mark.by_helper("changes are seen by looking, and a dump waits until the screen rests")
async def test_what_changes_at_the_very_end_is_still_seen(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    bench.world.timers.after(990, lambda: setattr(scene.counter, "text", "Done"))
    found = await wait(bench, by="text", value="done", timeout=1000)
    assert (found["found"], found["elapsedMs"], found["attempts"]) == (True, 990, 3)


async def test_an_app_in_transition_is_waited_for(bench: Bench) -> None:
    """Null roots while a window comes up are looked at again."""
    bench.world.transition_ms = 700
    bench.world.show("com.android.calculator2")
    bench.world.rootless_packages.add("com.android.systemui")
    found = await wait(bench, by="text", value="÷", timeout=5000)
    assert (found["found"], found["elapsedMs"], found["attempts"]) == (True, 1000, 3)


async def test_a_screen_that_cannot_be_read_to_the_end_is_an_error(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    bench.world.rootless_packages |= {"com.android.calculator2", "com.android.systemui"}
    for tool, arguments in (
        ("wait_for_element", {"by": "text", "value": "÷"}),
        ("wait_for_idle", {}),
    ):
        failure = await bench.passing(bench.failure(tool, timeout=1200, **arguments))
        assert (type(failure), failure.message) == (ActionFailed, NO_WINDOWS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "text", "value": "", "timeout": 1}, "Parameter 'value' must be non-empty"),
        (
            {"by": "colour", "value": "x", "timeout": 1},
            "Invalid 'by' value: 'colour'. Must be one of: text, content_desc, resource_id,"
            " class_name",
        ),
        (
            {"by": "text", "value": "x", "timeout": 0},
            "Timeout must be between 1 and 30000 ms, got: 0",
        ),
        (
            {"by": "text", "value": "x", "timeout": 30001},
            "Timeout must be between 1 and 30000 ms, got: 30001",
        ),
    ],
)
async def test_a_wait_that_cannot_be_made_is_refused(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("wait_for_element", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("wait_for_element", {"by": "text", "value": "x", "timeout": 1000}),
        ("wait_for_idle", {"timeout": 1000}),
        ("get_element_details", {"ids": ["node_1_w1"]}),
    ],
)
@pytest.mark.by_helper("uiautomator does not say who holds it: see test_without_helper")
async def test_held_automation_ends_a_wait_at_once(
    bench: Bench, tool: str, arguments: dict[str, Any]
) -> None:
    bench.world.automation.holder = "uiautomator2"
    failure = await bench.failure(tool, **arguments)
    assert (type(failure), failure.message) == (PermissionDenied, BUSY)


# wait_for_idle


async def idle(bench: Bench, **arguments: Any) -> str:
    return await bench.passing(bench.call("wait_for_idle", **arguments))


async def test_a_screen_at_rest_is_idle_after_two_looks(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    assert await idle(bench, timeout=3000) == (
        '{"message":"UI is idle","elapsedMs":500,"similarity":100}'
    )


@pytest.mark.by_helper("changes are seen by looking, and a dump waits until the screen rests")
async def test_a_change_between_two_snapshots_restarts_the_wait(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    for when in (200, 700, 1100):
        bench.world.timers.after(when, scene.more)
    assert await idle(bench, timeout=5000) == (
        '{"message":"UI is idle","elapsedMs":2000,"similarity":100}'
    )


@pytest.mark.by_helper("changes are seen by looking, and a dump waits until the screen rests")
async def test_a_restless_screen_is_never_idle(bench: Bench) -> None:
    """Not an error, with the last similarity."""
    show_scene(bench.world, "restless")
    reply = json.loads(await idle(bench, timeout=3000))
    likeness = reply["similarity"]
    assert reply == {
        "message": "Operation timed out after 3000ms waiting for UI idle. Retry if the operation is"
        " long-running.",
        "elapsedMs": 3000,
        "similarity": likeness,
    }
    assert 80 <= likeness < 100
    # A lower threshold tolerates it.
    reply = json.loads(await idle(bench, timeout=3000, match_percentage=likeness - 5))
    assert (reply["message"], reply["elapsedMs"]) == ("UI is idle", 500)
    assert json.loads(await idle(bench, timeout=600, match_percentage=0))["elapsedMs"] == 500


NOT_COMPARED = (
    "The similarity is 0 because no two screens could be compared: they are read 500 ms apart, and"
    " all their windows must answer."
)


async def test_a_timeout_too_short_for_two_looks_ends_with_similarity_0_and_the_reason(
    bench: Bench,
) -> None:
    """Never nearer than 500 ms."""
    bench.world.show("com.android.calculator2")
    reply, why = await bench.passing(bench.items("wait_for_idle", timeout=499))
    assert reply == (
        '{"message":"Operation timed out after 499ms waiting for UI idle. Retry if the operation is'
        ' long-running.","elapsedMs":499,"similarity":0}'
    )
    assert why == NOT_COMPARED


@pytest.mark.by_helper(
    "a dump waits 5 s for an app that does not answer, the helper 2 s: see test_without_helper"
)
async def test_an_app_that_does_not_answer_is_not_idle(bench: Bench) -> None:
    """What is missing in both pictures is not the same in both."""
    show_scene(bench.world, "freezing", ms="4000")
    await bench.call("click_element", element_id=await bench.id_of("Freeze"))
    # Three reads of two seconds, half a second apart; the second ends after the thaw at 4 s.
    reply = json.loads(await idle(bench, timeout=20000))
    assert reply == {"message": "UI is idle", "elapsedMs": 5000, "similarity": 100}


@pytest.mark.by_helper(
    "a dump waits 5 s for an app that does not answer, the helper 2 s: see test_without_helper"
)
async def test_a_frozen_app_times_out(bench: Bench) -> None:
    show_scene(bench.world, "freezing", ms="60000")
    await bench.call("click_element", element_id=await bench.id_of("Freeze"))
    reply, why = await bench.passing(bench.items("wait_for_idle", timeout=3000))
    assert isinstance(reply, str)
    assert why == NOT_COMPARED
    assert json.loads(reply) == {
        "message": "Operation timed out after 4500ms waiting for UI idle. Retry if the operation is"
        " long-running.",
        "elapsedMs": 4500,
        "similarity": 0,
        "note": "window 4 dev.handheld.testbed did not answer in time and is missing",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"timeout": 0}, "Timeout must be between 1 and 30000 ms, got: 0"),
        ({"timeout": 30001}, "Timeout must be between 1 and 30000 ms, got: 30001"),
        (
            {"timeout": 1, "match_percentage": 101},
            "match_percentage must be between 0 and 100, got: 101",
        ),
        (
            {"timeout": 1, "match_percentage": -1},
            "match_percentage must be between 0 and 100, got: -1",
        ),
    ],
)
async def test_an_idle_wait_that_cannot_be_made_is_refused(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("wait_for_idle", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("wait_for_element", {"by": "text", "value": "zzz", "timeout": 30000}),
        ("wait_for_idle", {"timeout": 30000}),
    ],
)
@pytest.mark.by_helper(
    "the clock's sleepers are counted, and commands sleep too: see test_without_helper"
)
async def test_a_wait_ends_when_the_client_goes_away(
    bench: Bench, tool: str, arguments: dict[str, Any]
) -> None:
    show_scene(bench.world, "restless", every="60000")
    await bench.rows()
    clock = bench.device.clock
    assert isinstance(clock, ManualClock)
    before = clock.sleepers
    params = {"name": f"android_{tool}", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    url = bench.http.base_url
    assert url.port is not None
    async with asyncio.timeout(HANG):
        _, writer = await asyncio.open_connection("127.0.0.1", url.port)
        writer.write(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{url.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        await bench.until(lambda: clock.sleepers > before)
        writer.close()
        await writer.wait_closed()
        await bench.until(lambda: clock.sleepers == before)
    # Nothing reads the screen any more, however long it takes.
    assert clock.due is not None
    assert clock.due - clock.now() > 5000


# get_element_details


async def details(bench: Bench, *ids: str) -> list[list[str]]:
    lines = (await bench.call("get_element_details", ids=list(ids))).split("\n")
    assert lines[0] == "id\ttext\tdesc"
    return [line.split("\t") for line in lines[1:]]


async def test_an_id_that_cannot_be_one_is_not_repeated_whole(bench: Bench) -> None:
    [[name, *found]] = await details(bench, "\u202e" * 100_000)
    assert (name[:16], name[-12:], found) == ("⟨U+202E⟩" * 2, "...truncated", ["not_found"] * 2)
    assert len(name) < 200


@pytest.mark.by_helper(
    "Android's dump breaks off at the scene's control characters: see test_without_helper"
)
async def test_details_are_whole_and_on_one_line(bench: Bench) -> None:
    """Not cut, but nothing that breaks a row."""
    show_scene(bench.world, "hostile")
    ids = {row[4].rpartition("/")[2]: row[0] for row in await bench.rows()}
    names = [ids[f"text_{number}"] for number in (6, 0, 4, 9)]
    family = "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301\u0302\u0303 ⟨U+202E⟩right to left⟨U+202C⟩"
    assert await details(bench, *names) == [
        [names[0], "x" * 50_000, "x" * 100],
        [names[1], *["tab new⏎line⏎return null [31mred"] * 2],
        [names[2], family, family],
        [names[3], "-", "-"],
    ]


async def test_rows_keep_the_order_and_repetitions_of_the_request(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    plus, seven = await bench.id_of("+"), await bench.id_of("7")
    short = seven.removeprefix("node_").partition("_w")[0]
    assert await details(bench, seven, plus, "node_abc_w42", seven, short, "Submit", "\n") == [
        [seven, "7", "-"],
        [plus, "+", "plus"],
        ["node_abc_w42", "not_found", "not_found"],
        [seven, "7", "-"],
        [short, "7", "-"],
        ["Submit", "not_found", "not_found"],
        ["⏎", "not_found", "not_found"],
    ]


@pytest.mark.by_helper("a dump has no keys, and a view with another text may be another")
async def test_details_contain_the_live_text(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    counter = await bench.id_of("0")
    scene.more()
    assert await details(bench, counter) == [[counter, "1", "-"]]
    # What was told is what the id stands for now: it is there as told, only not clickable.
    failure = await bench.failure("click_element", element_id=counter)
    assert failure.message.startswith(f"Node '{counter}' is not clickable.")


async def test_details_of_a_field_contain_what_was_typed(bench: Bench) -> None:
    scene = show_scene(bench.world, "mixed")
    assert scene.window is not None
    name = next(row[0] for row in await bench.rows() if row[4].endswith(":id/field"))
    [field] = [view for view in scene.window.root.walk() if isinstance(view, Field)]
    field.content = "typed\nhere"
    assert await details(bench, name) == [[name, "typed here", "-"]]


async def test_details_of_a_row_are_never_those_of_another(bench: Bench) -> None:
    """A recycled view says what another row says."""
    scene = show_scene(bench.world, "long_list")
    assert scene.window is not None
    rows = {row[2]: row[0] for row in await bench.rows() if row[2].startswith("Row ")}
    [shown] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
    shown.scroll_by(shown.viewport)
    replies = await details(bench, *rows.values())
    for (text, name), reply in zip(rows.items(), replies, strict=True):
        assert reply in ([name, text, "-"], [name, "not_found", "not_found"])
    assert [rows["Row 1"], "not_found", "not_found"] in replies


@pytest.mark.matrix
async def test_a_thousand_details_of_a_large_screen_take_one_read(bench: Bench) -> None:
    show_nodes(bench.world, 2000)
    names = [row[0] for row in await bench.rows()][:1000]
    assert [row[0] for row in await details(bench, *names)] == names
    failure = await bench.failure("get_element_details", ids=[*names, names[0]])
    assert (type(failure), failure.message) == (
        InvalidParams,
        "Parameter 'ids' must have at most 1000 ids, got: 1001. Ask in parts.",
    )


async def test_a_reply_has_a_largest_size(bench: Bench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    scene.counter.text = "novel " * 5000
    name = next(row[0] for row in await bench.rows() if row[4].endswith(":id/counter"))
    failure = await bench.failure("get_element_details", ids=[name] * 600)
    assert (type(failure), failure.message) == (
        InvalidParams,
        "The texts of these ids are over 16000000 characters together. Ask in parts.",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ids": []}, "Parameter 'ids' must not be empty"),
        (
            {"ids": ["node_1", None]},
            "Parameter 'ids' must be an array, each item of which must be a string, got: 'null'",
        ),
        (
            {"ids": [["node_1"]]},
            "Parameter 'ids' must be an array, each item of which must be a string, got an array",
        ),
    ],
)
async def test_ids_that_are_none_are_refused(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("get_element_details", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
