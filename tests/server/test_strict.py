"""`main.strict`: replies of the documented tools without anything that Handheld adds."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld.access.policy import make_policy
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.calls.rendering import documented
from handheld.screen.text import screen_text
from handheld.settings import load
from handheld.tools.main import CATALOG, EXTRA
from harness.starting_apps import CameraApp
from harness.web_apps import SHOP, ShopApp
from screen.trees import node, screen, window
from testbed import show_nodes, show_scene

from .scenery import DOWNLOADS, FOLDER, Scenery
from .stage import Stage

CALCULATOR = "com.android.calculator2"
KEEPER = "dev.handheld.keeper"
NOTES = [
    "note:structural-only nodes are omitted from the tree",
    "note:certain elements are custom and will not be properly reported, if needed or if tools are"
    " not working as expected set include_screenshot=true to see the screen and take what you see"
    " into account",
    "note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable"
    " scr=scrollable edt=editable ena=enabled",
    "note:offscreen items require scroll_to_element before interaction",
]
FLAGS = ("clk", "lclk", "foc", "scr", "edt", "ena")
ELEMENT = [
    *("id", "text", "contentDescription", "resourceId", "className", "bounds", "clickable"),
    *("longClickable", "scrollable", "editable", "enabled"),
]


@pytest.fixture
def stage(scenery: Scenery) -> Stage:
    return scenery.stage


async def strictly(
    stage: Stage, tool: str, asked: str = "true", **arguments: Any
) -> dict[str, Any]:
    """The result of a call whose client asks for documented replies."""
    params = {"name": f"android_{tool}", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"x-handheld-strict": asked, "x-mcp-toolsets": "all"}
    return (await stage.post("/mcp", body, **headers))["result"]


async def text(stage: Stage, tool: str, **arguments: Any) -> str:
    result = await strictly(stage, tool, **arguments)
    [item] = result.pop("content")
    assert (result, item["type"]) == ({}, "text")
    return item["text"]


# The screen


async def test_a_screen_has_the_documented_notes_and_flags_alone(stage: Stage) -> None:
    show_scene(stage.world, "mixed")
    plain = (await stage.call("get_screen_state")).split("\n")
    lines = (await text(stage, "get_screen_state")).split("\n")
    assert lines[:4] == NOTES
    added = 0
    for line, other in zip(lines[4:], plain[4:], strict=True):
        cells, others = line.split("\t"), other.split("\t")
        assert cells[:-1] == others[:-1]
        if line.startswith("node_"):
            first, *words = others[-1].split(",")
            assert cells[-1].split(",") == [first, *(word for word in words if word in FLAGS)]
            added += cells[-1] != others[-1]
        else:
            assert cells == others
    assert added > 0


async def test_a_screen_that_is_not_read_whole_has_no_further_notes(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    stage.world.rootless_packages.add(CALCULATOR)
    assert "gave no content and is missing" in await stage.call("get_screen_state")
    lines = (await text(stage, "get_screen_state")).split("\n")
    assert [line for line in lines if line.startswith("note:")] == NOTES


def test_the_documented_note_on_a_single_window_stays() -> None:
    read = replace(screen(window(node())), degraded=True, notes=("read through uiautomator",))
    [kept] = documented("get_screen_state", [screen_text(read, [["1"]])])
    lines = str(kept).split("\n")
    degraded = "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only"
    assert [line for line in lines if line.startswith("note:")] == [*NOTES, degraded]


async def test_a_picture_stays_and_what_is_said_about_it_does_not(stage: Stage) -> None:
    show_nodes(stage.world, 2000)
    assert len(await stage.items("get_screen_state", include_screenshot=True)) == 3
    result = await strictly(stage, "get_screen_state", include_screenshot=True)
    assert [item["type"] for item in result["content"]] == ["text", "image"]


async def test_text_of_web_pages_is_not_folded(stage: Stage) -> None:
    stage.world.install(ShopApp)
    stage.world.show(SHOP)
    unfolded = await stage.rows()
    lines = (await text(stage, "get_screen_state")).split("\n")
    assert [line.split("\t")[:6] for line in lines if line.startswith("node_")] == [
        row[:6] for row in unfolded
    ]


# JSON


async def test_found_elements_have_the_documented_keys_alone(stage: Stage) -> None:
    show_scene(stage.world, "mixed")
    for by, value in (("resource_id", ":id/"), ("class_name", "android")):
        plain = json.loads(await stage.call("find_elements", by=by, value=value))["elements"]
        found = json.loads(await text(stage, "find_elements", by=by, value=value))["elements"]
        assert [list(each) for each in found] == [ELEMENT] * len(plain)
        assert found == [{key: each[key] for key in ELEMENT} for each in plain]
        assert found != plain


@pytest.mark.parametrize(
    ("tool", "arguments", "keys"),
    [
        ("find_elements", {"by": "text", "value": "÷"}, ["elements"]),
        (
            "wait_for_element",
            {"by": "text", "value": "÷", "timeout": 100},
            ["found", "elapsedMs", "attempts"],
        ),
        ("wait_for_idle", {"timeout": 1000}, ["message", "elapsedMs", "similarity"]),
        (
            "get_device_logs",
            {"package_name": "com.nothing"},
            ["logs", "line_count", "truncated"],
        ),
    ],
)
async def test_what_is_missing_is_not_told_in_a_further_key(
    stage: Stage, tool: str, arguments: dict[str, Any], keys: list[str]
) -> None:
    stage.world.show(CALCULATOR)
    stage.world.rootless_packages.add(CALCULATOR)
    plain, *_ = await stage.passing(stage.items(tool, **arguments))
    assert list(json.loads(str(plain))) == [*keys, "note"]
    assert list(json.loads(await text(stage, tool, **arguments))) == keys


# Further texts

Arrange = Callable[[Stage], Awaitable[dict[str, Any]]]
"""Prepares the phone, and returns the arguments."""


async def locked(stage: Stage) -> dict[str, Any]:
    stage.world.keyguard.lock()
    return {}


async def a_camera(stage: Stage) -> dict[str, Any]:
    stage.world.install(CameraApp)
    stage.world.press("home")
    return {"package_id": CameraApp.package}


async def battery(stage: Stage) -> dict[str, Any]:
    stage.world.launch("com.android.settings")
    if stage.world.front.title == "Battery":
        await stage.call("press_back")
    return {"element_id": await stage.id_of("Battery")}


async def silent(stage: Stage) -> dict[str, Any]:
    stage.world.rootless_packages.clear()
    stage.world.show(CALCULATOR)
    name = await stage.id_of("÷")
    stage.world.rootless_packages.add(CALCULATOR)
    return {"ids": [name]}


def with_arguments(**arguments: Any) -> Arrange:
    async def arrange(stage: Stage) -> dict[str, Any]:
        return arguments

    return arrange


def and_locked(**arguments: Any) -> Arrange:
    async def arrange(stage: Stage) -> dict[str, Any]:
        return arguments | await locked(stage)

    return arrange


FURTHER: list[tuple[str, Arrange, str]] = [
    ("press_back", locked, "Back button press executed successfully"),
    ("press_home", locked, "Home button press executed successfully"),
    ("press_recents", locked, "Recents button press executed successfully"),
    ("open_notifications", locked, "Open notifications executed successfully"),
    ("open_quick_settings", locked, "Open quick settings executed successfully"),
    ("tap", and_locked(x=1, y=1), "Tap executed at (1, 1)"),
    (
        "long_press",
        and_locked(x=1, y=1, duration=20),
        "Long press executed at (1, 1) for 20ms",
    ),
    ("double_tap", and_locked(x=1, y=1), "Double tap executed at (1, 1)"),
    (
        "swipe",
        and_locked(x1=1, y1=1, x2=1, y2=9),
        "Swipe executed from (1, 1) to (1, 9) over 300ms",
    ),
    ("scroll", with_arguments(direction="up"), "Scroll up (medium) executed"),
    (
        "pinch",
        with_arguments(center_x=540, center_y=1200, scale=10),
        "Pinch (zoom in) executed at (540, 1200) with scale 10.0 over 300ms",
    ),
    (
        "custom_gesture",
        and_locked(paths=[[{"x": 1, "y": 1, "time": 0}, {"x": 1, "y": 9, "time": 20}]]),
        "Custom gesture executed with 1 path(s), total 2 point(s)",
    ),
    ("press_key", and_locked(key="HOME"), "Key 'HOME' pressed successfully"),
    ("click_element", battery, "Click performed on element '{element_id}'"),
    ("get_element_details", silent, "id\ttext\tdesc\n{ids[0]}\tnot_found\tnot_found"),
    ("open_app", a_camera, f"App opened successfully: {CameraApp.package}"),
    ("close_app", with_arguments(package_id=KEEPER), f"App closed successfully: {KEEPER}"),
]


@pytest.mark.parametrize(("tool", "arrange", "reply"), FURTHER, ids=[row[0] for row in FURTHER])
async def test_there_is_one_text_with_the_documented_words(
    stage: Stage, tool: str, arrange: Arrange, reply: str
) -> None:
    arguments = await arrange(stage)
    plain = await stage.passing(stage.items(tool, **arguments))
    arguments = await arrange(stage)
    assert len(plain) > 1
    assert await text(stage, tool, **arguments) == reply.format(**arguments)


async def test_files_and_folders_have_no_further_texts(scenery: Scenery) -> None:
    stage = scenery.stage
    stage.device.files.write(f"{FOLDER}/odd.txt", "a\u202eb".encode())
    place = {"location_id": DOWNLOADS, "path": "odd.txt"}
    assert len(await stage.items("read_file", **place)) == 2
    assert await text(stage, "read_file", **place) == "1| a⟨U+202E⟩b"
    scenery.storage.file.unlink()
    assert len(await stage.items("list_storage_locations")) == 2
    assert await text(stage, "list_storage_locations") == "[]"


async def test_a_failure_is_one_sentence(stage: Stage) -> None:
    stage.world.awake = False
    assert len((await stage.failure("get_screen_state", include_screenshot=True)).details) == 1
    result = await strictly(stage, "get_screen_state", include_screenshot=True)
    assert result == {
        "content": [{"type": "text", "text": "Screenshot capture failed: the screen is off."}],
        "isError": True,
    }


# Where it holds


async def test_tools_beyond_the_documents_reply_as_ever(stage: Stage) -> None:
    stage.world.keyguard.lock()
    plain = await strictly(stage, "dismiss_keyboard", asked="false")
    assert await strictly(stage, "dismiss_keyboard") == plain
    assert len(plain["content"]) > 1


async def test_the_settings_make_all_replies_strict(stage: Stage, tmp_path: Path) -> None:
    settings = load({"main_strict": True}, {"HANDHELD_HOME": str(tmp_path)})
    policy = make_policy(settings, (*CATALOG, *EXTRA))
    assert policy == RequestScope(strict=True)
    surface = LocalSurface(CATALOG, stage, SurfaceOptions(policy=policy))
    stage.counter.surface = surface
    assert await stage.passing(stage.items("scroll", direction="up")) == [
        "Scroll up (medium) executed"
    ]


async def test_the_v1_surface_and_the_tools_for_models_stay_as_they_are(stage: Stage) -> None:
    stage.world.keyguard.lock()
    stage.set_policy(RequestScope(strict=True))
    params = {"name": "press_home", "arguments": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await stage.post("/mcp/v1/tools/call", body, **{"x-handheld-strict": "true"})
    assert len(answer["result"]["content"]) == 2


def test_a_client_cannot_undo_what_the_settings_ask_for() -> None:
    strict = RequestScope(strict=True)
    assert EVERYTHING.within(strict) == strict.within(EVERYTHING) == strict
