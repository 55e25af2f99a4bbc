"""What lies over something else: covered targets, windows side by side, the keyboard."""

import pytest

from handheld_virtual.views.layout import Column, Frame
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.field import Field
from testbed import show_scene
from testbed.awkward import SplitScreen

from .conftest import AgentBench
from .pages import show

pytestmark = pytest.mark.matrix


def stacked(bench: AgentBench, height: float) -> list[str]:
    """A high button, and one above its middle; what is tapped is noted."""
    tapped: list[str] = []
    show(
        bench,
        lambda: Frame(
            Button("Map", lambda: tapped.append("Map"), width=MATCH, height=400),
            Button("Locate", lambda: tapped.append("Locate"), width=MATCH, height=height),
            content_gravity="center",
        ),
    )
    return tapped


@pytest.mark.parametrize("times", [1, 2])
async def test_a_tap_reaches_a_target_where_nothing_lies_over_it(
    bench: AgentBench, times: int
) -> None:
    tapped = stacked(bench, 100)
    ref = await bench.ref("Map")
    for at in ("Map", ref):
        await bench.call("tap", at=at, times=times)
    assert tapped == ["Map"] * 2 * times


async def test_what_is_covered_is_tapped_and_the_reply_names_what_lies_over_it(
    bench: AgentBench,
) -> None:
    tapped = stacked(bench, 400)
    rows = await bench.look()
    assert any(row.endswith('"Map" covered') for row in rows)
    reply = await bench.call("tap", at="Map")
    assert '"Map", which lies under ' in reply
    assert '"Locate".' in reply.splitlines()[0]
    # The helper clicks the element itself; a finger touches what is on top.
    assert tapped == ["Map"]
    await bench.call("tap", at="Map", times=2)
    assert tapped == ["Map", "Locate", "Locate"]


async def test_a_text_is_tapped_where_nothing_lies_over_it(bench: AgentBench) -> None:
    touched: list[str] = []

    def content() -> View:
        return Frame(
            Frame(
                Text("Read me", width=MATCH, height=400),
                width=MATCH,
                height=400,
                on_touch=lambda action, *_: touched.append(action),
            ),
            Button("Locate", lambda: touched.append("Locate"), width=MATCH, height=100),
            content_gravity="center",
        )

    show(bench, content)
    await bench.call("tap", at="Read me")
    assert "Locate" not in touched
    assert touched


async def test_both_apps_of_a_split_screen_are_shown_and_tapped(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "split_screen")
    assert isinstance(scene, SplitScreen)
    bench.world.settle()
    await bench.clock.advance(1)
    rows = await bench.look()
    assert rows[0].startswith('dev.handheld.testbed "Testbed" s')
    assert any(row.startswith("window com.android.calculator2") for row in rows)
    await bench.call("do", steps=[{"tap": "7"}, {"tap": "Tap"}, {"tap": "8"}])
    assert scene.taps == 1
    assert '"78"' in "".join(await bench.look())


async def test_a_field_under_the_keyboard_is_typed_into(bench: AgentBench) -> None:
    field = Field(hint="Bottom", id="bottom", width=MATCH)
    show(
        bench,
        lambda: Column(
            Field(hint="Top", id="top", width=MATCH), Frame(height=560), field, width=MATCH
        ),
    )
    ref = await bench.ref("Bottom")
    reply = await bench.call("type", into="Top", text="one")
    assert "keyboard open" in reply
    await bench.call("type", into=ref, text="two")
    assert field.content == "two"
