"""One request of each tool of both surfaces, as curl sends it, and its whole reply."""

import json
import tomllib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app_formats.apk.writer import Node, manifest, small_apk
from handheld.driver.packages import InstallOptions
from handheld.phone.apps.crashes import list_crashes
from handheld.phone.apps.installing import PackageSource, install
from handheld.phone.web.web_pages import list_pages
from handheld.tools.main import CATALOG, device, diagnostics, packages, web
from handheld.tools.v1 import NAMES
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.packages.error_reports import JavaException
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.field import Field
from harness.web_apps import SHOP, ShopApp
from phone.web import answer
from testbed import show_scene

from .scenery import DOWNLOADS, FOLDER, Scenery


class Beds(Activity):
    def content(self) -> View:
        self.note = Field(id="note", width=MATCH, description="Note")
        self.note.content = "Two rows of peas"
        return Column(
            Text("Peas\nand beans", id="plan", description="What grows"),
            Button("Water", lambda: None, id="water"),
            Text("Pull out", id="pull", on_long_click=lambda: None),
            self.note,
            gap=16,
            padding=24,
            width=MATCH,
        )


class Garden(App):
    package, label = "org.example.garden", "Garden"
    version, version_code = "0.7", 7
    screens = (Beds,)


Scene = Callable[[Scenery], Awaitable[None]]
SWITCHED_ON = (packages, device, diagnostics, web)
"""Toolsets that a client asks for by a header."""
TEST_V1_HAS = ("get_accessibility_tree", "capture_screenshot")


async def at_home(scenery: Scenery) -> None:
    pass


async def garden(scenery: Scenery) -> None:
    scenery.stage.world.install(Garden)
    scenery.stage.world.show(Garden.package)


async def in_the_note(scenery: Scenery) -> None:
    """The cursor is after the note."""
    await garden(scenery)
    [id] = [row[0] for row in await scenery.stage.rows() if row[4].endswith("/note")]
    await scenery.stage.call("click_element", element_id=id)


async def garden_behind(scenery: Scenery) -> None:
    await garden(scenery)
    await scenery.stage.call("press_home")


async def far_down(scenery: Scenery) -> None:
    show_scene(scenery.stage.world, "mixed")


async def copied(scenery: Scenery) -> None:
    scenery.stage.world.clipboard.copy("Grüße\n🌱")


async def one_log_line(scenery: Scenery) -> None:
    world, clock = scenery.stage.world, scenery.stage.clock
    assert isinstance(clock, ManualClock)
    world.wall.jump(timedelta(hours=8, milliseconds=7 - clock.now()))
    world.logs.clear()
    world.apps["dev.handheld.keeper"].log("W", "Shed", "The door is open")


async def seeds(scenery: Scenery) -> None:
    """The location holds only a folder and one text file."""
    files = scenery.stage.device.files
    for name in files.list(f"{FOLDER}/notes"):
        files.remove(f"{FOLDER}/notes/{name}")
    files.remove_folder(f"{FOLDER}/notes")
    for name in files.list(FOLDER):
        files.remove(f"{FOLDER}/{name}")
    files.make_folder(f"{FOLDER}/old")
    files.set_time(f"{FOLDER}/old", 1_600_000_000)
    files.write(f"{FOLDER}/seeds.csv", b"peas,12\nbeans,30\nkale,5\n")
    files.set_time(f"{FOLDER}/seeds.csv", 1_650_000_000)


async def room_for_a_gigabyte(scenery: Scenery) -> None:
    # The first call writes files to the phone.
    await scenery.stage.phone.driver.read_screen()
    files = scenery.stage.device.files
    files.capacity = files.used + 1_000_000_000


async def on_the_web(scenery: Scenery) -> None:
    scenery.web.pages["/kale.txt"] = answer(b"Sow in May")


async def a_package(scenery: Scenery) -> None:
    """The location holds a package that is not installed."""
    asked = Node("uses-permission", {"android:name": "android.permission.CAMERA"})
    root = manifest("org.example.bees")
    root = replace(root, children=(asked, *root.children))
    scenery.stage.device.files.write(f"{FOLDER}/bees.apk", small_apk(root))


async def bees(scenery: Scenery) -> None:
    await a_package(scenery)
    await scenery.stage.passing(
        install(scenery.stage.phone, PackageSource(("bees.apk",), DOWNLOADS), InstallOptions())
    )


async def at_the_pond(scenery: Scenery) -> None:
    scenery.stage.world.whereabouts.put(47.5, 19.05)


async def crashed(scenery: Scenery) -> None:
    await garden(scenery)
    world = scenery.stage.world
    world.running.crash(
        world.apps[Garden.package],
        JavaException("java.lang.IllegalStateException", "No water", "Beds.water(Beds.java:7)"),
    )


async def shop(scenery: Scenery) -> None:
    scenery.stage.world.install(ShopApp)
    scenery.stage.world.show(SHOP)


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        *(at_home, garden, in_the_note, garden_behind, far_down, copied, one_log_line),
        *(seeds, room_for_a_gigabyte, on_the_web, a_package, bees, at_the_pond, crashed, shop),
    )
}


@dataclass(frozen=True, slots=True)
class Example:
    tool: str
    reply: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    scene: str = "at_home"
    on: str = ""
    further: str = ""
    """A further text item."""


with (Path(__file__).parent / "examples.toml").open("rb") as file:
    EXAMPLES = [Example(**each) for each in tomllib.load(file)["example"]]
CALLS = [(path, each) for each in EXAMPLES for path in ("/mcp", "/mcp/v1") if each.on in ("", path)]


def test_each_tool_has_one_example_on_each_surface_that_has_it() -> None:
    """Two examples of the v1 surface are in test_v1.py: a long tree and a picture."""
    called = sorted((path, each.tool) for path, each in CALLS)
    today = [("/mcp", tool.name) for toolset in (*CATALOG, *SWITCHED_ON) for tool in toolset.tools]
    first = [("/mcp/v1", name) for name in NAMES if name not in TEST_V1_HAS]
    assert called == sorted([*today, *first])


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("path", "example"), [pytest.param(*call, id=f"{call[0]} {call[1].tool}") for call in CALLS]
)
async def test_an_example_is_answered_without_a_handshake(
    scenery: Scenery, path: str, example: Example
) -> None:
    await SCENES[example.scene](scenery)
    names = await ids(scenery, path) if "<" in str(example) else {}
    if "<crash>" in str(example):
        names["crash"] = await crash_id(scenery)
    if "<page>" in str(example):
        names["page"] = await page_id(scenery)
    names["web"] = f"http://127.0.0.1:{scenery.web.port}"
    params = {
        "name": example.tool if path == "/mcp/v1" else f"android_{example.tool}",
        "arguments": json.loads(named(json.dumps(example.arguments), names)),
    }
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    answer = await scenery.stage.passing(
        scenery.stage.http.post(
            path if path == "/mcp" else f"{path}/tools/call",
            content=json.dumps(body),
            headers={
                "content-type": "application/json",
                "accept": "*/*",  # as curl does
                **({"x-mcp-toolsets": "all"} if path == "/mcp" else {}),
            },
        )
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    texts = [text for text in (example.reply, example.further) if text]
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"content": [{"type": "text", "text": named(text, names)} for text in texts]},
    }


async def ids(scenery: Scenery, path: str) -> dict[str, str]:
    """The ids of the elements, by the last part of their resource ids."""
    if path == "/mcp":
        return {row[4].rpartition("/")[2]: row[0] for row in await scenery.stage.rows()}
    found: dict[str, str] = {}
    nodes = json.loads(await scenery.stage.first("get_accessibility_tree"))["nodes"]
    while nodes:
        node = nodes.pop()
        found[(node["resourceId"] or "").rpartition("/")[2]] = node["id"]
        nodes += node["children"]
    return found


async def crash_id(scenery: Scenery) -> str:
    [crash] = (await list_crashes(scenery.stage.phone, None, None, 1)).crashes
    return crash.id


async def page_id(scenery: Scenery) -> str:
    [issued] = (await scenery.stage.passing(list_pages(scenery.stage.phone))).pages
    return issued.id


def named(text: str, names: dict[str, str]) -> str:
    for name, actual in names.items():
        text = text.replace(f"<{name}>", actual)
    return text
