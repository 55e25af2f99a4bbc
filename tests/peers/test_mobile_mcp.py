"""npm @mobilenext/mobile-mcp, in the mode in which it speaks plain adb."""

import json
import re

import pytest
from peering import CALCULATOR, FORMULA, MOBILENEXT, NODE, SEVEN, PeerPhone, need, peer

pytestmark = pytest.mark.needs_peers

PEER = "mobile-mcp"
SERVER = MOBILENEXT / "mobile-mcp" / "lib" / "index.js"


async def test_it_finds_the_phone_reads_the_screen_and_taps_a_seven(rig: PeerPhone) -> None:
    command = [str(need(NODE)), str(need(SERVER))]
    device = rig.serial
    async with peer(rig, command, MOBILEMCP_LEGACY_ROBOT="1") as server:
        devices = json.loads(await server.call("mobile_list_available_devices"))
        apps = await server.call("mobile_list_apps", device=device)
        await server.call("mobile_launch_app", device=device, packageName=CALCULATOR)
        before = await server.call("mobile_list_elements_on_screen", device=device)
        x, y = _centre(before, SEVEN)
        await server.call("mobile_click_on_screen_at_coordinates", device=device, x=x, y=y)
        after = await server.call("mobile_list_elements_on_screen", device=device)
        size = await server.call("mobile_get_screen_size", device=device)
        orientation = await server.call("mobile_get_orientation", device=device)
        await server.call("mobile_set_orientation", device=device, orientation="landscape")
        turned = await server.call("mobile_get_orientation", device=device)
        picture = await server.call("mobile_take_screenshot", device=device)
        await server.call("mobile_press_button", device=device, button="HOME")

    assert [
        (each["id"], each["name"], each["platform"], each["version"], each["state"])
        for each in devices["devices"]
    ] == [(device, "Handheld Virtual", "android", rig.release, "online")]
    assert CALCULATOR in apps
    assert 'text="' not in _line(before, FORMULA)
    assert 'text="7"' in _line(after, FORMULA)
    assert "1080x2400" in size
    assert "portrait" in orientation
    assert "landscape" in turned
    assert "2400x1080" in picture
    assert rig.phone.world.front.app.package == "com.android.launcher3"


def _line(elements: str, id: str) -> str:
    found = [line for line in elements.splitlines() if f'id="{id}"' in line]
    assert len(found) == 1, elements
    return found[0]


def _centre(elements: str, id: str) -> tuple[int, int]:
    found = re.search(r"at=(\d+),(\d+) size=(\d+)x(\d+)", _line(elements, id))
    assert found
    left, top, width, height = map(int, found.groups())
    return left + width // 2, top + height // 2
