"""What tools say where the helper is refused and the shell does it another way."""

import asyncio
import json
import re
from typing import Any

import pytest

from handheld.driver.by_shell.screen import NOTE, RESTLESS
from handheld.driver.by_shell.unsupported import Unsupported, refusal
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from handheld.helper.client import NO_HELPER
from handheld.tools.tool import Image
from handheld_virtual.sh.process import Process
from harness.starting_apps import CALCULATOR, ElsewhereApp
from testbed import show_scene

from .conftest import Bench
from .test_leaving import CANCEL, HELLO, request
from .test_text import form, own_fields, refused, reply_text, until

pytestmark = pytest.mark.by_shell

TWO_FINGERS = [
    [{"x": 300, "y": 1500, "time": 0}, {"x": 300, "y": 1400, "time": 300}],
    [{"x": 700, "y": 1500, "time": 0}, {"x": 700, "y": 1600, "time": 300}],
]


def notes(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("note:")][4:]


async def test_a_screen_read_by_the_shell_has_a_note_and_once_the_reason(bench: Bench) -> None:
    first = notes(await bench.call("get_screen_state"))
    assert first[0] == f"note:{NOTE}"
    assert first[1] == f"note:Handheld's helper is not used on this phone. {NO_HELPER}"
    assert notes(await bench.call("get_screen_state")) == [f"note:{NOTE}"]


@pytest.mark.slow
async def test_an_app_that_opens_another_in_a_task_of_its_own_is_not_in_front(
    bench: Bench,
) -> None:
    bench.world.install(ElsewhereApp)
    failure = await bench.failure("open_app", package_id=ElsewhereApp.package)
    assert type(failure) is ActionFailed
    assert f"did not come to the front in time. {CALCULATOR} is there." in failure.message


async def test_a_secure_window_fails_the_screenshot_and_is_named(bench: Bench) -> None:
    bench.world.launch("com.android.settings")
    bench.world.secure_packages.add("com.android.settings")
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert type(failure) is ActionFailed
    assert failure.message == (
        "Screenshot capture failed: the secure window"
        " 'com.android.settings/com.android.settings.Settings' may not be captured and would be"
        " black. Work with the element list."
    )
    assert "com.android.settings" in failure.details[0]


@pytest.mark.slow
async def test_a_screen_that_never_rests_is_shown_without_its_elements(bench: Bench) -> None:
    async def restless(process: Process) -> int:
        await process.stderr.write(b"ERROR: could not get idle state.\n")
        return 0

    bench.device.programs["uiautomator"] = restless
    assert (await bench.failure("get_screen_state")).message == RESTLESS
    text, image = await bench.picture()
    assert "note:the elements could not be read" in text
    assert "node_" not in text
    assert isinstance(image, Image)
    waited = await bench.failure("wait_for_idle", timeout=1000)
    assert waited.message == RESTLESS
    sought = await bench.failure("wait_for_element", by="text", value="x", timeout=1000)
    assert sought.message == RESTLESS


async def test_apps_are_called_by_their_packages(bench: Bench) -> None:
    [app] = json.loads(await bench.call("list_apps", name_query="calculator"))
    assert app == {
        "package_id": "com.android.calculator2",
        "name": "com.android.calculator2",
        "version_name": None,
        "version_code": 90,
        "is_system": True,
    }


@pytest.mark.slow
async def test_an_element_below_the_edge_is_reached_by_scrolling(bench: Bench) -> None:
    bench.world.launch("com.android.settings")
    listed = await bench.id_of("Display")
    for _ in range(2):
        await bench.items("scroll", direction="down", amount="large")
    assert "Display" not in [row[2] for row in await bench.rows()]
    reply_text = await bench.call("scroll_to_element", element_id=listed)
    assert reply_text.startswith(f"Scrolled to element '{listed}'")
    assert "Display" in [row[2] for row in await bench.rows()]


async def test_a_dark_screen_has_no_picture(bench: Bench) -> None:
    bench.world.awake = False
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert failure.message == "Screenshot capture failed: the screen is off."
    assert "note:the screen is off, the next action switches it on" in failure.details[0]


# What takes the helper


async def test_each_tool_that_needs_the_helper_reports_that(bench: Bench) -> None:
    for lack, tool, arguments in (
        ("the clipboard cannot be reached", "get_clipboard", {}),
        ("the clipboard cannot be reached", "set_clipboard", {"text": "x"}),
        (
            "gestures of several fingers cannot be made",
            "pinch",
            {"center_x": 5, "center_y": 5, "scale": 2},
        ),
        ("gestures of several fingers cannot be made", "custom_gesture", {"paths": TWO_FINGERS}),
        (
            "messages cannot be sent, and SIM cards cannot be told apart",
            "get_sms_subscriptions",
            {},
        ),
        (
            "messages cannot be sent, and SIM cards cannot be told apart",
            "send_sms",
            {"to_phone_number": "+15550100", "sms_text": "x"},
        ),
    ):
        failure = await bench.failure(tool, **arguments)
        assert type(failure) is not InvalidParams
        assert failure.message.endswith(
            f"Without Handheld's helper on the phone, {lack}. Nothing was done."
            f" {NO_HELPER} `handheld doctor` says what to do."
        )
    assert bench.events() == []


# The screen


async def test_a_text_that_no_dump_can_hold_is_reported(bench: Bench) -> None:
    show_scene(bench.world, "hostile")
    failure = await bench.failure("get_screen_state")
    assert (type(failure), failure.message) == (
        ActionFailed,
        "Android's uiautomator failed: a text on the screen has a character that it cannot"
        " write. Call get_screen_state when the screen shows something else, or take a screenshot.",
    )


async def test_an_app_that_does_not_answer_is_missing_and_never_idle(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    bench.world.frozen_packages.add("com.android.calculator2")
    missing = "note:window Calculator gave no content and is missing"
    assert missing in notes(await bench.call("get_screen_state"))
    [reply, _] = await bench.items("wait_for_idle", timeout=3000)
    assert isinstance(reply, str)
    waited = json.loads(reply)
    assert (waited["message"].partition(" after ")[0], waited["similarity"]) == (
        "Operation timed out",
        0,
    )
    sought = json.loads(await bench.call("wait_for_element", by="text", value="÷", timeout=3000))
    assert sought["found"] is False
    assert missing.removeprefix("note:") in sought["note"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_screen_state", {}),
        ("wait_for_element", {"by": "text", "value": "zzz", "timeout": 1000}),
        ("wait_for_idle", {"timeout": 1000}),
        ("get_element_details", {"ids": ["node_1_w1"]}),
    ],
)
async def test_held_automation_keeps_the_screen_from_being_read(
    bench: Bench, tool: str, arguments: dict[str, Any]
) -> None:
    bench.world.automation.holder = "uiautomator2"
    failure = await bench.failure(tool, **arguments)
    assert (type(failure), failure.message) == (
        PermissionDenied,
        "Another program on the phone holds UiAutomation, without which a screen cannot be read."
        " Only one program at a time can have it. Stop that program (uiautomator2, Appium and test"
        " runs are the usual ones) and try again; if it is another Handheld, run `handheld phones"
        " release` there.",
    )


@pytest.mark.parametrize("name", ["press_back", "press_home", "press_recents"])
async def test_buttons_are_pressed_in_spite_of_a_uiautomation_conflict(
    bench: Bench, name: str
) -> None:
    bench.world.automation.holder = "uiautomator2"
    assert (await bench.call(name)).endswith("executed successfully")
    assert len(bench.events()) == 1


@pytest.mark.parametrize("wake", [False])
async def test_nothing_is_pressed_on_a_phone_that_is_to_stay_off(bench: Bench) -> None:
    bench.world.awake = False
    for tool, arguments, begun in (
        ("press_back", {}, "Back button press failed: The screen is off: a button"),
        ("open_notifications", {}, "Open notifications failed: The screen is off: a button"),
        ("press_key", {"key": "HOME"}, "HOME key failed: The screen is off: a button"),
        ("press_key", {"key": "DEL"}, "DEL key action failed: The screen is off: a key"),
    ):
        failure = await bench.failure(tool, **arguments)
        assert (type(failure), failure.message) == (
            ActionFailed,
            f"{begun} would have no effect. Wake the phone first. Nothing was done.",
        )
    assert bench.events() == []


# Text


async def test_what_a_dump_does_not_tell_is_not_claimed(bench: Bench) -> None:
    """Before Android 15 a hint is not told from a text; no dump tells what is expanded."""
    scene = show_scene(bench.world, "mixed")
    assert scene.window is not None
    for view in scene.window.root.walk():
        view.expanded = True
    rows = await bench.rows()
    [field] = [row for row in rows if row[4].endswith(":id/field")]
    assert (field[2], field[3], field[6]) == ("Hint", "-", "on,clk,lclk,foc,edt,ena")
    assert not [row for row in rows if "exp" in row[6].split(",")]


async def test_typing_on_a_locked_phone_says_so(bench: Bench) -> None:
    named, fields = await form(bench)
    fields["name"].take_focus()
    bench.world.keyguard.lock()
    failure = await bench.failure("type_append_text", element_id=named["name"], text="x")
    assert type(failure) is ElementNotFound
    assert failure.details == (
        "The phone is locked: only the lock screen and windows over it can be reached.",
    )
    assert fields["name"].content == ""


async def test_a_hint_is_not_taken_for_a_text(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["name"]
    assert await reply_text(bench, "type_clear_text", element_id=name) == (
        f"Text cleared from element '{name}'.\nField content: (unable to read field content)"
    )
    assert await refused(
        bench, "type_replace_text", element_id=name, search="name", new_text="x"
    ) == (ElementNotFound, f"Search text (4 chars) not found in element '{name}'")
    assert fields["name"].content == ""
    kind, message = await refused(bench, "type_insert_text", element_id=name, text="x", offset=1)
    assert kind is ActionFailed
    assert message.startswith(f"The text of element '{name}' was edited, but the field does not")
    assert message.endswith("\nField content: x")
    assert fields["name"].content == "x"


@pytest.mark.slow
async def test_ids_are_followed_when_the_keyboard_makes_the_page_scroll(bench: Bench) -> None:
    named, fields = await form(bench)
    for field in ("name", "email", "name"):
        await reply_text(bench, "type_append_text", element_id=named[field], text="a@b")
    assert (fields["name"].content, fields["email"].content) == ("a@ba@b", "a@b")
    await bench.call("press_back")
    await reply_text(bench, "type_append_text", element_id=named["email"], text="!")
    assert fields["email"].content == "a@b!"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["abc", "abcdef"])
async def test_typed_text_of_a_field_that_disappeared_is_reported_as_unknown(
    bench: Bench, text: str
) -> None:
    named, scene = await own_fields(bench)
    name = named["leading"]
    assert await refused(bench, "type_append_text", element_id=name, text=text) == (
        ActionFailed,
        f"Element '{name}' could not be read after the keys of {len(text)} characters were"
        " pressed, so its content is unknown: It no longer has the focus. Look at"
        " the screen before going on.",
    )
    assert scene.leading.content == "abc"


async def test_typing_stops_when_another_window_is_in_front(bench: Bench) -> None:
    """Keys go wherever the focus is: those of the line that runs, and no further ones."""
    named, fields = await form(bench)
    name, text = named["name"], "a" * 300
    failing = bench.beside(bench.failure("type_append_text", element_id=name, text=text))
    await until(bench, lambda: len(fields["name"].content) == 20)
    bench.world.launch("com.android.settings")
    failure = await failing
    lost = re.fullmatch(
        r"Input connection lost during typing at position (\d+) of 300\. Look at the screen before"
        r" going on\.",
        failure.message,
    )
    assert lost is not None, failure.message
    assert (len(fields["name"].content), 20 < int(lost[1]) < 100) == (20, True)


async def test_a_tab_is_refused_where_its_key_would_move_the_focus(bench: Bench) -> None:
    named, fields = await form(bench)
    await bench.call("click_element", element_id=named["name"])
    bench.events()
    failure = await bench.failure("press_key", key="TAB")
    driver = bench.phone.driver
    assert isinstance(driver, FallbackDriver)
    assert failure.message == f"Key input action failed: {refusal(Unsupported.TAB, driver.trouble)}"
    assert bench.events() == []
    assert (fields["name"].content, fields["name"].focused) == ("", True)


async def test_cancelled_typing_stops_and_reports_how_much_was_typed(bench: Bench) -> None:
    named, fields = await form(bench)
    hello = await bench.http.post("/mcp", json=request("initialize", HELLO, 1))
    session = {"mcp-session-id": hello.headers["mcp-session-id"]}
    arguments = {"element_id": named["name"], "text": "abcdef"}
    params = {"name": "android_type_append_text", "arguments": arguments}
    call = bench.http.post("/mcp", json=request("tools/call", params), headers=session)
    typing = asyncio.create_task(call)
    await until(bench, lambda: fields["name"].content == "abc")
    await bench.http.post("/mcp", json=CANCEL, headers=session)
    answer = (await typing).json()
    assert answer["error"]["message"] in (
        # The third is in, whether or not the phone came to say so.
        "The client cancelled this request. 2 of 6 characters had been typed.",
        "The client cancelled this request. 3 of 6 characters had been typed.",
    )
    await bench.until(lambda: not bench.device.processes.shells)
    await bench.clock.advance(5000)
    assert fields["name"].content == "abc"
    # The phone is free at once.
    await reply_text(bench, "type_append_text", element_id=named["name"], text="!")
    assert fields["name"].content == "abc!"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("wait_for_element", {"by": "text", "value": "zzz", "timeout": 30_000}),
        ("wait_for_idle", {"timeout": 30_000}),
    ],
)
async def test_a_wait_ends_when_the_client_goes_away(
    bench: Bench, tool: str, arguments: dict[str, Any]
) -> None:
    await bench.rows()
    call = asyncio.create_task(bench.call(tool, **arguments))
    await bench.until(lambda: bench.clock.now() > 0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await bench.until(lambda: bench.clock.sleepers == 0)
    bench.device.opened.clear()
    await bench.clock.advance(10_000)
    assert list(bench.device.opened) == []
