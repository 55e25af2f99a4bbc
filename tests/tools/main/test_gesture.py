"""Pinches and gestures of several fingers."""

import asyncio
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.by_shell.unsupported import Unsupported
from handheld.errors import ActionFailed, InvalidParams
from handheld.tools.main.paths import Path, read_paths
from handheld.tools.parameter import Unusable
from testbed import show_scene
from testbed.screens import Gestures

from .conftest import Bench

DRAG = [
    {"x": 100, "y": 100, "time": 0},
    {"x": 200, "y": 200, "time": 150},
    {"x": 300, "y": 300, "time": 300},
]
NO_PINCH = pytest.mark.by_helper("a pinch is refused, wherever it would be")
OUTSIDE = "Coordinates are outside the screen, which is 1080 x 2400 pixels."


async def zoom(bench: Bench) -> str:
    """What the picture on the screen says of itself."""
    return next(row[2] for row in await bench.rows() if row[2].endswith("%"))


# pinch


@pytest.mark.needs(Unsupported.FINGERS)
async def test_a_pinch_zooms_a_picture_in_and_out(bench: Bench) -> None:
    bench.world.start("dev.handheld.gallery", ".Photo")
    assert await zoom(bench) == "100%"
    pinch = bench.call("pinch", center_x=540, center_y=1200, scale=2.0)
    assert await bench.passing(pinch) == (
        "Pinch (zoom in) executed at (540, 1200) with scale 2.0 over 300ms"
    )
    assert await zoom(bench) == "200%"
    pinch = bench.call("pinch", center_x=540.7, center_y=1200, scale="0.5", duration=500)
    assert await bench.passing(pinch) == (
        "Pinch (zoom out) executed at (540, 1200) with scale 0.5 over 500ms"
    )
    assert await zoom(bench) == "100%"
    assert "1 of 3" in [row[2] for row in await bench.rows()]


@pytest.mark.needs(Unsupported.FINGERS)
async def test_a_pinch_is_two_fingers_beside_its_centre(bench: Bench) -> None:
    start = bench.clock.now()
    pinch = bench.call("pinch", center_x=540, center_y=1200, scale=2, duration=100)
    assert await bench.passing(pinch) == (
        "Pinch (zoom in) executed at (540, 1200) with scale 2.0 over 100ms"
    )
    assert bench.clock.now() - start == 100
    events = bench.events()
    assert [event for event in events if event[1] != "move"] == [
        ("touch", "down", 0, 338, 1200),
        ("touch", "down", 1, 742, 1200),
        ("touch", "up", 0, 92, 1200),
        ("touch", "up", 1, 988, 1200),
    ]


@pytest.mark.parametrize(
    ("x", "y", "scale", "reply", "reached", "landed"),
    [
        (540, 1200, 1e9, "1.0E9", "4.79", ((540, 127), (540, 2273))),
        (540, 1200, 0.00025, "2.5E-4", "0.21", ((540, 976), (540, 1424))),
        (50, 1200, 2, "2.0", "", ((50, 752), (50, 1648))),
        (1080, 2000, 1.5, "1.5", "1.22", ((1079, 1727), (1079, 2273))),
        (400, 150, 2, "2.0", "1.79", ((0, 150), (800, 150))),
    ],
)
@pytest.mark.needs(Unsupported.FINGERS)
async def test_fingers_stay_on_the_screen(
    bench: Bench, x: int, y: int, scale: float, reply: str, reached: str, landed: tuple[Any, Any]
) -> None:
    pinch = bench.items("pinch", center_x=x, center_y=y, scale=scale)
    where = "in" if scale > 1 else "out"
    less = f"The fingers stayed on the screen and reached a scale of {reached}."
    assert await bench.passing(pinch) == [
        f"Pinch (zoom {where}) executed at ({x}, {y}) with scale {reply} over 300ms",
        *([less] if reached else []),
    ]
    ups = [event[3:] for event in bench.events() if event[1] == "up"]
    assert ups == [pytest.approx(place) for place in landed]


@pytest.mark.needs(Unsupported.FINGERS)
async def test_a_pinch_with_no_room_for_it_touches_nothing(bench: Bench) -> None:
    failure = await bench.failure("pinch", center_x=20, center_y=100, scale=2)
    assert (type(failure), failure.message) == (
        ActionFailed,
        "The centre 20, 100 is too near the edge: two fingers around it can be 40 pixels apart, and"
        " apps scale beyond 448. Nothing was done.",
    )
    assert bench.events() == []


async def test_a_pinch_of_scale_one_touches_nothing_and_reports_so(bench: Bench) -> None:
    assert await bench.call("pinch", center_x=540, center_y=1200, scale=1) == (
        "Pinch (no zoom) at (540, 1200) with scale 1.0: nothing to do, the screen was not touched"
    )
    assert bench.events() == []


PINCH = {"center_x": 540, "center_y": 1200, "scale": 2}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"center_x": -1}, "Parameter 'center_x' must be >= 0, got: -1.0"),
        ({"scale": 0}, "Parameter 'scale' must be > 0, got: 0.0"),
        ({"scale": -1e-5}, "Parameter 'scale' must be > 0, got: -1.0E-5"),
        ({"scale": 0, "duration": 0}, "Parameter 'scale' must be > 0, got: 0.0"),
        ({"scale": 0, "center_x": -1}, "Parameter 'center_x' must be >= 0, got: -1.0"),
        ({"duration": 0}, "Parameter 'duration' must be between 1 and 60000, got: 0"),
        ({"duration": 60001}, "Parameter 'duration' must be between 1 and 60000, got: 60001"),
        pytest.param({"center_x": 1081}, OUTSIDE, marks=NO_PINCH),
        pytest.param({"center_y": 1e300}, OUTSIDE, marks=NO_PINCH),
    ],
)
async def test_a_pinch_that_cannot_be_is_refused(
    bench: Bench, changed: dict[str, Any], message: str
) -> None:
    failure = await bench.failure("pinch", **{**PINCH, **changed})
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.events() == []


# custom_gesture


@pytest.mark.needs(Unsupported.FINGERS)
async def test_a_finger_draws_a_line_and_two_fingers_part(bench: Bench) -> None:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    assert await bench.passing(bench.call("custom_gesture", paths=[DRAG])) == (
        "Custom gesture executed with 1 path(s), total 3 point(s)"
    )
    assert [event for event in bench.events() if event[1] != "move"] == [
        ("touch", "down", 0, 100, 100),
        ("touch", "up", 0, 300, 300),
    ]
    pinch = [
        [{"x": 400, "y": 1600, "time": 0}, {"x": 300, "y": 1600, "time": 300}],
        [{"x": 600, "y": 1600, "time": 0}, {"x": 700, "y": 1600, "time": 300}],
    ]
    assert await bench.passing(bench.call("custom_gesture", paths=pinch)) == (
        "Custom gesture executed with 2 path(s), total 4 point(s)"
    )
    assert [entry for entry in scene.log if entry[0] in ("down", "up")] == [
        ("down", 0, 400, 1600),
        ("down", 1, 600, 1600),
        ("up", 0, 300, 1600),
        ("up", 1, 700, 1600),
    ]


@pytest.mark.by_helper("Android's `input` moves the finger at a pace of its own")
async def test_every_points_time_is_honoured(bench: Bench) -> None:
    """Not one speed from the first point to the last."""
    path = [
        {"x": 500, "y": 2000, "time": 40},
        {"x": 500, "y": 1000, "time": "50"},
        {"x": 500.0, "y": 990, "time": 150.0},
        {"x": 500, "y": 990, "time": 2150},
    ]
    start = bench.clock.now()
    seen: list[tuple[float, tuple[object, ...]]] = []
    gesture = asyncio.create_task(bench.call("custom_gesture", paths=[path]))
    await bench.until(lambda: (bench.clock.due or 1e9) <= start + 40)
    while not gesture.done():
        seen += [(bench.clock.now() - start, event) for event in bench.events()]
        if bench.clock.now() - start <= 2150:
            await bench.clock.advance(10)
        await asyncio.sleep(0)
    assert await gesture == "Custom gesture executed with 1 path(s), total 4 point(s)"
    # The reply may come before the loop looks again.
    seen += [(bench.clock.now() - start, event) for event in bench.events()]
    assert seen[:2] == [
        (40, ("touch", "down", 0, 500, 2000)),
        (50, ("touch", "move", 0, 500, 1000)),
    ]
    assert seen[2:-1] == [
        (50 + 10 * step, ("touch", "move", 0, 500, pytest.approx(1000 - step)))
        for step in range(1, 11)
    ]
    assert seen[-1] == (2150, ("touch", "up", 0, 500, 990))


@pytest.mark.by_helper("Android's `input` moves the finger at a pace of its own")
async def test_a_points_time_may_have_a_fraction(bench: Bench) -> None:
    path = [{"x": 500, "y": 2000, "time": 0.25}, {"x": 500, "y": 2000, "time": 7.5}]
    start = bench.clock.now()
    await bench.passing(bench.call("custom_gesture", paths=[path]))
    assert bench.clock.now() - start == 7.5
    assert [event[1] for event in bench.events()] == ["down", "up"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paths", "length"),
    [
        (1, 500),
        pytest.param(3, 500, marks=pytest.mark.needs(Unsupported.POINTS)),
    ],
)
async def test_a_finger_is_led_over_five_hundred_points(
    bench: Bench, paths: int, length: int
) -> None:
    points = [{"x": 100.25 + n, "y": 1000.75, "time": n} for n in range(length)]
    gesture = [
        [{**point, "time": point["time"] + 1000 * path} for point in points]
        for path in range(paths)
    ]
    assert await bench.passing(bench.call("custom_gesture", paths=gesture)) == (
        f"Custom gesture executed with {paths} path(s), total {paths * length} point(s)"
    )
    assert [event[1] for event in bench.events() if event[1] != "move"] == ["down", "up"] * paths


@pytest.mark.slow
@pytest.mark.needs(Unsupported.POINTS)
async def test_a_gesture_may_have_twenty_thousand_points(bench: Bench) -> None:
    path = [{"x": n % 500, "y": 1000, "time": n / 2} for n in range(20_000)]
    assert await bench.passing(bench.call("custom_gesture", paths=[path])) == (
        "Custom gesture executed with 1 path(s), total 20000 point(s)"
    )
    assert bench.events()[-1] == ("touch", "up", 0, 499, 1000)


@pytest.mark.needs(Unsupported.FINGERS)
async def test_ten_fingers_are_followed(bench: Bench) -> None:
    paths = [
        [{"x": 50 + 100 * n, "y": 500, "time": n}, {"x": 50 + 100 * n, "y": 600, "time": 100}]
        for n in range(10)
    ]
    assert await bench.passing(bench.call("custom_gesture", paths=paths)) == (
        "Custom gesture executed with 10 path(s), total 20 point(s)"
    )
    events = bench.events()
    assert [event[2] for event in events if event[1] == "down"] == list(range(10))
    assert sorted(str(event[2]) for event in events if event[1] == "up") == list("0123456789")


POINT = {"x": 1, "y": 1, "time": 0}
LATER = {"x": 1, "y": 1, "time": 10}


def changed(**fields: Any) -> list[list[dict[str, Any]]]:
    return [[POINT, {**LATER, **fields}]]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "Parameter 'paths' must not be empty"),
        ([[POINT, LATER]] * 11, "Too many paths (max 10), got: 11"),
        ([POINT], "Path at index 0 must be an array of point objects"),
        ([[POINT, LATER], "x"], "Path at index 1 must be an array of point objects"),
        ([[]], "Path at index 0 must have at least 2 points, has 0"),
        ([[POINT, LATER], [POINT]], "Path at index 1 must have at least 2 points, has 1"),
        ([[POINT] * 2000] * 9 + [[POINT] * 2001], "Too many points (max 20000), got: 20001"),
        ([[POINT, [1, 1, 10]]], "Point at path[0][1] must be an object with x, y, time"),
        ([[{"y": 1, "time": 0}, LATER]], "Missing 'x' in point at path[0][0]"),
        ([[POINT, {"x": 1, "time": 9}]], "Missing 'y' in point at path[0][1]"),
        ([[POINT, {"x": 1, "y": 1, "t": 9}]], "Missing 'time' in point at path[0][1]"),
        (
            changed(pressure=1),
            "Unknown field 'pressure' in point at path[0][1]. Known fields: x, y, time.",
        ),
        (changed(x="a"), "Field 'x' in point at path[0][1] must be a number, got string: 'a'"),
        (changed(y=None), "Field 'y' in point at path[0][1] must be a number, got: 'null'"),
        (changed(y=[]), "Field 'y' in point at path[0][1] must be a number, got an array"),
        (
            changed(x=10**400),
            "Field 'x' in point at path[0][1] must be a finite number,"
            " got a number of more than 100 digits",
        ),
        (
            changed(time=10**20),
            "Point at path[0][1].time must be <= 60000, got: 1.0E20",
        ),
        (changed(x=-1), "Point at path[0][1].x must be >= 0, got: -1.0"),
        (changed(y=-0.5), "Point at path[0][1].y must be >= 0, got: -0.5"),
        (changed(time=-1), "Point at path[0][1].time must be >= 0, got: -1"),
        (changed(time=60_001), "Point at path[0][1].time must be <= 60000, got: 60001"),
        (
            changed(time=0),
            "Times must be monotonically increasing within each path."
            " path[0][1].time (0) <= previous time (0)",
        ),
        (
            [[POINT, LATER, {**LATER, "time": 5}]],
            "Times must be monotonically increasing within each path."
            " path[0][2].time (5) <= previous time (10)",
        ),
        (changed(x=1081), OUTSIDE),
        (changed(y=1e300), OUTSIDE),
    ],
)
async def test_a_gesture_that_cannot_be_is_refused_by_name(
    bench: Bench, paths: Any, message: str
) -> None:
    failure = await bench.failure("custom_gesture", paths=paths)
    assert (type(failure), failure.message) == (InvalidParams, message)
    assert bench.events() == []


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["1", "-1", "1e400", "ⅷ", "١", 10**500, 60_000]),
)
points = st.dictionaries(st.sampled_from(["x", "y", "time", "z"]), scalars, max_size=4)
good = st.fixed_dictionaries(
    {
        "x": st.one_of(st.integers(0, 2000), st.floats(0, 2000)),
        "y": st.integers(0, 3000),
        "time": st.integers(0, 70_000),
    }
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)
paths = st.one_of(
    anything,
    st.lists(st.lists(st.one_of(points, good), max_size=4), max_size=12),
    st.lists(st.lists(good, min_size=2, max_size=5), min_size=1, max_size=3),
)


def refusal(value: Any) -> list[Path] | str:
    """The paths, or why they are none."""
    try:
        return read_paths(value)
    except (InvalidParams, Unusable) as refused:
        return str(refused)


@given(paths)
def test_any_json_is_read_or_refused(value: Any) -> None:
    read = refusal(value)
    if isinstance(read, str):
        # Signs that no Unicode has yet are nobody's danger, and Python does not print them.
        assert not any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in read)
        assert len(read) < 400
        return
    assert 1 <= len(read) <= 10
    for path in read:
        assert 2 <= len(path) <= 500
        times = [time for _, _, time in path]
        assert times == sorted(set(times))
        assert 0 <= times[0] <= times[-1] <= 60_000
        assert all(x >= 0 and y >= 0 for x, y, _ in path)


@pytest.mark.parametrize("wake", [False])
async def test_any_json_over_mcp_is_an_answer_and_no_fault_of_ours(bench: Bench) -> None:
    """A few dozen of the values above, through the whole server."""
    bench.world.awake = False  # so that a gesture that can be is answered at once
    examples: list[Any] = []

    @given(paths)
    def collect(value: Any) -> None:
        try:
            json.dumps(value, allow_nan=False).encode()
        except ValueError:
            return
        examples.append(value)

    collect()
    for value in examples[:60]:
        failure = await bench.failure("custom_gesture", paths=value)
        assert type(failure) in (InvalidParams, ActionFailed), (value, failure)
