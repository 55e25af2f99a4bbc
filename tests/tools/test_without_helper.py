"""What tools say where the helper is refused and the shell does it another way."""

import json

import pytest

from handheld.errors import ActionFailed
from handheld.hands.shell_screen import NOTE, RESTLESS
from handheld.tool import Image
from handheld.virtual.process import Process

from .conftest import Bench

pytestmark = pytest.mark.by_shell


def notes(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("note:")][4:]


async def test_a_screen_says_how_it_was_read_and_once_why(bench: Bench) -> None:
    first = notes(await bench.call("get_screen_state"))
    assert first[0] == f"note:{NOTE}"
    assert first[1].startswith("note:Handheld's helper is not used on this phone. It does not run:")
    assert notes(await bench.call("get_screen_state")) == [f"note:{NOTE}"]


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


async def test_an_element_below_the_edge_is_reached_by_scrolling(bench: Bench) -> None:
    bench.world.launch("com.android.settings")
    listed = await bench.id_of("Display")
    await bench.call("scroll", direction="down", amount="large")
    assert "Display" not in [row[2] for row in await bench.rows()]
    said = await bench.call("scroll_to_element", element_id=listed)
    assert said.startswith(f"Scrolled to element '{listed}'")
    assert "Display" in [row[2] for row in await bench.rows()]


async def test_a_dark_screen_has_no_picture(bench: Bench) -> None:
    bench.world.awake = False
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert failure.message == "Screenshot capture failed: the screen is off."
    assert "note:the screen is off, the next action switches it on" in failure.details[0]
