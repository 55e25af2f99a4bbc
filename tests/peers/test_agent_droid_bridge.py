"""PyPI agent-droid-bridge, with its pack of tools for apps."""

import json

import pytest
from peering import CALCULATOR, FORMULA, PEERS, SEVEN, PeerPhone, need, peer

pytestmark = pytest.mark.needs_peers

PEER = "agent-droid-bridge"
SERVER = PEERS / "agent-droid-bridge" / "bin" / "agent-droid-bridge"


async def test_it_finds_the_phone_reads_the_screen_and_taps_a_seven(rig: PeerPhone) -> None:
    async with peer(rig, [str(need(SERVER))], ADB_EXTRA_TOOL_PACKS="app_manager") as server:
        devices = json.loads(await server.call("list_devices"))
        launched = await server.call("launch_app", component=f"{CALCULATOR}/.Calculator")
        before = json.loads(await server.call("get_screen_elements", mode="all"))["elements"]
        seven = _element(before, SEVEN)
        await server.call("tap_screen", x=seven["center_x"], y=seven["center_y"])
        after = json.loads(await server.call("get_screen_elements", mode="all"))["elements"]
        able = json.loads(await server.call("check_device_capabilities", mode="all"))
        packages = json.loads(await server.call("list_packages"))["packages"]
        about = json.loads(await server.call("get_app_info", package=CALCULATOR))
        again = json.loads(await server.call("launch_app_extra", package=CALCULATOR))

    assert devices == [{"serial": rig.serial, "state": "device", "model": "Handheld_Virtual"}]
    assert launched == f"Launched {CALCULATOR}/.Calculator"
    assert _element(before, FORMULA)["text"] == ""
    assert _element(after, FORMULA)["text"] == "7"
    assert rig.formula == "7"
    assert (able["android_version"], able["api_level"]) == (rig.release, rig.api)
    assert able["screen_resolution"] == "1080x2400"
    assert able["root_available"] is False
    assert CALCULATOR in [each["package"] for each in packages]
    assert about["error"] is None
    assert about["metadata"]["version_name"]
    assert (again["success"], again["component"]) == (True, f"{CALCULATOR}/.Calculator")


def _element(elements: list[dict[str, object]], id: str) -> dict[str, object]:
    found = [each for each in elements if each["resource_id"] == id]
    assert len(found) == 1, elements
    return found[0]
