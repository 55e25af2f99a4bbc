"""The record of calls and the events of open consoles."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from handheld.audit import AuditLog
from handheld.console.process_site import OTHERS_SECONDS
from handheld.errors import ElementNotFound
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing
from harness.manual_clock import ManualClock

from .rig import Person, Rig, open_rig


async def calls(person: Person, query: str = "") -> list[dict[str, Any]]:
    return (await person.api(f"calls?{query}"))["calls"]


async def test_every_open_console_receives_the_start_and_end_of_a_call(rig: Rig) -> None:
    left, right = await rig.person(), await rig.person()
    async with left.listening() as first, right.listening() as second:
        await rig.agent("press_home")
        for stream in (first, second):
            begun = await stream.until("call", "running")
            ended = await stream.until("call", "done")
            assert begun["id"] == ended["id"]
            assert (ended["tool"], ended["client"], ended["token"], ended["person"]) == (
                "press_home",
                "agent",
                "tester",
                False,
            )
            assert ended["result"] == ["Home button press executed successfully"]
            assert begun["milliseconds"] is None
            assert ended["milliseconds"] >= 0


async def test_open_consoles_are_counted(rig: Rig, person: Person) -> None:
    await rig.until(lambda: rig.gate.consoles == 0)
    async with person.listening():
        assert rig.gate.consoles == 1
        async with (await rig.person()).listening():
            assert rig.gate.consoles == 2
    await rig.until(lambda: rig.gate.consoles == 0)


async def test_a_reloading_console_counts_as_open(tmp_path: Path) -> None:
    clock = ManualClock()
    async with open_rig(tmp_path, linger=5, clock=clock) as rig:
        person = await rig.person()
        async with person.listening():
            assert rig.gate.consoles == 1
        await rig.until(lambda: rig.console._events._open == 0)
        assert rig.gate.consoles == 1
        # A console that logs out does not linger.
        async with person.listening():
            assert rig.gate.consoles == 2
            await person.post("/console/logout", {})
        await rig.until(lambda: rig.console._events._open == 0)
        assert rig.gate.consoles == 1
        assert clock.waits == [5]
        await clock.advance(4.9)
        assert rig.gate.consoles == 1
        await clock.advance(0.1)
        assert rig.gate.consoles == 0


async def test_a_logged_out_console_receives_no_events(rig: Rig) -> None:
    person, other = await rig.person(), await rig.person()
    async with person.listening() as stream, other.listening() as remaining:
        await person.post("/console/logout", {})
        await rig.agent("press_home")
        await remaining.until("call", "done")
        with pytest.raises(StopAsyncIteration):
            await stream.next()


async def test_calls_are_listed_filtered_and_paged(rig: Rig, person: Person) -> None:
    await rig.agent("press_home")
    await rig.agent("set_clipboard", text="needle in a haystack")
    with pytest.raises(ElementNotFound):
        await rig.agent("click_element", element_id="node_1_w1")
    listed = await calls(person)
    assert [call["tool"] for call in listed[-3:]] == [
        "press_home",
        "set_clipboard",
        "click_element",
    ]
    assert [call["tool"] for call in await calls(person, "tool=press_home&limit=1")] == [
        "press_home"
    ]
    [failed] = await calls(person, "state=failed&text=node_1_w1")
    assert failed["result"][0].startswith("Element 'node_1_w1' not found")
    last = listed[-1]["id"]
    assert [call["id"] for call in await calls(person, f"before={last}&limit=1")] == [
        listed[-2]["id"]
    ]
    assert [call["id"] for call in await calls(person, f"after={last - 1}")] == [last]
    answer = await person.get("/console/api/calls?state=odd")
    assert (answer.status_code, "state must be one of" in answer.text) == (400, True)


async def test_a_long_reply_is_truncated_in_the_list_and_complete_in_the_details(
    rig: Rig, person: Person
) -> None:
    await rig.agent("get_screen_state")
    listed = (await calls(person, "tool=get_screen_state"))[-1]
    [short] = listed["result"]
    assert (len(short), short.startswith("screen:1080x2400")) == (300, True)
    whole = await person.api(f"calls/{listed['id']}")
    assert whole["result"][0].startswith("note:")
    assert (whole["before"], whole["after"]) == (False, False)


async def test_with_an_open_console_the_screen_after_an_action_is_recorded(
    rig: Rig, person: Person
) -> None:
    async with person.listening():
        await rig.agent("press_home")
        id = (await calls(person, "tool=press_home"))[-1]["id"]
        await rig.until(lambda: rig.audit.pictures(id)[1] is not None)
    assert (await person.api(f"calls/{id}"))["after"] is True
    picture = await person.get(f"/console/api/calls/{id}/after")
    assert (picture.headers["content-type"], picture.content[:3]) == ("image/jpeg", b"\xff\xd8\xff")
    assert (await person.get(f"/console/api/calls/{id}/beside")).status_code == 404


@pytest.mark.parametrize("id", ["999999", "x", "-1", "1.5", "9" * 30, "٣"])
async def test_an_unknown_call_returns_a_message(person: Person, id: str) -> None:
    answer = await person.get(f"/console/api/calls/{id}")
    assert answer.status_code == 404
    assert answer.json()["message"].endswith(".")


@pytest.mark.parametrize("number", ["-1", "1e3", "١", "0" * 19 + "1" + "9" * 100])
async def test_an_invalid_number_is_rejected(person: Person, number: str) -> None:
    answer = await person.get(f"/console/api/calls?limit={number}")
    assert answer.status_code == 400
    assert answer.json()["message"] == "limit must be a whole number from 1 to 1000."
    answer = await person.post(f"/console/api/questions/{number}/answer", {"allow": True})
    assert answer.status_code == 404


async def test_matching_calls_are_exported_as_json_lines_and_as_a_test(
    rig: Rig, person: Person
) -> None:
    await rig.agent("press_recents")
    lines = await person.get("/console/api/export/jsonl?tool=press_recents")
    assert [json.loads(line)["tool"] for line in lines.text.splitlines()] == ["press_recents"]
    script = await person.get("/console/api/export/pytest?tool=press_recents")
    assert "phone.call('press_recents')" in script.text
    compile(script.text, "test_recorded.py", "exec")
    assert (await person.get("/console/api/export/pdf")).status_code == 404


async def test_calls_of_another_process_are_announced(
    rig: Rig, person: Person, clock: ManualClock
) -> None:
    other = AuditLog(rig.audit.file)
    try:
        async with person.listening() as stream:
            made = ToolCall(
                "tap", Listing("android_tap", "Tap", "", {}), {}, Caller("stdio"), "R58M"
            )
            id = other.begin(made)
            await clock.until_waits(OTHERS_SECONDS)
            await clock.advance(OTHERS_SECONDS)
            assert await stream.next() == ("others", {})
            assert [call["id"] for call in await calls(person, "phone=R58M")] == [id]
    finally:
        other.close()


async def test_an_event_that_cannot_be_encoded_ends_the_stream(rig: Rig, person: Person) -> None:
    screen: Any = object()
    unencodable = ToolCall(
        "send_sms", Listing("send_sms", "", "", {}), {}, Caller("http"), "R58M", screen=screen
    )
    async with person.listening() as stream:
        asking = asyncio.ensure_future(rig.gate.ask(unencodable))
        try:
            with pytest.raises(StopAsyncIteration):
                await stream.next()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.slow
async def test_the_server_stops_without_waiting_for_open_consoles(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    async with open_rig(tmp_path, clock=clock) as rig:
        person = await rig.person()
        changes = (await person.get(f"/console/api/phones/{rig.serial}/frame")).headers["x-frame"]
        waiting = asyncio.ensure_future(
            person.get(
                f"/console/api/phones/{rig.serial}/frame?within=25000"
                f"&after={json.loads(changes)['changes'] + 1000}"
            )
        )
        async with person.listening() as stream:
            rig.console.stop()
            with pytest.raises(StopAsyncIteration):
                await stream.next()
            assert (await waiting).status_code == 503
    # No timeout had to expire, and no connection was aborted.
    assert clock.now() == 0
    assert "timeout graceful shutdown exceeded" not in caplog.text


async def test_without_a_record_the_timeline_reports_it(tmp_path: Path) -> None:
    async with open_rig(tmp_path, recorded=False) as rig:
        person = await rig.person()
        answer = await person.get("/console/api/calls")
        assert answer.status_code == 404
        assert answer.json()["message"] == "Calls are not recorded: the setting audit.off is set."
        async with person.listening():
            assert rig.gate.consoles == 1
