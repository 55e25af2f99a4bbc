"""npm claude-in-mobile, with its plugin for Android alone."""

import re

import pytest
from peering import CALCULATOR, NODE, PEERS, PeerPhone, need, peer

pytestmark = pytest.mark.needs_peers

PEER = "claude-in-mobile"
SERVER = PEERS / "node_modules" / "claude-in-mobile" / "bin.mjs"


async def test_it_finds_the_phone_reads_the_screen_and_taps_a_seven(rig: PeerPhone) -> None:
    command = [str(need(NODE)), str(need(SERVER))]
    async with peer(rig, command, MCP_DEVICES_PLATFORMS="android") as server:
        devices = await server.call("device", action="list")
        launched = await server.call("app", action="launch", package=CALCULATOR)
        before = await server.call("ui", action="tree")
        x, y = _centre(before, "digit_7")
        tapped = await server.call("input", action="tap", x=x, y=y)
        after = await server.call("ui", action="tree")
        activity = await server.call("system", action="activity")
        picture = await server.call("screen", action="capture")

    assert f"{rig.serial} - Handheld_Virtual (physical, device)" in devices
    assert launched == f"Launched {CALCULATOR}/.Calculator"
    assert 'text="' not in _line(before, "formula")
    assert f"Tapped at ({x}, {y})" in tapped
    assert 'text="7"' in _line(after, "formula")
    assert rig.formula == "7"
    assert f"{CALCULATOR}/.Calculator" in activity
    assert "device: 1080x2400" in picture


def _line(tree: str, id: str) -> str:
    found = [line for line in tree.splitlines() if f' id="{id}"' in line]
    assert len(found) == 1, tree
    return found[0]


def _centre(tree: str, id: str) -> tuple[int, int]:
    found = re.search(r"@ \((\d+), (\d+)\)", _line(tree, id))
    assert found
    return int(found[1]), int(found[2])
