"""The example of docs/app-tools.md is one to follow."""

from pathlib import Path

from handheld.virtual.toolkit import load_app

from .test_on_phone import Setup, setup

__all__ = ["setup"]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tea_tools_app.py"


async def test_the_example_app_passes_its_check(setup: Setup) -> None:
    setup.device.world.install(load_app(str(EXAMPLE)))
    lines = await setup.check("org.example.tea", call=True)
    assert [line for line in lines if line[0] != "ok"] == []
    assert {"brew_tea, mistyped", "drink_tea, missing 'cups'"} <= {line[1] for line in lines}
