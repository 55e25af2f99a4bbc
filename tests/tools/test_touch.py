"""tap: ruling T1."""

from typing import Any

import pytest

from handheld.errors import InvalidParams
from handheld.virtual.apps.testbed import Gestures

from .conftest import Bench


async def test_a_tap_lands_where_it_was_aimed(bench: Bench) -> None:
    scene = bench.world.show_scene("gestures")
    assert isinstance(scene, Gestures)
    [bounds] = [row[5] for row in await bench.rows() if row[2] == "Press"]
    left, top, right, bottom = map(int, bounds.split(","))
    x, y = (left + right) / 2, (top + bottom) / 2
    assert await bench.call("tap", x=x, y=y) == f"Tap executed at ({int(x)}, {int(y)})"
    assert bench.events() == [("touch", "down", 0, x, y), ("touch", "up", 0, x, y)]
    assert scene.log == [("click",)]


@pytest.mark.parametrize(
    ("x", "y", "said", "landed"),
    [
        (0, 0, "(0, 0)", (0, 0)),
        (10.9, 20.2, "(10, 20)", (10.9, 20.2)),
        ("500", "1000.0", "(500, 1000)", (500, 1000)),
        (1080, 2400, "(1080, 2400)", (1079, 2399)),
        (1079, 2400, "(1079, 2400)", (1079, 2399)),
    ],
)
async def test_the_edge_is_the_last_pixel(
    bench: Bench, x: Any, y: Any, said: str, landed: tuple[float, float]
) -> None:
    """T1"""
    assert await bench.call("tap", x=x, y=y) == f"Tap executed at {said}"
    assert bench.events() == [("touch", "down", 0, *landed), ("touch", "up", 0, *landed)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": 1}, "Missing required parameter: 'y'"),
        ({"x": -1, "y": 5}, "Parameter 'x' must be >= 0, got: -1.0"),
        ({"x": 5, "y": -0.5}, "Parameter 'y' must be >= 0, got: -0.5"),
        ({"x": "left", "y": 5}, "Parameter 'x' must be a number, got string: 'left'"),
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
    """T1"""
    failure = await bench.failure("tap", **arguments)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.events() == []
