"""The example of docs/app-tools.md is one to follow."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handheld_virtual.toolkit import load_app

from .test_on_phone import Setup, open_setup

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "tea_tools_app.py"


FUNCTIONS = {"brewPot, missing 'grams'", "brewPot, mistyped", "emptyPots, called"}


@pytest.fixture(params=[34, 36])
async def setup(request: pytest.FixtureRequest) -> AsyncIterator[Setup]:
    async with open_setup(request.param) as setup:
        yield setup


async def test_the_example_app_passes_its_check(setup: Setup) -> None:
    setup.device.world.install(load_app(str(EXAMPLE)))
    lines = await setup.check("org.example.tea", call=True)
    assert [line for line in lines if line[0] != "ok"] == []
    assert {"brew_tea, mistyped", "drink_tea, missing 'cups'"} <= {line[1] for line in lines}
    tried = {line[1] for line in lines} & FUNCTIONS
    assert tried == (FUNCTIONS if setup.device.world.android.app_functions else set())
