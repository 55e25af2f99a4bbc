"""A touch or a key that is denied is made by a tool of another name."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from attacks.conftest import Target
from handheld.access.approval import ApprovalGate
from handheld.settings.rules import Rules
from handheld.tools.call import ToolCall
from handheld_virtual.toolkit import Activity, App, Button, Column, Field, Text, View
from handheld_virtual.views.view import MATCH

ATTACK = "touches by another name"
TAPS = ("tap", "double_tap", "click_element")
HOLDS = ("long_press", "long_click_element")


def path(*points: tuple[float, float, float]) -> dict[str, Any]:
    return {"paths": [[{"x": x, "y": y, "time": time} for x, y, time in points]]}


def line(x2: float, duration: float) -> dict[str, Any]:
    return {"x1": 500, "y1": 900, "x2": x2, "y2": 900, "duration": duration}


DISGUISED: tuple[tuple[str, tuple[str, ...], str, dict[str, Any]], ...] = (
    ("a swipe to where it begins", TAPS, "swipe", line(500, 100)),
    ("a swipe within the slop", TAPS, "swipe", line(515, 100)),
    ("a short long press", TAPS, "long_press", {"x": 500, "y": 900, "duration": 50}),
    ("a gesture that stays", TAPS, "custom_gesture", path((500, 900, 0), (501, 900, 50))),
    ("a pinch of nothing", TAPS, "pinch", {"center_x": 500, "center_y": 900, "scale": 1.01}),
    ("a swipe that stays", HOLDS, "swipe", line(500, 900)),
    ("a swipe that begins slowly", HOLDS, "swipe", line(900, 20_000)),
    (
        "a gesture that waits",
        HOLDS,
        "custom_gesture",
        path((500, 900, 0), (505, 900, 800), (900, 900, 900)),
    ),
    ("a swipe to the same ref", TAPS, "phone_swipe", {"at": "500,900", "to": "500,900"}),
    ("a swipe beside it", TAPS, "phone_swipe", {"at": "500,900", "to": "510,905"}),
    ("a zoom of 1", TAPS, "phone_swipe", {"at": "500,900", "zoom": 1.0}),
    ("a zoom of almost 1", TAPS, "phone_swipe", {"at": "500,900", "zoom": 1.02}),
    ("slow", HOLDS, "phone_swipe", {"at": "500,900", "to": "900,900", "ms": 20_000}),
    ("escape", ("press_back",), "phone_press", {"key": "escape"}),
    ("esc", ("press_back",), "phone_press", {"key": "ESC"}),
    ("with a modifier", ("press_back",), "phone_press", {"key": "shift+escape"}),
    ("hide_keyboard", ("press_back",), "phone_press", {"key": "hide_keyboard"}),
    ("a shortcut", ("press_back",), "phone_press", {"key": "meta+del"}),
    ("a shortcut home", ("press_home",), "phone_press", {"key": "meta+enter"}),
    ("paste", ("get_clipboard",), "phone_press", {"key": "Paste"}),
    ("another paste", ("get_clipboard",), "phone_press", {"key": "ctrl+shift+v"}),
    ("an old paste", ("get_clipboard",), "phone_press", {"key": "shift+insert"}),
    ("copy", ("set_clipboard",), "phone_press", {"key": "KEYCODE_COPY"}),
    ("cut", ("set_clipboard",), "phone_press", {"key": "ctrl+x"}),
    ("a shortcut to the overview", ("press_recents",), "phone_press", {"key": "alt+tab"}),
)


@pytest.mark.parametrize(
    ("denied", "tool", "arguments"),
    [each[1:] for each in DISGUISED],
    ids=[f"{each[2]}: {each[0]}" for each in DISGUISED],
)
async def test_it_is_judged_by_what_it_is_on_the_phone(
    target: Target,
    tried: Callable[[], None],
    denied: tuple[str, ...],
    tool: str,
    arguments: dict[str, Any],
) -> None:
    target.deny(*denied)
    tried()
    await target.refused(tool, **arguments)
    touched = [each for each in target.world.events if each.kind in ("touch", "key", "back")]
    assert touched == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("swipe", line(900, 300)),
        ("custom_gesture", path((500, 900, 0), (900, 900, 300))),
        ("phone_swipe", {"at": "500,900", "to": "900,900"}),
        ("phone_press", {"key": "up"}),
        ("phone_press", {"key": "v"}),
        ("phone_press", {"key": "ctrl+z"}),
    ],
)
async def test_what_is_something_else_is_not_denied(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.deny(*TAPS, *HOLDS, "press_back", "press_home", "get_clipboard", "set_clipboard")
    assert await target.call(tool, **arguments)


# In the list of the settings, each row is as wide as the screen and takes a click.
WITHIN_A_ROW: tuple[tuple[str, dict[str, Any]], ...] = (
    ("swipe", {"x1": 300, "y1": 900, "x2": 700, "y2": 900, "duration": 200}),
    ("swipe", {"x1": 300, "y1": 900, "x2": 300, "y2": 940, "duration": None}),
    ("custom_gesture", path((300, 900, 0), (700, 900, 100), (300, 900, 200))),
    ("pinch", {"center_x": 540, "center_y": 900, "scale": 0.89}),
    ("phone_swipe", {"at": "300,900", "to": "700,900"}),
    ("phone_swipe", {"at": "Apps", "to": "700,900"}),
    ("phone_swipe", {"at": "540,900", "zoom": 1.11}),
)


@pytest.mark.parametrize(("tool", "arguments"), WITHIN_A_ROW)
async def test_a_movement_that_clicks_what_it_stays_in_is_a_tap(
    target: Target, tried: Callable[[], None], tool: str, arguments: dict[str, Any]
) -> None:
    target.world.show("com.android.settings")
    target.deny(*TAPS)
    tried()
    assert "'tap' denies it" in await target.refused(tool, **arguments)
    assert target.touches() == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("swipe", {"x1": 300, "y1": 1500, "x2": 300, "y2": 900}),
        ("custom_gesture", path((300, 900, 0), (300, 1500, 100), (600, 1500, 200))),
        ("custom_gesture", path((300, 900, 0), (300, 1500, 100), (300, 900, 200))),
        ("phone_swipe", {"at": "300,1500", "to": "300,900"}),
        ("scroll", {"direction": "down"}),
        ("phone_scroll", {}),
    ],
)
async def test_a_movement_that_scrolls_is_none(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.world.show("com.android.settings")
    target.deny(*TAPS, *HOLDS)
    assert await target.call(tool, **arguments)
    screen = await target.read()
    assert screen.active is not None
    assert screen.active.title == "Settings"


class Poster(Activity):
    def content(self) -> View:
        return Column(Text("Held", id="held", width=MATCH, height=2000, on_long_click=lambda: None))


class Page(Activity):
    def content(self) -> View:
        return Column(Button("Pay", lambda: None, width=MATCH, height=2000))


class Posters(App):
    package, label = "org.example.posters", "Posters"
    screens = (Poster,)


class Pair(Activity):
    pressed: ClassVar[list[str]] = []

    def content(self) -> View:
        return Column(
            Button("Keep", lambda: self.pressed.append("Keep"), id="keep"),
            Button("Delete", lambda: self.pressed.append("Delete"), id="delete"),
            Field("", hint="Note", id="note", width=MATCH),
        )


class Pairs(App):
    package, label = "org.example.pairs", "Pairs"
    screens = (Pair,)


def focus(target: Target, id: str) -> None:
    window = target.world.focused_window
    assert window is not None
    window.focus_view(next(view for view in window.root.walk() if view.id == id))


@pytest.fixture
def pair(target: Target) -> Target:
    Pair.pressed.clear()
    target.world.install(Pairs)
    target.world.show(Pairs.package)
    return target


@pytest.mark.parametrize(
    "key", ["enter", "Return", "space", "center", "KEYCODE_ENTER", "ctrl+enter", "shift+center"]
)
async def test_a_key_that_clicks_what_has_the_focus_is_a_tap(
    pair: Target, tried: Callable[[], None], key: str
) -> None:
    focus(pair, "delete")
    pair.deny(*TAPS)
    tried()
    assert "'tap' denies it" in await pair.refused("phone_press", key=key)
    assert Pair.pressed == []


async def test_a_key_that_clicks_nothing_is_none(pair: Target) -> None:
    pair.deny(*TAPS)
    focus(pair, "note")
    assert await pair.call("phone_press", key="space")
    focus(pair, "delete")
    assert await pair.call("phone_press", key="up")
    pair.deny("long_press")
    focus(pair, "delete")
    assert await pair.call("phone_press", key="enter")
    assert Pair.pressed == ["Delete"]


class Pages(App):
    package, label = "org.example.pages", "Pages"
    screens = (Page,)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("scroll", {"direction": "down"}),
        ("scroll", {"direction": "left", "amount": "small"}),
        ("phone_scroll", {}),
        ("phone_scroll", {"direction": "right"}),
    ],
)
async def test_a_scroll_through_what_takes_a_click_is_a_tap(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.world.install(Pages)
    target.world.show(Pages.package)
    target.deny(*TAPS)
    assert "'tap' denies it" in await target.refused(tool, **arguments)
    assert target.touches() == []


async def test_a_movement_that_lasts_where_it_is_held_is_a_long_press(target: Target) -> None:
    target.world.install(Posters)
    target.world.show(Posters.package)
    target.deny(*HOLDS)
    moves = path((300, 900, 0), (300, 1000, 50), (300, 1001, 900))
    assert "'long_press' denies it" in await target.refused("custom_gesture", **moves)
    assert await target.call("swipe", x1=300, y1=900, x2=300, y2=1000, duration=200)


async def test_a_movement_is_judged_by_the_screen_that_it_is_made_on(target: Target) -> None:
    """Not by the one that was there when the call arrived."""

    class Late(ApprovalGate):
        async def ask(self, call: ToolCall) -> None:
            await super().ask(call)
            target.world.show("com.android.settings")

    target.rule(Late(Rules(deny=TAPS)))
    said = await target.refused("swipe", x1=300, y1=900, x2=700, y2=900, duration=200)
    assert "'tap' denies it" in said
    assert target.touches() == []
