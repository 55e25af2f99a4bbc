"""What replies say of a screen that is read without the helper."""

import pytest

from handheld.driver.by_shell.screen import MOVED, NOTE
from handheld_virtual.views.layout import Column, Frame
from handheld_virtual.views.view import MATCH
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.field import Field
from testbed import installed_testbed

from .conftest import AgentBench
from .pages import Page, show

pytestmark = [
    pytest.mark.by_shell,
    pytest.mark.parametrize("agent_by", ["shell"], indirect=True),
]


async def test_how_the_screen_is_read_is_said_once(bench: AgentBench) -> None:
    assert NOTE in await bench.look()
    assert NOTE not in await bench.look()
    assert NOTE not in await bench.call("open", what="com.android.settings")
    assert NOTE not in await bench.call("wait")
    assert NOTE in await bench.call("look", all=True)


async def test_how_the_screen_is_read_is_said_by_the_first_action(bench: AgentBench) -> None:
    assert NOTE in (await bench.call("open", what="com.android.settings")).split("\n")
    assert NOTE not in await bench.look()


async def test_how_the_screen_is_read_is_said_by_the_first_steps(bench: AgentBench) -> None:
    steps = [{"tool": "press", "key": "home"}, {"tool": "open", "what": "com.android.settings"}]
    assert NOTE in (await bench.call("do", steps=steps)).split("\n")
    assert NOTE not in await bench.look()


async def test_the_hint_of_an_empty_password_field_is_not_counted(bench: AgentBench) -> None:
    """A dump gives it as the field's text."""
    field = Field(hint="Password", id="pin", password=True, width=600)
    show(bench, lambda: Column(field))
    assert "a1 field #pin secret" in await bench.look()
    field.content = "abcde"
    assert "a1 field #pin secret 5 chars" in await bench.look()


async def test_where_nothing_tells_what_is_above_the_reply_says_what_may_have_been_touched(
    bench: AgentBench,
) -> None:
    """A dump of this release has no drawing order."""
    tapped: list[str] = []
    show(
        bench,
        lambda: Frame(
            Button("Map", lambda: tapped.append("Map"), width=MATCH, height=400),
            Button("Locate", lambda: tapped.append("Locate"), width=MATCH, height=400),
        ),
    )
    rows = await bench.look()
    assert not [row for row in rows if "covered" in row]
    for at, other in (("Map", "Locate"), ("Locate", "Map")):
        reply = await bench.call("tap", at=at)
        assert f'"{at}", which may lie under ' in reply
        assert f'"{other}".' in reply.splitlines()[0]
    assert tapped == ["Locate", "Locate"]


async def test_an_activity_that_opens_during_each_read_is_said(bench: AgentBench) -> None:
    class Step(Page):
        """An activity that another follows as soon as it is read."""

        def __init__(self, number: int) -> None:
            super().__init__(installed_testbed(world), lambda: Text(f"Step {number}"))
            self.number = number

    class OtherStep(Step):
        """Its successor has another name."""

    def open_step(number: int) -> None:
        world.open((Step if number % 2 else OtherStep)(number))
        world.automation.on_walk = lambda: open_step(number + 1)

    world = bench.world
    open_step(0)
    world.settle()
    rows = await bench.look()
    assert MOVED in rows
