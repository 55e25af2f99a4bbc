"""PyPI mobilerun-core, a library: a program of its own environment drives the phone with it."""

import json
from pathlib import Path

import pytest
from peering import CALCULATOR, FORMULA, PEERS, SEVEN, PeerPhone, need, run

pytestmark = pytest.mark.needs_peers

PEER = "mobilerun-core"
PYTHON = PEERS / "mobilerun-core" / "bin" / "python"
PROGRAM = Path(__file__).with_name("mobilerun_program.py")


async def test_it_finds_the_phone_reads_the_screen_and_taps_a_seven(rig: PeerPhone) -> None:
    command = [str(need(PYTHON)), str(PROGRAM), CALCULATOR, FORMULA, SEVEN]
    saw = json.loads(await run(command, rig.environment))

    # Before Android 14 a dump cuts windows off where the navigation bar begins.
    height = 2400 if rig.api >= 34 else 2274
    assert saw == {
        "devices": [rig.serial],
        "formula before": "",
        "formula after": "7",
        "app": CALCULATOR,
        "screen": [1080, height],
        "has the calculator": True,
        "picture begins": "iVBORw0KGgo",
        "app after home": "com.android.launcher3",
    }
    assert rig.phone.world.front.app.package == "com.android.launcher3"
