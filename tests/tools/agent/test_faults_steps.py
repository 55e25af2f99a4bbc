"""Several steps in one call: where they stop, what was done by then, and what was not."""

from typing import Any

import pytest

from handheld.errors import ElementNotFound, TimedOut
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import View
from handheld_virtual.views.widgets.basic import Button, Text
from testbed import show_scene
from testbed.screens import ChangingText

from .conftest import AgentBench
from .pages import Page, show

STEP = dict[str, Any]


def asking_page(bench: AgentBench) -> tuple[Page, list[str]]:
    """A page whose Delete button opens a dialog."""
    pressed: list[str] = []

    def delete() -> None:
        page.ask("Delete it?", "This cannot be undone.", ok=lambda: pressed.append("OK"))

    def content() -> View:
        return Column(
            Text("Notes"),
            Button("Delete", delete, id="delete"),
            Button("Next", lambda: pressed.append("Next"), id="next"),
        )

    page = show(bench, content)
    return page, pressed


async def test_a_dialog_that_the_next_step_names_is_answered(bench: AgentBench) -> None:
    _, pressed = asking_page(bench)
    await bench.call("do", steps=[{"tap": "Delete"}, {"tap": "OK"}, {"tap": "Next"}])
    assert pressed == ["OK", "Next"]


@pytest.mark.parametrize(
    "step",
    [{"press": "back"}, {"tool": "swipe", "at": "540,1200", "to": "540,600"}, {"tap": "540,1200"}],
)
async def test_a_dialog_that_the_next_step_does_not_name_stops_the_steps(
    bench: AgentBench, step: STEP
) -> None:
    page, pressed = asking_page(bench)
    failed = await bench.failure("do", steps=[{"tap": "Delete"}, step, {"tap": "Next"}])
    assert failed.message.startswith("1 of 3 done: Tapped ")
    assert "dialog dev.handheld.testbed" in failed.message
    assert failed.message.endswith(" Step 3 was not tried.")
    assert any('"OK"' in detail for detail in failed.details)
    assert pressed == []
    assert len(page.dialogs) == 1


async def test_a_ref_behind_a_dialog_is_not_tapped(bench: AgentBench) -> None:
    page, pressed = asking_page(bench)
    ref = await bench.ref("Next")
    failed = await bench.failure("do", steps=[{"tap": "Delete"}, {"tap": ref}])
    assert isinstance(failed, ElementNotFound)
    assert "answer that first" in failed.message
    assert pressed == []
    assert len(page.dialogs) == 1


async def test_another_app_that_comes_up_by_itself_stops_the_steps(bench: AgentBench) -> None:
    show(bench, lambda: Column(Text("Notes"), Button("Next", lambda: None)))
    bench.world.timers.after(100, lambda: bench.world.bring("com.android.calculator2"))
    failed = await bench.failure(
        "do", steps=[{"wait": "Notes"}, {"tool": "wait"}, {"press": "back"}]
    )
    assert failed.message.startswith("2 of 3 done: ")
    assert "com.android.calculator2" in failed.message
    assert bench.world.front.app.package == "com.android.calculator2"


async def test_an_app_that_a_step_opens_is_expected(bench: AgentBench) -> None:
    await bench.call("press", key="home")
    reply = await bench.call("do", steps=[{"tap": "Settings"}, {"press": "back"}])
    assert reply.startswith("2 of 2 done.")


@pytest.mark.matrix
async def test_steps_end_before_the_client_gives_up(bench: AgentBench) -> None:
    text = Text("0")

    def say(what: str) -> None:
        text.text = what

    show(bench, lambda: Column(text))
    bench.world.timers.after(30_000, lambda: say("half"))
    bench.world.timers.after(70_000, lambda: say("all"))
    before = bench.clock.now()
    steps = [{"tool": "wait", "text": each, "seconds": 45} for each in ("half", "all")]
    failed = await bench.failure("do", steps=steps)
    assert isinstance(failed, TimedOut)
    assert failed.message.startswith('1 of 2 done: "half" is visible. Step 2, wait: ')
    assert 48_000 < bench.clock.now() - before < 52_000


@pytest.mark.matrix
async def test_a_step_that_would_begin_too_late_is_not_tried(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    bench.world.timers.after(46_000, lambda: setattr(scene.counter, "text", "late"))
    failed = await bench.failure(
        "do", steps=[{"tool": "wait", "text": "late", "seconds": 49}, {"tap": "More"}]
    )
    assert isinstance(failed, TimedOut)
    assert "Not tried" in failed.message
    assert scene.count == 0


async def test_a_step_that_fails_by_a_lost_phone_is_not_repeated(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    await bench.look()

    def more_and_cut() -> None:
        scene.more()
        bench.device.faults.drop_link(60_000)

    scene.button.on_click = more_and_cut
    failed = await bench.failure("do", steps=[{"tap": "More"}, {"tap": "More"}, {"tap": "More"}])
    assert failed.message.startswith("0 of 3 done. Step 1, tap ")
    assert "may or may not have happened" in failed.message
    assert failed.message.endswith(" Steps 2 to 3 were not tried.")
    assert scene.count == 1


async def test_steps_that_were_done_are_said_though_the_screen_cannot_be_read_after_them(
    bench: AgentBench,
) -> None:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    await bench.look()

    def more_and_hide() -> None:
        scene.more()
        windows = bench.world.automation.listed_windows()
        bench.world.rootless_packages.update(window.package for _, window, _ in windows)

    scene.button.on_click = more_and_hide
    reply = await bench.call("do", steps=[{"tap": "More"}])
    assert reply.startswith("1 of 1 done.\nThe screen is not shown: ")
    assert scene.count == 1
