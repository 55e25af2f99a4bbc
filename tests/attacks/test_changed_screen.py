"""The screen changes between the question and the yes: it is asked anew."""

import asyncio
from typing import Any

import pytest

from attacks.conftest import Target
from handheld.access.approval import ApprovalGate
from handheld.errors import ToolError
from handheld.settings.rules import Rules

ATTACK = "a yes for another screen"
SETTINGS = "com.android.settings"
CLOCK = "com.android.deskclock"


class Person:
    """Says yes to every question, after something happened on the phone."""

    def __init__(self, target: Target, rule: str, *happens: str) -> None:
        self.target = target
        self.happens = list(happens)
        self.asked: list[tuple[tuple[str, ...], str]] = []
        self.gate = ApprovalGate(Rules(ask=[rule]))
        self.gate.consoles = 1
        target.rule(self.gate)

    async def call(self, name: str, **arguments: Any) -> object:
        with self.gate.subscribe() as questions:
            answering = asyncio.create_task(self._answer(questions))
            try:
                return await self.target.call(name, **arguments)
            except ToolError as failure:
                return failure.message
            finally:
                answering.cancel()

    async def _answer(self, questions: Any) -> None:
        async for change in questions:
            if change.state == "asked":
                call = change.pending.call
                self.asked.append((call.apps, call.screen))
                if self.happens:
                    self.target.world.show(self.happens.pop(0))
                self.gate.answer(change.pending.id, True, "owner")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("tap", {"x": 540, "y": 900}), ("get_clipboard", {}), ("get_screen_state", {})],
)
async def test_a_yes_counts_only_for_the_screen_that_the_person_saw(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.world.show(CLOCK)
    person = Person(target, tool, SETTINGS)
    await person.call(tool, **arguments)
    assert [apps[0] for apps, _ in person.asked] == [CLOCK, SETTINGS]
    assert all(title for _, title in person.asked)


async def test_a_yes_for_the_screen_as_it_is_is_asked_for_once(target: Target) -> None:
    target.world.show(SETTINGS)
    person = Person(target, "tap")
    await person.call("tap", x=540, y=900)
    assert len(person.asked) == 1
    assert target.touches() == [(540, 900)]


@pytest.mark.parametrize("changes", [True, False])
async def test_a_yes_for_a_touch_that_waits_counts_only_while_the_screen_is_the_same(
    target: Target, changes: bool
) -> None:
    target.world.show(SETTINGS)
    person = Person(target, "custom_gesture")
    to = CLOCK if changes else SETTINGS
    pause = asyncio.create_task(target.in_pause(50_000, lambda: target.world.show(to)))
    late = {"x": 540, "y": 900, "time": 50_000}
    reply = str(await person.call("custom_gesture", paths=[[late, {**late, "time": 50_050}]]))
    await pause
    assert len(person.asked) == 1
    if changes:
        assert "the screen changed during the pause before its first touch" in reply
    assert target.touches() == ([] if changes else [(540, 900)])


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone has one finger
async def test_fingers_of_a_gesture_that_was_allowed_go_down_when_they_should(
    target: Target,
) -> None:
    target.world.show(SETTINGS)
    person = Person(target, "custom_gesture")
    held = [{"x": 200, "y": 900, "time": 100}, {"x": 200, "y": 900, "time": 2000}]
    late = [{"x": 800, "y": 900, "time": 1000}, {"x": 800, "y": 900, "time": 1100}]
    await person.call("custom_gesture", paths=[held, late])
    assert target.touches() == [(200, 900), (800, 900)]


async def test_a_screen_that_never_rests_ends_in_a_failure_and_nothing_done(
    target: Target,
) -> None:
    target.world.show(SETTINGS)
    person = Person(target, "tap", CLOCK, SETTINGS, CLOCK, SETTINGS, CLOCK)
    assert "Nothing was done" in str(await person.call("tap", x=540, y=900))
    assert (len(person.asked), target.touches()) == (3, [])
