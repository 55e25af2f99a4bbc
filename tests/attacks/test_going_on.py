"""One call opens a denied app and goes on in it: the rest of it is not done."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, TypeVar

import pytest

from access.test_app_in_front import Front
from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.audit import Record
from handheld.calls.admission import Admission
from handheld.calls.call import Call
from handheld.calls.guard import ActionGuard, Stopped
from handheld.driver.guarding import split_bursts
from handheld.errors import InvalidParams
from handheld.phone.phone import Phone
from handheld.settings.rules import Rules
from handheld.tools.call import Beside, ToolCall
from handheld.tools.tool import Listing
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.field import Field
from harness.manual_clock import ManualClock
from harness.polling import HANG

Result = TypeVar("Result")

ATTACK = "one call goes on in a denied app"
SETTINGS = "com.android.settings"


async def icon(target: Target, words: str) -> tuple[float, float]:
    screen = await target.read()
    node = next(
        node
        for window in screen.windows
        for node in window.nodes
        if words in (node.text, node.description)
    )
    box = node.bounds
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def tap(x: float, y: float, time: float) -> list[dict[str, float]]:
    return [{"x": x, "y": y, "time": time}, {"x": x, "y": y, "time": time + 50}]


async def test_a_gesture_that_opens_a_denied_app_ends_before_its_next_stroke(
    target: Target,
) -> None:
    target.deny(f"app:{SETTINGS}")
    x, y = await icon(target, "Settings")
    reply = await target.refused("custom_gesture", paths=[tap(x, y, 0), tap(540, 900, 3000)])
    assert target.world.is_in_front(SETTINGS)
    assert target.touches() == [(x, y)]
    assert "was stopped: another app came to the front" in reply
    assert "1 of its parts had been tried." in reply


async def test_a_first_stroke_that_waits_does_not_touch_a_denied_app_that_came_meanwhile(
    target: Target,
) -> None:
    target.deny(f"app:{SETTINGS}")
    pause = asyncio.create_task(target.in_pause(50_000, lambda: target.world.show(SETTINGS)))
    reply = await target.refused("custom_gesture", paths=[tap(540, 900, 50_000)])
    await pause
    assert target.world.is_in_front(SETTINGS)
    assert target.touches() == []
    assert "was stopped: another app came to the front" in reply
    assert "Nothing was done." in reply


async def test_a_first_stroke_that_waits_is_made_where_nothing_else_came(target: Target) -> None:
    target.deny(f"app:{SETTINGS}")
    pause = asyncio.create_task(target.in_pause(50_000, lambda: None))
    await target.call("custom_gesture", paths=[tap(540, 900, 50_000)])
    await pause
    assert target.touches() == [(540, 900)]


@pytest.mark.matrix
async def test_a_gesture_within_an_allowed_app_is_done_whole(target: Target) -> None:
    target.deny("app:com.bank")
    x, y = await icon(target, "Settings")
    await target.call("custom_gesture", paths=[tap(x, y, 0), tap(540, 900, 3000)])
    assert target.touches() == [(x, y), (540, 900)]


async def test_many_taps_of_one_call_end_where_a_denied_app_comes_to_the_front(
    target: Target,
) -> None:
    target.deny(f"app:{SETTINGS}")
    x, y = await icon(target, "Settings")
    await target.refused("phone_tap", x=x, y=y, times=3)
    assert target.world.is_in_front(SETTINGS)
    # The two taps of a double tap are one touch.
    assert target.touches() == [(x, y)] * 2


def test_a_finger_that_goes_down_late_while_another_is_down_is_refused() -> None:
    held = [(10.0, 10.0, 0.0), (10.0, 10.0, 60_000.0)]
    with pytest.raises(InvalidParams, match="A finger goes down at 2000 ms while others are down"):
        split_bursts([held, [(540.0, 900.0, 2000.0)]])


@pytest.mark.parametrize(
    ("begin", "bursts"),
    [
        ([0, 0], [(0, 2)]),
        ([0, 100], [(0, 2)]),
        ([0, 100, 200], [(0, 2), (100, 1)]),
        ([500, 1000], [(500, 1), (500, 1)]),
    ],
)
def test_strokes_that_go_down_together_stay_together(
    begin: list[float], bursts: list[tuple[float, int]]
) -> None:
    split = split_bursts([[(1.0, 1.0, at)] for at in begin])
    assert [(pause, len(burst)) for pause, burst in split] == bursts
    assert all(burst[0][0][2] == 0 for _, burst in split)


class Leading(Activity):
    name = ".Leading"

    def content(self) -> View:
        return Column(Field(id="leading", width=MATCH, on_type=self._lead))

    def _lead(self, text: str) -> None:
        if len(text) == 3:
            self.app.world.show(SETTINGS)


class LeadingApp(App):
    package, label = "org.example.leading", "Leading"
    main = ".Leading"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Leading": Leading}


async def test_typing_that_leads_into_a_denied_app_does_not_go_on_there(target: Target) -> None:
    target.world.install(LeadingApp)
    target.world.show("org.example.leading")
    target.deny(f"app:{SETTINGS}")
    [item] = await target.call("find_elements", by="resource_id", value="leading")
    [found] = json.loads(str(item))["elements"]
    await target.refused("type_append_text", element_id=found["id"], text="x" * 40)
    assert target.world.is_in_front(SETTINGS)
    screen = await target.read()
    texts = [node.text or "" for window in screen.windows for node in window.nodes]
    assert not [text for text in texts if "xx" in text]


async def test_what_lasts_is_stopped_and_the_reply_says_how_far_it_came() -> None:
    clock, front = ManualClock(0.0), Front()
    front.apps = ["com.notes", "com.bank"]
    phone = Phone("serial", front, clock=clock)
    record = Record(None, ToolCall("type", Listing("type", "", "", {}), {}, AGENT))
    call = Call("type", None, record)
    call.phone = phone
    admission = Admission(ApprovalGate(Rules(deny=["app:com.bank"])))
    guard = ActionGuard(admission, call, ("com.notes",))

    async def type_on() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as stop:
            stop.add_note("7 of 40 characters had been typed.")
            raise

    running = asyncio.ensure_future(guard.during(type_on))
    async with asyncio.timeout(HANG):
        while not running.done():
            await asyncio.sleep(0)
            if clock.waits:
                await clock.advance(0.1)
    with pytest.raises(
        Stopped, match=r"\(rule 'app:com.bank'\)\. 7 of 40 characters had been typed"
    ):
        await running
    assert front.reads == 2


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone has one finger
async def test_a_pinch_ends_where_a_denied_app_comes_to_the_front(target: Target) -> None:
    target.deny(f"app:{SETTINGS}")

    async def open_it() -> None:
        while not target.touches():  # noqa: ASYNC110
            await asyncio.sleep(0)
        target.world.show(SETTINGS)

    opening = asyncio.create_task(open_it())
    reply = await target.refused("pinch", center_x=540, center_y=1200, scale=2, duration=50_000)
    await opening
    assert f"(rule 'app:{SETTINGS}')" in reply
    assert target.device.clock.now() < 10_000


class Noting:
    """A guard that notes what it is asked."""

    judges_parts = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def hides(self, package: str) -> bool:
        return False

    def admits(self, package: str) -> bool:
        return True

    async def before(self, *, waited: bool = False) -> None:
        self.asked.append("before")

    async def check_picture(self, far: str) -> None:
        self.asked.append("check_picture")

    async def watch_pictures(self, far: str) -> None:
        self.asked.append("watch_pictures")

    async def during(self, perform: Callable[[], Awaitable[Result]]) -> Result:
        self.asked.append("during")
        return await perform()


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_pinches_and_drags_are_watched_however_short(target: Target) -> None:
    guard = Noting()
    driver = target.phone.driver.guarded(guard)
    await target.passing(driver.pinch(540, 1200, 2, 100))
    await target.passing(driver.pinch(540, 1200, 2, 500))
    await target.passing(driver.drag((540, 1500), (540, 900), 420))
    assert guard.asked == ["before", "during"] * 3


async def test_cancelling_a_call_that_is_watched_stops_its_action(target: Target) -> None:
    target.deny("app:com.bank")
    long = [{"x": 500, "y": 800, "time": 0}, {"x": 500, "y": 900, "time": 50_000}]
    call = asyncio.create_task(target.call("custom_gesture", paths=[long]))
    async with asyncio.timeout(HANG):
        while not target.touches():  # noqa: ASYNC110
            await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


@pytest.mark.parametrize(
    ("ask", "seen", "now", "rule"),
    [
        ("app:com.bank.*", "com.bank.one", ("com.bank.one", "com.notes"), None),
        ("app:com.bank.*", "com.bank.one", ("com.bank.two",), "app:com.bank.*"),
        ("app:com.bank.*", "com.bank.one", ("com.bank.one", "com.bank.two"), "app:com.bank.*"),
        ("app:com.bank.*", "com.bank.one", ("com.notes", Beside("com.bank.two")), "app:com.bank.*"),
        ("app:com.bank.*", "com.bank.one", (), "app:com.bank.*"),
        ("tap,app:com.bank.*", "com.launcher", ("com.bank.one",), "app:com.bank.*"),
        ("tap,app:com.bank.*", "com.launcher", ("com.notes",), None),
        ("tap", "com.launcher", ("com.notes",), None),
    ],
)
def test_a_call_goes_on_only_in_apps_that_the_person_saw_who_allowed_it(
    ask: str, seen: str, now: tuple[str, ...], rule: str | None
) -> None:
    gate = ApprovalGate(Rules(ask=ask.split(",")))
    gate.consoles = 1
    call = ToolCall("tap", Listing("tap", "", "", {}), {}, AGENT, "", (seen,))
    assert gate.objection(call, now) == rule
