"""A touch or a key that is denied is made by a tool of another name."""

from collections.abc import Callable
from typing import Any

import pytest

from attacks.conftest import Target

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
    ],
)
async def test_what_is_something_else_is_not_denied(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    target.deny(*TAPS, *HOLDS, "press_back", "press_home")
    assert await target.call(tool, **arguments)
