"""A screen that is not the one in front: it is read again once, and then the header says so."""

import pytest

from handheld_virtual.views.widgets.basic import Text
from testbed import installed_testbed

from .conftest import AgentBench
from .pages import Page, show

CALCULATOR, SETTINGS = "com.android.calculator2", "com.android.settings"

pytestmark = [
    pytest.mark.by_shell,
    pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True),
]


async def open_app(bench: AgentBench, package: str) -> None:
    bench.world.show(package)
    bench.world.settle()
    await bench.clock.advance(1)


@pytest.mark.parametrize("fault", ["old-windows", "old-root"])
async def test_an_old_window_is_read_again(bench: AgentBench, fault: str) -> None:
    await open_app(bench, CALCULATOR)
    bench.device.faults.set(fault)
    await open_app(bench, SETTINGS)
    rows = await bench.look()
    assert rows[0].startswith(f"{SETTINGS} ")


@pytest.mark.parametrize("fault", ["old-windows", "old-root"])
async def test_an_old_window_that_stays_is_said(bench: AgentBench, fault: str) -> None:
    await open_app(bench, CALCULATOR)
    bench.device.faults.set(f"{fault}=100")
    await open_app(bench, SETTINGS)
    rows = await bench.look()
    assert rows[0].startswith(f"reading {CALCULATOR} ")
    assert f", but {SETTINGS} is in front s" in rows[0]
    bench.device.faults.clear(fault)
    await bench.clock.advance(1)
    rows = await bench.look()
    assert rows[0].startswith(f"{SETTINGS} ")


async def test_an_app_that_comes_to_the_front_during_the_read_is_shown(bench: AgentBench) -> None:
    await open_app(bench, CALCULATOR)
    bench.device.faults.set(f"open-during-walk={SETTINGS}")
    rows = await bench.look()
    assert rows[0].startswith(f"{SETTINGS} ")


async def test_another_activity_of_the_app_that_opens_during_the_read_is_shown(
    bench: AgentBench,
) -> None:
    class Pay(Page):
        """Another activity of the same app."""

    world = bench.world
    show(bench, lambda: Text("Shop"))
    world.settle()
    pay = Pay(installed_testbed(world), lambda: Text("To pay"))
    world.automation.on_walk = lambda: world.open(pay)
    rows = await bench.look()
    assert "To pay" in "".join(rows)
    assert "Shop" not in "".join(rows)
