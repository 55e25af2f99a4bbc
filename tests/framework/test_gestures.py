"""What Android's own detectors make of our fingers."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "gestures"
MIDDLE = {"x": 540, "y": 600}


async def until_logged(tools: Tools) -> list[str]:
    """What was noticed; a tap is one only when no second one follows."""
    await tools.android.elapse(500)
    return await tools.android.log()


async def test_a_tap_is_a_tap(tools: Tools) -> None:
    await tools.call("tap", **MIDDLE)
    assert await until_logged(tools) == ["tap"]


async def test_a_double_tap_is_a_double_tap(tools: Tools) -> None:
    await tools.call("double_tap", **MIDDLE)
    assert await until_logged(tools) == ["double tap"]


async def test_a_long_press_is_a_long_press(tools: Tools) -> None:
    await tools.call("long_press", **MIDDLE)
    assert await until_logged(tools) == ["long press"]


@pytest.mark.parametrize(
    ("x2", "y2", "direction"),
    [(540, 100, "up"), (540, 1100, "down"), (100, 600, "left"), (980, 600, "right")],
)
async def test_a_swipe_is_a_fling(tools: Tools, x2: int, y2: int, direction: str) -> None:
    await tools.call("swipe", x1=540, y1=600, x2=x2, y2=y2, duration=100)
    assert f"fling {direction}" in await until_logged(tools)


@pytest.mark.parametrize(("scale", "reached"), [(0.5, 0.5), (1.5, 1.5), (2, 2), (3, 2.11)])
async def test_a_pinch_scales_as_reported(tools: Tools, scale: float, reached: float) -> None:
    arguments = {"center_x": 540, "center_y": 600, "scale": scale, "duration": 300}
    _, *further = await tools.items("pinch", **arguments)
    less = f"The fingers stayed on the screen and reached a scale of {reached}."
    assert further == ([] if scale == reached else [less])
    [logged] = [line for line in await until_logged(tools) if line.startswith("scale")]
    assert float(logged.removeprefix("scale ")) == pytest.approx(reached, rel=0.05)


async def test_two_fingers_that_are_drawn_apart_scale(tools: Tools) -> None:
    paths = [
        [{"x": 540 + side * away, "y": 600, "time": time} for away, time in ((300, 0), (450, 400))]
        for side in (-1, 1)
    ]
    await tools.call("custom_gesture", paths=paths)
    [logged] = [line for line in await until_logged(tools) if line.startswith("scale")]
    assert 1.2 < float(logged.removeprefix("scale ")) <= 1.5


async def test_a_slow_swipe_is_no_fling(tools: Tools) -> None:
    await tools.call("swipe", x1=540, y1=600, x2=540, y2=400, duration=2000)
    assert await until_logged(tools) == []


async def test_a_fling_goes_on_after_the_finger_is_gone(tools: Tools) -> None:
    await tools.call("swipe", x1=540, y1=2100, x2=540, y2=1400, duration=100)
    await tools.call("wait_for_idle", timeout=20_000)
    assert (await tools.android.state("fling"))["scroll"] > 700
