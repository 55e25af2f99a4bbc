"""Taps, presses, swipes and scrolls, and their arguments."""

import asyncio
from typing import Any

import pytest

from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied
from testbed import show_scene
from testbed.screens import Gestures

from .conftest import Bench
from .test_gesture import DRAG, NO_PINCH, PINCH

DURATION = "Parameter 'duration' must be between 1 and 60000, got: {}"
XIAOMI_SWITCH = "“USB debugging (Security settings)” in its developer options and restart it"
ANY_SWITCH = (
    "any further setting for security or permissions in its developer options, and restart it"
)
INPUT_REFUSED = "The phone does not let adb touch the screen: turn on {}. Nothing was done."
LEAST = "Parameter '{}' must be >= 0, got: {}"
NUMBER = "Parameter '{}' must be a number, got {}"
OUTSIDE = "Coordinates are outside the screen, which is 1080 x 2400 pixels."
WOKEN = "The screen was off and was switched on first."
LOCKED = "The phone is locked: only the lock screen and windows over it can be reached."
SWIPE = {"x1": 500, "y1": 1500, "x2": 500, "y2": 500}


async def test_a_tap_lands_where_it_was_aimed(bench: Bench) -> None:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    [bounds] = [row[5] for row in await bench.rows() if row[2] == "Press"]
    left, top, right, bottom = map(int, bounds.split(","))
    x, y = (left + right) / 2, (top + bottom) / 2
    assert await bench.call("tap", x=x, y=y) == f"Tap executed at ({int(x)}, {int(y)})"
    assert bench.events() == [("touch", "down", 0, x, y), ("touch", "up", 0, x, y)]
    assert scene.log == [("click",)]


@pytest.mark.parametrize(
    ("x", "y", "expected", "landed"),
    [
        (0, 0, "(0, 0)", (0, 0)),
        (10.9, 20.2, "(10, 20)", (10.9, 20.2)),
        ("500", "1000.0", "(500, 1000)", (500, 1000)),
        (1080, 2400, "(1080, 2400)", (1079, 2399)),
        (1079, 2400, "(1079, 2400)", (1079, 2399)),
    ],
)
async def test_the_edge_is_the_last_pixel(
    bench: Bench, x: Any, y: Any, expected: str, landed: tuple[float, float]
) -> None:
    assert await bench.call("tap", x=x, y=y) == f"Tap executed at {expected}"
    assert bench.events() == [("touch", "down", 0, *landed), ("touch", "up", 0, *landed)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": 1}, "Missing required parameter: 'y'"),
        ({"x": -1, "y": 5}, "Parameter 'x' must be >= 0, got: -1.0"),
        ({"x": 5, "y": -0.5}, "Parameter 'y' must be >= 0, got: -0.5"),
        (
            {"x": 1081, "y": 5},
            "Coordinates are outside the screen, which is 1080 x 2400 pixels.",
        ),
        (
            {"x": 5, "y": 1e300},
            "Coordinates are outside the screen, which is 1080 x 2400 pixels.",
        ),
    ],
)
async def test_what_is_beside_the_screen_is_not_touched(
    bench: Bench, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("tap", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.events() == []


def gestures(bench: Bench) -> Gestures:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    return scene


async def middle(bench: Bench, text: str) -> tuple[int, int]:
    [bounds] = [row[5] for row in await bench.rows() if row[2] == text]
    left, top, right, bottom = map(int, bounds.split(","))
    return (left + right) // 2, (top + bottom) // 2


def came_and_went(bench: Bench) -> list[tuple[object, ...]]:
    return [event for event in bench.events() if event[1] != "move"]


async def test_a_long_press_is_long(bench: Bench) -> None:
    scene = gestures(bench)
    x, y = await middle(bench, "Press")
    reply = await bench.passing(bench.call("long_press", x=x, y=y))
    assert reply == f"Long press executed at ({x}, {y}) for 1000ms"
    assert scene.log == [("long_click",)]
    assert came_and_went(bench) == [("touch", "down", 0, x, y), ("touch", "up", 0, x, y)]


@pytest.mark.parametrize(
    ("duration", "expected", "log"),
    [
        (1, "1", "click"),
        ("499", "499", "click"),
        (500.0, "500", "long_click"),
        pytest.param(
            250.5,
            "250.5",
            "click",
            marks=pytest.mark.by_helper("Android's `input` takes whole milliseconds"),
        ),
    ],
)
async def test_a_press_lasts_for_its_duration(
    bench: Bench, duration: Any, expected: str, log: str
) -> None:
    scene = gestures(bench)
    x, y = await middle(bench, "Press")
    start = bench.world.clock.now()
    reply = await bench.passing(bench.call("long_press", x=x, y=y, duration=duration))
    assert reply == f"Long press executed at ({x}, {y}) for {expected}ms"
    assert bench.world.clock.now() - start == float(expected)
    assert scene.log == [(log,)]


async def test_a_press_of_a_minute_works(bench: Bench) -> None:
    call = asyncio.create_task(bench.call("long_press", x=540, y=1500, duration=60_000))
    await bench.until(lambda: bool(bench.world.events))
    start = bench.world.clock.now()
    while bench.world.clock.now() - start < 60_000:
        assert not call.done()
        await bench.call("get_screen_state")  # the helper ends when its host is silent for 20 s
        await bench.clock.advance(10_000)
    assert await call == "Long press executed at (540, 1500) for 60000ms"
    assert came_and_went(bench) == [
        ("touch", "down", 0, 540, 1500),
        ("touch", "up", 0, 540, 1500),
    ]


async def test_two_taps_are_a_tenth_of_a_second_apart(bench: Bench) -> None:
    scene = gestures(bench)
    x, y = await middle(bench, "Twice")
    start = bench.world.clock.now()
    reply = await bench.passing(bench.call("double_tap", x=x, y=y))
    assert reply == f"Double tap executed at ({x}, {y})"
    assert bench.world.clock.now() - start == 100
    assert scene.log == [("tap",), ("double_tap",), ("tap",)]
    assert bench.events() == [("touch", "down", 0, x, y), ("touch", "up", 0, x, y)] * 2


@pytest.mark.by_helper("Android's `input` moves the finger at a pace of its own")
async def test_a_swipe_is_a_steady_finger(bench: Bench) -> None:
    reply = await bench.passing(bench.call("swipe", x1=500, y1=1500, x2=500.9, y2=500))
    assert reply == "Swipe executed from (500, 1500) to (500, 500) over 300ms"
    events = bench.events()
    assert events[0] == ("touch", "down", 0, 500, 1500)
    assert events[-1] == ("touch", "up", 0, 500.9, 500)
    heights = [event[4] for event in events[1:-1]]
    assert [event[1] for event in events[1:-1]] == ["move"] * 30
    assert heights == [pytest.approx(1500 - 1000 * step / 30) for step in range(1, 31)]


@pytest.mark.slow
async def test_a_swipe_scrolls_a_list_and_a_fast_one_flings_it(bench: Bench) -> None:
    async def first_row(duration: int) -> int:
        show_scene(bench.world, "long_list")
        swipe = bench.call("swipe", x1=500, y1=1500, x2=500, y2=1000, duration=duration)
        await bench.passing(swipe)
        return min(int(row[2][4:]) for row in await bench.rows() if row[2].startswith("Row "))

    assert 0 < await first_row(5000) < await first_row(100)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("long_press", {"x": 1, "y": 1, "duration": 0}, DURATION.format(0)),
        ("long_press", {"x": 1, "y": 1, "duration": 60_001}, DURATION.format(60001)),
        ("long_press", {"x": 1, "y": 1, "duration": -5}, DURATION.format(-5)),
        (
            "long_press",
            {"x": 1, "y": 1, "duration": 0.5},
            DURATION.format(0.5),
        ),
        (
            "long_press",
            {"x": 1, "y": 1, "duration": 10**30},
            DURATION.format("1.0E30"),
        ),
        # All types before any range, ranges of coordinates before the duration's.
        ("long_press", {"x": -1, "y": "a", "duration": 0}, NUMBER.format("y", "string: 'a'")),
        ("long_press", {"x": 1, "y": -1, "duration": 0}, LEAST.format("y", -1.0)),
        ("long_press", {"x": 1081, "y": 1}, OUTSIDE),
        ("double_tap", {"x": -0.00001, "y": 1}, LEAST.format("x", "-1.0E-5")),
        ("double_tap", {"x": 1, "y": 2401}, OUTSIDE),
        ("swipe", {**SWIPE, "x2": -3}, LEAST.format("x2", -3.0)),
        ("swipe", {**SWIPE, "duration": 0}, DURATION.format(0)),
        ("swipe", {**SWIPE, "y2": 2400.5}, OUTSIDE),
        (
            "scroll",
            {"direction": "sideways"},
            "Parameter 'direction' must be one of: up, down, left, right. Got: 'sideways'",
        ),
        (
            "scroll",
            {"direction": "up", "amount": "tiny"},
            "Parameter 'amount' must be one of: small, medium, large. Got: 'tiny'",
        ),
    ],
)
async def test_an_impossible_gesture_is_reported_and_touches_nothing(
    bench: Bench, name: str, arguments: dict[str, Any], message: str
) -> None:
    failure = await bench.failure(name, **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.events() == []


EACH = pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tap", {"x": 1, "y": 1}),
        ("long_press", {"x": 1, "y": 1}),
        ("double_tap", {"x": 1, "y": 1}),
        ("swipe", SWIPE),
        ("scroll", {"direction": "up"}),
        pytest.param("pinch", PINCH, marks=NO_PINCH),
        ("custom_gesture", {"paths": [DRAG]}),
    ],
)


@EACH
async def test_a_phone_that_takes_no_injected_input_is_a_permission(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    bench.device.faults.refuse_input()
    failure = await bench.failure(name, **arguments)
    assert (type(failure), failure.message) == (PermissionDenied, INPUT_REFUSED.format(ANY_SWITCH))
    assert bench.events() == []


@pytest.mark.parametrize(
    ("manufacturer", "brand", "switch"),
    [
        ("Xiaomi", "Redmi", XIAOMI_SWITCH),
        ("Xiaomi", "POCO", XIAOMI_SWITCH),
        ("OPPO", "OPPO", "“Disable permission monitoring” in its developer options"),
        ("OnePlus", "OnePlus", "“Disable permission monitoring” in its developer options"),
        ("vivo", "iQOO", "“USB security operations” in its developer options"),
        ("samsung", "samsung", ANY_SWITCH),
        ("", "", ANY_SWITCH),
    ],
)
async def test_a_refused_touch_names_the_switch_of_the_phones_maker(
    bench: Bench, manufacturer: str, brand: str, switch: str
) -> None:
    bench.device.properties["ro.product.manufacturer"] = manufacturer
    bench.device.properties["ro.product.brand"] = brand
    bench.device.faults.refuse_input()
    failure = await bench.failure("tap", x=1, y=1)
    assert (type(failure), failure.message) == (PermissionDenied, INPUT_REFUSED.format(switch))


@EACH
@pytest.mark.parametrize("wake", [False])
async def test_a_screen_that_is_to_stay_dark_is_an_action_that_failed(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    bench.world.awake = False
    failure = await bench.failure(name, **arguments)
    assert (type(failure), failure.message) == (
        ActionFailed,
        "The screen is off: a touch would have no effect. Wake the phone first. Nothing was done.",
    )
    assert bench.events() == []


async def test_a_touch_switches_on_a_dark_screen_and_leaves_its_lock(bench: Bench) -> None:
    bench.world.keyguard.lock()
    bench.world.awake = False
    assert await bench.items("tap", x=1, y=1) == ["Tap executed at (1, 1)", WOKEN, LOCKED]
    assert ("touch", "down", 0, 1, 1) in bench.events()
    assert (bench.world.awake, bench.world.locked) == (True, True)
    assert await bench.items("tap", x=1, y=1) == ["Tap executed at (1, 1)", LOCKED]
    assert "note:the phone is locked" in await bench.call("get_screen_state")


LOCKABLE: list[tuple[str, dict[str, Any]]] = [
    ("tap", {"x": 1, "y": 1}),
    ("press_back", {}),
    ("press_key", {"key": "HOME"}),
    ("open_quick_settings", {}),
]


@pytest.mark.parametrize(("name", "arguments"), LOCKABLE)
async def test_an_action_on_a_locked_phone_says_so_in_a_further_text(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    first = await bench.call(name, **arguments)
    bench.world.keyguard.lock()
    assert await bench.items(name, **arguments) == [first, LOCKED]
    bench.world.keyguard.unlock()
    assert await bench.items(name, **arguments) == [first]


async def test_a_failed_action_on_a_locked_phone_says_so_too(bench: Bench) -> None:
    bench.world.show("com.android.calculator2")
    seven = await bench.id_of("7")
    bench.world.keyguard.lock()
    bench.world.awake = False
    failure = await bench.failure("open_app", package_id="com.android.calculator2")
    assert failure.message == "The phone is locked: unlock it and try again. Nothing was done."
    assert failure.details == (WOKEN, LOCKED)
    failure = await bench.failure("click_element", element_id=seven)
    assert (type(failure), failure.details) == (ElementNotFound, (LOCKED,))


@pytest.mark.parametrize("wake", [False])
@pytest.mark.by_helper("by touch alone an element on a dark screen is not clicked")
async def test_an_element_of_a_dark_screen_is_clicked_and_the_reply_says_that_it_is_off(
    bench: Bench,
) -> None:
    bench.world.keyguard.set_kind("none")
    bench.world.show("com.android.calculator2")
    seven = await bench.id_of("7")
    bench.world.awake = False
    assert await bench.items("click_element", element_id=seven) == [
        f"Click performed on element '{seven}'",
        "The screen is off.",
    ]
