"""The phone as a person sees and controls it."""

import asyncio
import json
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from handheld.console.pages.live import read_elements
from handheld.console.sharing import Sharing
from handheld.screen.text import STANDING_NOTES
from harness.polling import HANG

from .rig import Person, Rig


def frame_path(rig: Rig, **parameters: Any) -> str:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"phones/{rig.serial}/frame?{query}"


async def frame(
    rig: Rig, person: Person, **parameters: Any
) -> tuple[dict[str, Any], Image.Image | None]:
    answer = await person.get(f"/console/api/{frame_path(rig, **parameters)}")
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"] != "image/jpeg":
        return answer.json(), None
    return json.loads(answer.headers["x-frame"]), Image.open(BytesIO(answer.content))


async def act(rig: Rig, person: Person, tool: str, **arguments: Any) -> Any:
    answer = await person.post(
        f"/console/api/phones/{rig.serial}/act", {"tool": tool, "arguments": arguments}
    )
    return answer.json()


async def element(rig: Rig, person: Person, text: str) -> dict[str, Any]:
    screen = await person.api(f"phones/{rig.serial}/screen")
    [found] = [row for row in screen["elements"] if text in (row["text"], row["desc"])]
    return found


def front(rig: Rig) -> str:
    assert rig.phone.world.foreground is not None
    return rig.phone.world.foreground[0]


def middle(element: dict[str, Any]) -> dict[str, int]:
    left, top, right, bottom = element["bounds"]
    return {"x": (left + right) // 2, "y": (top + bottom) // 2}


@pytest.fixture(autouse=True)
async def home_screen(rig: Rig) -> None:
    await rig.agent("press_home")


async def test_phones_are_listed_with_their_state(rig: Rig, person: Person) -> None:
    [phone] = await person.api("phones")
    assert (phone["serial"], phone["usable"], phone["words"]) == (rig.serial, True, "")


async def test_the_first_frame_is_immediate_and_has_the_requested_size(
    rig: Rig, person: Person
) -> None:
    details, picture = await frame(rig, person, size=480)
    assert picture is not None
    assert picture.size == (details["width"], details["height"]) == (216, 480)
    assert details["secure"] == []


async def test_a_frame_request_waits_until_the_screen_changes(rig: Rig, person: Person) -> None:
    details, before = await frame(rig, person, size=200)
    same, none = await frame(rig, person, after=details["changes"], within=0, size=200)
    if none is None:
        assert same == {"changes": details["changes"]}
    waiting = asyncio.ensure_future(
        frame(rig, person, after=same["changes"], within=20_000, size=200)
    )
    await rig.agent("open_app", package_id="com.android.calculator2")
    async with asyncio.timeout(HANG):
        later, after = await waiting
    assert later["changes"] > details["changes"]
    assert before is not None
    assert after is not None
    assert after.tobytes() != before.tobytes()


async def test_reading_the_screen_is_not_recorded(rig: Rig, person: Person) -> None:
    before = rig.audit.entries()
    await frame(rig, person)
    await person.api(f"phones/{rig.serial}/screen")
    assert rig.audit.entries() == before


async def test_a_persons_tap_reaches_the_phone_and_is_recorded_as_theirs(
    rig: Rig, person: Person
) -> None:
    calculator = await element(rig, person, "Calculator")
    reply = await act(rig, person, "tap", **middle(calculator))
    assert reply == {"said": [f"Tap executed at {tuple(middle(calculator).values())}"]}
    assert front(rig) == "com.android.calculator2"
    entry = rig.audit.entries(tool="tap")[-1]
    assert (entry.person, entry.transport, entry.client, entry.token) == (
        True,
        "console",
        person.name,
        "",
    )
    assert (entry.state, entry.arguments) == ("done", middle(calculator))


async def test_an_agent_can_use_the_ids_shown(rig: Rig, person: Person) -> None:
    notes = await element(rig, person, "Notes")
    assert await rig.agent("click_element", element_id=notes["id"])
    assert front(rig) == "dev.handheld.notes"


async def test_typed_text_goes_into_the_focused_field(rig: Rig, person: Person) -> None:
    path = f"/console/api/phones/{rig.serial}/type"
    await rig.agent("open_app", package_id="com.android.calculator2")
    unfocused = await person.post(path, {"text": "hello"})
    assert unfocused.status_code == 409
    assert unfocused.json()["message"] == "No field has the focus. Tap one first."
    await rig.agent("open_app", package_id="dev.handheld.form")
    screen = await person.api(f"phones/{rig.serial}/screen")
    field = next(row for row in screen["elements"] if "edt" in row["flags"])
    await act(rig, person, "tap", **middle(field))
    typed = await person.post(path, {"text": "Ådám 👍"})
    assert typed.status_code == 200, typed.text
    assert typed.json()["said"][0].endswith("Field content: Ådám 👍")
    assert rig.audit.entries(tool="type_append_text")[-1].person


async def test_a_tool_that_the_page_does_not_use_is_rejected(rig: Rig, person: Person) -> None:
    refused = await person.post(
        f"/console/api/phones/{rig.serial}/act",
        {"tool": "delete_file", "arguments": {"location_id": "a", "path": "b"}},
    )
    assert refused.status_code == 400
    assert rig.audit.entries(tool="delete_file") == []


async def test_a_failed_action_returns_a_message(rig: Rig, person: Person) -> None:
    reply = await act(rig, person, "tap", x=-1, y=0)
    assert reply["error"] == "failed"
    assert "x" in reply["message"]


async def test_an_unknown_phone_returns_a_message(rig: Rig, person: Person) -> None:
    answer = await person.get("/console/api/phones/nobody/frame")
    assert answer.status_code == 409
    assert "No phone here is called 'nobody'" in answer.json()["message"]


@pytest.mark.parametrize("query", ["size=99", "size=x", "size=9999", "within=999999", "after=-1"])
async def test_frame_parameters_out_of_bounds_are_rejected(
    rig: Rig, person: Person, query: str
) -> None:
    answer = await person.get(f"/console/api/phones/{rig.serial}/frame?{query}")
    assert answer.status_code == 400


async def test_notes_of_the_phone_are_included(rig: Rig, person: Person) -> None:
    rig.phone.world.awake = False
    try:
        screen = await person.api(f"phones/{rig.serial}/screen")
    finally:
        rig.phone.world.awake = True
    assert any("the screen is off" in note for note in screen["notes"])


def test_the_screen_text_is_parsed_completely() -> None:
    text = "\n".join(
        [
            *STANDING_NOTES,
            "note:the phone is locked",
            "screen:1080x2400 density:420 orientation:portrait",
            "--- window:3 type:APPLICATION pkg:a.b title:T layer:1 focused:true ---",
            "id\tclass\ttext\tdesc\tres_id\tbounds\tflags",
            "node_1_w3\tButton\t<b>note:x</b>\t-\ta:id/b\t-5,0,10,20\ton,clk,ena",
        ]
    )
    assert read_elements(text) == {
        "width": 1080,
        "height": 2400,
        "notes": ["the phone is locked"],
        "windows": ["window:3 type:APPLICATION pkg:a.b title:T layer:1 focused:true"],
        "elements": [
            {
                "id": "node_1_w3",
                "class": "Button",
                "text": "<b>note:x</b>",
                "desc": "-",
                "res_id": "a:id/b",
                "bounds": [-5, 0, 10, 20],
                "flags": ["on", "clk", "ena"],
                "window": 0,
            }
        ],
    }


async def test_concurrent_requests_are_shared_and_cancelled_with_the_last() -> None:
    started: list[str] = []
    stopped = asyncio.Event()

    async def ask() -> str:
        started.append("started")
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return "never"

    sharing: Sharing[str] = Sharing()
    first, second = (asyncio.ensure_future(sharing.ask("key", ask)) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert (started, stopped.is_set()) == (["started"], False)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(HANG):
        await stopped.wait()
