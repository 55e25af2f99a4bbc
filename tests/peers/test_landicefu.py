"""npm @landicefu/android-adb-mcp-server: thin tools over the adb command."""

import json
import re
from pathlib import Path

import pytest
from peering import CALCULATOR, FORMULA, NODE, PEERS, SEVEN, PeerPhone, need, peer
from PIL import Image

pytestmark = pytest.mark.needs_peers

PEER = "landicefu"
SERVER = PEERS / "node_modules" / "@landicefu" / "android-adb-mcp-server" / "build" / "index.js"


async def test_it_finds_the_phone_reads_the_screen_and_taps_a_seven(
    rig: PeerPhone, tmp_path: Path
) -> None:
    async with peer(rig, [str(need(NODE)), str(need(SERVER))]) as server:
        devices = json.loads(await server.call("adb_devices"))
        packages = json.loads(await server.call("adb_list_packages"))
        launched = await server.call("launch_app", package_name=CALCULATOR)
        dumped = await server.call("adb_shell", command="uiautomator dump /sdcard/window_dump.xml")
        before = await server.call("adb_shell", command="cat /sdcard/window_dump.xml")
        left, top, right, bottom = _bounds(before, SEVEN)
        await server.call("adb_shell", command=f"input tap {left + right >> 1} {top + bottom >> 1}")
        after = await server.call("adb_shell", command="uiautomator dump /dev/tty")
        picture = tmp_path / "screen.png"
        await server.call("take_screenshot_and_save", output_path=str(picture))
        await server.call("adb_push", local_path=str(picture), remote_path="/sdcard/screen.png")
        copy = tmp_path / "copy.png"
        await server.call("adb_pull", remote_path="/sdcard/screen.png", local_path=str(copy))

    assert devices == [{"id": rig.serial, "state": "device"}]
    assert CALCULATOR in packages
    assert launched.startswith(f"App launched: {CALCULATOR}\n")
    assert "Events injected: 1" in launched.splitlines()
    assert dumped == "UI hierchary dumped to: /sdcard/window_dump.xml"
    assert _text(before, FORMULA) == ""
    assert _text(after, FORMULA) == "7"
    assert rig.formula == "7"
    with Image.open(picture) as image:
        assert image.size == (1080, 2400)
    assert copy.read_bytes() == picture.read_bytes()


def _node(dump: str, id: str) -> str:
    found = re.search(rf'<node [^>]*resource-id="{re.escape(id)}"[^>]*>', dump)
    assert found, f"{id} is not in {dump}"
    return found[0]


def _text(dump: str, id: str) -> str:
    found = re.search(r' text="([^"]*)"', _node(dump, id))
    assert found
    return found[1]


def _bounds(dump: str, id: str) -> tuple[int, ...]:
    found = re.search(r'bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', _node(dump, id))
    assert found
    return tuple(map(int, found.groups()))
