"""The screen changes between the question and the yes: it is asked anew."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from access.test_app_in_front import Front
from attacks import test_disguised_touches
from attacks.conftest import AGENT, Target
from attacks.test_disguised_touches import focus
from handheld.access.approval import ApprovalGate, QuestionSubscription
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.errors import ToolError
from handheld.phone.phone import Phone
from handheld.settings.rules import Rules
from handheld.tools.recording import Secret
from handheld.tools.tool import Toolset
from handheld_virtual.toolkit import Activity, App, Column, ProgressBar, View
from handheld_virtual.views.view import MATCH, Told
from harness.one_phone import OnePhone
from testbed import show_scene

ATTACK = "a yes for another screen"
SETTINGS = "com.android.settings"
CLOCK = "com.android.deskclock"

pair = test_disguised_touches.pair


class Person:
    """Says yes to every question, after something happened on the phone."""

    def __init__(self, target: Target, rule: str, *happens: str | Callable[[], object]) -> None:
        self.target = target
        self.happens = list(happens)
        self.asked: list[tuple[tuple[str, ...], str]] = []
        self.subjects: list[str] = []
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
                self.subjects.append(call.subject)
                if self.happens:
                    happens = self.happens.pop(0)
                    if callable(happens):
                        happens()
                    else:
                        self.target.world.show(happens)
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


@pytest.mark.parametrize("change", ["checked", "selected", "enabled"])
async def test_a_yes_does_not_count_if_an_element_has_another_state_by_then(
    target: Target, change: str
) -> None:
    window = show_scene(target.world, "mixed").window
    assert window is not None
    box = next(view for view in window.root.walk() if view.id == "box")

    def switch() -> None:
        setattr(box, change, not getattr(box, change))

    person = Person(target, "tap", switch)
    await person.call("tap", x=540, y=900)
    assert len(person.asked) == 2


class Level(Activity):
    def content(self) -> View:
        return Column(ProgressBar(0.2, width=MATCH, height=100))


class Levels(App):
    package, label = "org.example.levels", "Levels"
    screens = (Level,)


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone reads no values
async def test_a_yes_does_not_count_if_a_bar_has_another_value_by_then(target: Target) -> None:
    target.world.install(Levels)
    target.world.show(Levels.package)
    views = [view for window in target.world.windows() for view in window.root.walk()]
    [bar] = [view for view in views if isinstance(view, ProgressBar)]
    person = Person(target, "tap", lambda: setattr(bar, "done", 0.9))
    await person.call("tap", x=540, y=900)
    assert len(person.asked) == 2


async def test_a_yes_to_a_key_does_not_count_if_something_else_has_the_focus_by_then(
    pair: Target,
) -> None:
    focus(pair, "keep")
    person = Person(pair, "press_key", lambda: focus(pair, "delete"))
    await person.call("phone_press", key="enter")
    assert len(person.asked) == 2
    assert ['"Keep"' in person.subjects[0], '"Delete"' in person.subjects[1]] == [True, True]


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone reads no states
async def test_a_yes_does_not_count_if_an_app_calls_its_state_otherwise_by_then(
    pair: Target,
) -> None:
    window = pair.world.focused_window
    assert window is not None
    button = next(view for view in window.root.walk() if view.id == "delete")
    button.told = Told(state="to Ada")
    person = Person(pair, "tap", lambda: setattr(button, "told", Told(state="to Eve")))
    await person.call("tap", x=540, y=900)
    assert len(person.asked) == 2


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


class Unreadable:
    """A phone whose screen cannot be read, from a read on; the person says yes to everything."""

    def __init__(self, *apps: str | None) -> None:
        self.asked = 0
        self.done: list[str] = []
        self.gate = ApprovalGate(Rules(ask=["*"]))
        self.gate.consoles = 1
        front = Front()
        front.apps = [*apps, None]
        phones = OnePhone(Phone("serial", front))
        touch, sms = Toolset("touch"), Toolset("sms")

        async def poke(phone: Phone) -> str:
            """Touches the screen."""
            self.done.append("poke")
            return "done"

        async def post(phone: Phone) -> str:
            """Sends something."""
            self.done.append("post")
            return "done"

        touch.tool(title="Poke", secret_reply=Secret.NO)(poke)
        sms.tool(title="Post", exclusive=False, secret_reply=Secret.NO)(post)
        self.surface = LocalSurface((touch, sms), phones, SurfaceOptions(gate=self.gate))

    async def call(self, tool: str) -> str:
        with self.gate.subscribe() as questions:
            answering = asyncio.create_task(self._answer(questions))
            try:
                return str(await self.surface.call(f"android_{tool}", {}, AGENT))
            except ToolError as failure:
                return failure.message
            finally:
                answering.cancel()

    async def _answer(self, questions: QuestionSubscription) -> None:
        async for change in questions:
            if change.state == "asked":
                self.asked += 1
                self.gate.answer(change.pending.id, True, "owner")


@pytest.mark.parametrize(("apps", "asked"), [([], 0), (["com.notes"], 1)])
async def test_no_yes_counts_for_a_screen_that_cannot_be_read(apps: list[str], asked: int) -> None:
    scene = Unreadable(*apps)
    reply = await scene.call("poke")
    assert "It cannot be read now, so the owner was not asked. Nothing was done." in reply
    assert (scene.asked, scene.done) == (asked, [])


async def test_what_does_not_depend_on_the_screen_is_asked_about_where_it_cannot_be_read() -> None:
    scene = Unreadable()
    await scene.call("post")
    assert (scene.asked, scene.done) == (1, ["post"])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("close_app", {"package_id": CLOCK}),
        ("send_sms", {"to_phone_number": "+36201234567", "sms_text": "Hello"}),
    ],
)
async def test_a_yes_to_what_the_arguments_tell_counts_for_every_screen(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    """On the phone itself the question is on the screen, with the seconds that are left."""
    target.world.show(CLOCK)
    person = Person(target, tool, SETTINGS)
    await person.call(tool, **arguments)
    assert len(person.asked) == 1
