"""What an action answers when the screen after it is missing, restless or late."""

import pytest

from handheld_virtual.packages.app import Activity
from handheld_virtual.views.layout import Frame
from handheld_virtual.views.view import MATCH, View
from testbed import installed_testbed, show_scene
from testbed.screens import ChangingText

from .conftest import AgentBench

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


async def counting(bench: AgentBench, **extras: str) -> tuple[ChangingText, str]:
    """A counter on the screen, and the ref of the button that increases it."""
    scene = show_scene(bench.world, "changing_text", **extras)
    assert isinstance(scene, ChangingText)
    return scene, await bench.ref("More")


def hide_all_on_click(bench: AgentBench, scene: ChangingText) -> None:
    """The button's click ends with windows that give no content any more."""

    def click() -> None:
        scene.more()
        windows = bench.world.automation.listed_windows()
        bench.world.rootless_packages.update(window.package for _, window, _ in windows)

    scene.button.on_click = click


@both
async def test_a_tap_answers_with_the_row_that_it_changed(bench: AgentBench) -> None:
    scene, ref = await counting(bench)
    reply = (await bench.call("tap", at=ref)).split("\n")
    assert scene.count == 1
    assert reply[0] == f'Tapped {ref} "More".'
    assert [row for row in reply[1:] if '"1"' in row]


@both
async def test_an_action_is_done_though_the_screen_cannot_be_read_after_it(
    bench: AgentBench,
) -> None:
    scene, ref = await counting(bench)
    hide_all_on_click(bench, scene)
    reply = await bench.call("tap", at=ref)
    assert scene.count == 1
    assert reply == (
        f'Tapped {ref} "More". The screen could not be read after it: All windows returned null'
        " root nodes."
    )


async def test_a_screen_that_keeps_changing_is_shown_as_it_is(bench: AgentBench) -> None:
    _, ref = await counting(bench, every="200")
    reply = (await bench.call("tap", at=ref)).split("\n")
    assert reply[0] == f'Tapped {ref} "More". Still changing.'
    assert any(row.endswith('"More"') for row in reply)


async def test_late_changes_are_awaited(bench: AgentBench) -> None:
    scene, ref = await counting(bench)
    bench.world.timers.after(200, scene.more)
    bench.world.timers.after(400, scene.more)
    assert '"3"' in await bench.call("tap", at=ref)


async def test_a_ref_that_cannot_be_clicked_any_more_is_touched(bench: AgentBench) -> None:
    scene, ref = await counting(bench)
    scene.button.clickable = False
    bench.events()
    await bench.call("tap", at=ref)
    assert [event[:2] for event in bench.events() if event[0] == "touch"] == [
        ("touch", "down"),
        ("touch", "up"),
    ]


async def test_a_text_that_ticks_is_neither_a_change_nor_unrest(bench: AgentBench) -> None:
    scene, _ = await counting(bench, every="200")
    await bench.clock.advance(1000)
    shown = await bench.look()
    count = scene.count
    reply = (await bench.call("tap", at="5,2300")).split("\n")
    assert reply[0] == "Tapped 5,2300. Nothing changed in 0.5 s."
    # What it reads by now is told all the same.
    assert scene.count > count
    assert reply[1].endswith(f" since {shown[0].rpartition(' ')[2]}:")
    assert reply[2:] == [f'~ "{scene.count}"']


async def test_a_tap_beside_a_text_that_ticks_rests(bench: AgentBench) -> None:
    scene, ref = await counting(bench, every="200")
    scene.button.on_click = lambda: setattr(scene.button, "text", "Less")
    await bench.clock.advance(1000)
    await bench.look()
    reply = await bench.call("tap", at=ref)
    assert "Still changing." not in reply
    assert '"Less"' in reply


async def test_a_clock_that_runs_does_not_make_its_screen_restless(bench: AgentBench) -> None:
    await bench.call("open", what="Clock")
    await bench.call("tap", at="Stopwatch")
    await bench.call("tap", at="Start")
    await bench.clock.advance(2000)
    reply = await bench.call("tap", at="Pause")
    assert "Still changing." not in reply
    assert '"Resume"' in reply or '"Start"' in reply


async def test_a_page_that_loads_is_shown_as_it_is(bench: AgentBench) -> None:
    await bench.call("open", what="Widgets")
    reply = (await bench.call("tap", at="Slow page")).split("\n")
    assert "Still changing." not in reply[0]
    assert not any("loaded" in row for row in reply)
    reply = (await bench.call("wait", text="The page is loaded")).split("\n")
    assert reply[0] == '"The page is loaded" is visible.'


async def test_an_opened_app_is_waited_for_until_its_window_has_content(bench: AgentBench) -> None:
    await bench.look()
    bench.world.transition_ms = 4000
    reply = (await bench.call("open", what="Calculator")).split("\n")
    assert reply[0] == 'Opened "Calculator".'
    assert reply[1].startswith('com.android.calculator2 "Calculator" s')


async def test_an_opened_app_without_content_is_waited_for_10_s(bench: AgentBench) -> None:
    await bench.look()
    bench.world.rootless_packages.add("com.android.calculator2")
    before = bench.clock.now()
    reply = await bench.call("open", what="Calculator")
    assert reply.startswith('Opened "Calculator". Its window has no content after 10 s.\n')
    assert 10_000 <= bench.clock.now() - before < 11_000


async def test_a_tap_on_plain_words_says_that_they_are_not_clickable(bench: AgentBench) -> None:
    await counting(bench)
    assert (await bench.call("tap", at="0")).endswith(
        "Nothing changed in 0.5 s. It is not clickable."
    )


class Drawing(Activity):
    """A game: nothing that it shows is a view."""

    name = ".Drawing"

    def content(self) -> View:
        return Frame(width=MATCH, height=MATCH)


async def test_a_tap_without_effect_on_a_screen_that_draws_itself_says_so(
    bench: AgentBench,
) -> None:
    bench.world.open(Drawing(installed_testbed(bench.world), {}))
    await bench.look()
    assert await bench.call("tap", at="540,1200") == (
        "Tapped 540,1200. Nothing changed in 0.5 s. The screen draws itself: phone_look with"
        " picture shows it."
    )
