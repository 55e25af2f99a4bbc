"""What an action answers when the screen after it is missing, restless or late."""

import pytest

from handheld.virtual.apps.testbed import ChangingText

from .conftest import AgentBench

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


async def counting(bench: AgentBench, **extras: str) -> tuple[ChangingText, str]:
    """A counter on the screen, and the ref of the button that increases it."""
    scene = bench.world.show_scene("changing_text", **extras)
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
