"""Gestures over time: every point at its time, and steady movement between the points."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld_virtual.apps.gallery import PhotoScreen
from handheld_virtual.reference_helper.commands.gestures import INTERVAL_MS, steps

from .conftest import Stage
from .host import Host

Timed = list[tuple[float, tuple[object, ...]]]


async def timed(
    stage: Stage,
    host: Host,
    do: str,
    with_: dict[str, Any],
    ms: int,
    reply: dict[str, Any] | None = None,
) -> Timed:
    """The effects on the phone during a gesture, with the time since its start."""
    start = stage.clock.now()
    number = await host.call(do, with_, budget_ms=ms + 5000, act=True)
    await host.settle()
    seen: Timed = []
    for _ in range(ms // 5 + 1):
        seen += [(stage.clock.now() - start, event.details) for event in stage.world.events]
        stage.world.events.clear()
        await host.advance(5)
    assert (await host.answer(number)).reply == (reply or {})
    assert stage.world.events == []
    return seen


async def test_every_point_is_reached_at_its_time(stage: Stage, host: Host) -> None:
    strokes = [[[10, 500, 0], [10, 600, 25], [10, 600, 50]], [[20, 500, 15], [50, 500, 45]]]
    assert await timed(stage, host, "touch", {"strokes": strokes}, 60) == [
        (0, ("down", 0, 10, 500)),
        (10, ("move", 0, 10, 540)),
        (15, ("down", 1, 20, 500)),
        (20, ("move", 0, 10, 580)),
        (20, ("move", 1, 25, 500)),
        (25, ("move", 0, 10, 600)),
        (30, ("move", 1, 35, 500)),
        (40, ("move", 1, 45, 500)),
        (45, ("move", 1, 50, 500)),
        (45, ("up", 1, 50, 500)),
        (50, ("up", 0, 10, 600)),
    ]


async def test_speed_may_change_within_a_stroke(stage: Stage, host: Host) -> None:
    strokes = [[[100, 500, 0], [100, 900, 10], [100, 901, 60]]]
    seen = await timed(stage, host, "touch", {"strokes": strokes}, 60)
    assert [(time, details[3]) for time, details in seen if details[0] == "move"] == [
        (10, 900),
        (20, pytest.approx(900.2)),
        (30, pytest.approx(900.4)),
        (40, pytest.approx(900.6)),
        (50, pytest.approx(900.8)),
        (60, 901),
    ]


async def test_two_taps_one_after_another_are_the_same_finger(stage: Stage, host: Host) -> None:
    strokes = [[[5, 6, 0]], [[5, 6, 100]]]
    assert await timed(stage, host, "touch", {"strokes": strokes}, 100) == [
        (0, ("down", 0, 5, 6)),
        (0, ("up", 0, 5, 6)),
        (100, ("down", 0, 5, 6)),
        (100, ("up", 0, 5, 6)),
    ]


async def test_simultaneous_events_are_moves_then_ups_then_downs(stage: Stage, host: Host) -> None:
    strokes = [[[3, 3, 10]], [[1, 1, 0], [1, 5, 10]], [[2, 2, 0], [2, 6, 10]]]
    assert await timed(stage, host, "touch", {"strokes": strokes}, 20) == [
        (0, ("down", 0, 1, 1)),
        (0, ("down", 1, 2, 2)),
        (10, ("move", 0, 1, 5)),
        (10, ("move", 1, 2, 6)),
        (10, ("up", 0, 1, 5)),
        (10, ("up", 1, 2, 6)),
        (10, ("down", 0, 3, 3)),
        (10, ("up", 0, 3, 3)),
    ]


async def test_one_minute_press_is_two_events(stage: Stage, host: Host) -> None:
    strokes = [[[5, 6, 0], [5, 6, 60_000]]]
    number = await host.call("touch", {"strokes": strokes}, budget_ms=65_000, act=True)
    for _ in range(6):
        assert number not in host.answers
        await host.advance(10_000)
    assert (await host.answer(number)).reply == {}
    assert [event.details for event in stage.world.events] == [("down", 0, 5, 6), ("up", 0, 5, 6)]


async def test_a_stroke_has_at_most_twenty_thousand_points(stage: Stage, host: Host) -> None:
    touch = {"strokes": [[[5, 6, 0]] * 20_001]}
    assert (await host.do("touch", touch, act=True)).failure == ("bad_call", "no")
    assert stage.world.events == []
    touch["strokes"][0].pop()
    assert (await host.do("touch", touch, act=True)).reply == {}
    assert [event.details for event in stage.world.events] == [("down", 0, 5, 6), ("up", 0, 5, 6)]


@pytest.mark.parametrize(
    ("direction", "share", "begin", "end"),
    [
        ("down", 0.5, (540, 1812), (540, 588)),
        ("up", 0.5, (540, 588), (540, 1812)),
        ("right", 0.25, (687, 1200), (393, 1200)),
        ("left", 1, (0, 1200), (1079, 1200)),
    ],
)
async def test_scroll_crosses_the_middle_against_its_direction(
    stage: Stage,
    host: Host,
    direction: str,
    share: float,
    begin: tuple[float, float],
    end: tuple[float, float],
) -> None:
    """By the share, and by what content does not follow: 8 dp, and 3 pixels."""
    arguments = {"direction": direction, "share": share, "duration_ms": 300}
    seen = await timed(stage, host, "scroll", arguments, 660)
    assert seen[0] == (0, ("down", 0, *begin))
    assert seen[-1] == (660, ("up", 0, *end))
    moves = [time for time, details in seen if details[0] == "move"]
    assert moves == list(range(10, 661, 10))


async def test_scroll_passes_the_touch_slop_slowly_and_rests_at_the_end(
    stage: Stage, host: Host
) -> None:
    arguments = {"direction": "down", "share": 0.25, "duration_ms": 300}
    seen = await timed(stage, host, "scroll", arguments, 660)
    ways = {time: 1512 - float(str(details[3])) for time, details in seen}
    assert [ways[time] for time in (0, 60, 110, 410, 660)] == pytest.approx([0, 23, 25, 622, 624])


async def test_scroll_uses_the_rotated_screen_size(stage: Stage, host: Host) -> None:
    stage.world.rotate(1)
    arguments = {"direction": "down", "share": 0.5, "duration_ms": 10}
    seen = await timed(stage, host, "scroll", arguments, 370)
    assert (seen[0], seen[-1]) == (
        (0, ("down", 0, 1200, 822)),
        (370, ("up", 0, 1200, 258)),
    )


@pytest.mark.parametrize(
    ("centre", "scale", "upright", "spans", "reached"),
    [
        ((540, 1200), 2, False, (404, 448, 449, 896), 2),
        ((540, 1200), 1.5, False, (404, 448, 449, 672), 1.5),
        ((540, 1200), 0.5, False, (940, 896, 895, 448), 0.5),
        ((270.5, 1200), 2, True, (404, 448, 449, 896), 2),
        ((540, 1200), 3, True, (404, 448, 449, 1344), 3),
        ((540, 1200), 1e9, True, (404, 448, 449, 2146), 2146 / 448),
        ((540, 1200), 1e-9, True, (2146, 2102, 2101, 448), 448 / 2102),
        ((540, 400), 3, False, (404, 448, 449, 1078), 1078 / 448),
        ((10, 2000), 1.5, True, (404, 448, 449, 546), 546 / 448),
    ],
)
async def test_pinch_passes_the_slop_and_scales_up_to_the_screen_edge(
    stage: Stage,
    host: Host,
    centre: tuple[float, float],
    scale: float,
    upright: bool,
    spans: tuple[float, ...],
    reached: float,
) -> None:
    """420 dpi: nothing is scaled below 446 pixels, nor before the distance has changed by 42."""
    x, y = centre
    arguments = {"x": x, "y": y, "scale": scale, "duration_ms": 60}
    seen = await timed(stage, host, "pinch", arguments, 60, {"scale": pytest.approx(reached)})
    places = {(time, action[:2]): action[2:] for time, action in seen}
    reported = [(0, "down"), (10, "move"), (20, "move"), (50, "move"), (60, "up")]
    for (time, action), span in zip(reported, (*spans, spans[-1]), strict=True):
        for finger, away in enumerate((-span / 2, span / 2)):
            place = (x, y + away) if upright else (x + away, y)
            assert places[time, (action, finger)] == pytest.approx(place)


@pytest.mark.parametrize(("scale", "zoom"), [(1.5, 1.0), (2, 1.0), (3, 1.0), (5, 1.0), (0.5, 8.0)])
async def test_app_scales_by_the_reported_factor(
    stage: Stage, host: Host, scale: float, zoom: float
) -> None:
    stage.world.start("dev.handheld.gallery", ".Photo")
    screen = stage.world.front
    assert isinstance(screen, PhotoScreen)
    stage.world.automation.read_windows()
    [photo, *_] = screen.photos
    photo.zoom = zoom
    arguments = {"x": 540, "y": 1150, "scale": scale, "duration_ms": 300}
    number = await host.call("pinch", arguments, act=True)
    await host.advance(310)
    reached = (await host.answer(number)).reply["scale"]
    assert photo.zoom / zoom == pytest.approx(reached, rel=0.01)
    assert reached == pytest.approx(scale, rel=0.1)


@pytest.mark.parametrize(
    ("x", "y", "scale", "message"),
    [
        (10, 10, 2, "can be 20 pixels apart, and apps scale beyond 448."),
        (230, 200, 0.5, "can be 460 pixels apart, and apps scale beyond 492."),
        (224, 5, 1.1, "can be 448 pixels apart, and apps scale beyond 448."),
        (1080, 2400, 1.1, "can be 0 pixels apart, and apps scale beyond 448."),
    ],
)
async def test_pinch_too_near_the_edge_is_rejected_before_any_touch(
    stage: Stage, host: Host, x: int, y: int, scale: float, message: str
) -> None:
    arguments = {"x": x, "y": y, "scale": scale, "duration_ms": 20}
    answer = await host.do("pinch", arguments, act=True)
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == (
        f"The centre {x}, {y} is too near the edge: two fingers around it {message}"
    )
    assert stage.world.events == []


async def test_pinch_outside_the_screen_is_rejected(stage: Stage, host: Host) -> None:
    arguments = {"x": 1081, "y": 5, "scale": 2, "duration_ms": 20}
    answer = await host.do("pinch", arguments, act=True)
    assert answer.failure == ("outside_screen", "no")
    assert answer.value["data"] == {"width": 1080, "height": 2400}
    assert stage.world.events == []


SCROLL = {"direction": "down", "share": 0.5, "duration_ms": 300}
PINCH = {"x": 540, "y": 1200, "scale": 2, "duration_ms": 300}


@pytest.mark.parametrize(("do", "arguments"), [("scroll", SCROLL), ("pinch", PINCH)])
async def test_gesture_fails_when_the_screen_is_off(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    stage.world.awake = False
    assert (await host.do(do, arguments, act=True)).failure == ("failed", "no")
    assert stage.world.events == []


@pytest.mark.parametrize(("do", "arguments"), [("scroll", SCROLL), ("pinch", PINCH)])
async def test_a_cancelled_gesture_lifts_its_fingers(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    number = await host.call(do, arguments, act=True)
    await host.advance(100)
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "partly")
    actions = [event.details[0] for event in stage.world.events]
    assert actions.count("cancel") == actions.count("down") > 0
    assert "up" not in actions


@pytest.mark.parametrize(
    ("refused_at", "happened", "actions"), [(20, "no", []), (70, "partly", ["down", "move"])]
)
async def test_gesture_refused_midway_is_partly_done(
    stage: Stage, host: Host, refused_at: int, happened: str, actions: list[str]
) -> None:
    strokes = [[[100, 500, 50], [100, 900, 150]]]
    number = await host.call("touch", {"strokes": strokes}, act=True)
    await host.advance(refused_at - 5)
    stage.world.input_refused = True
    await host.advance(100)
    assert (await host.answer(number)).failure == ("input_refused", happened)
    assert [event.details[0] for event in stage.world.events] == actions


def touches(stage: Stage) -> list[object]:
    return [event.details[0] for event in stage.world.events]


TAP = {"strokes": [[[540, 1200, 0]]]}
CHECKED = pytest.mark.parametrize("checked", [False, True], ids=["any order", "checked order"])


@CHECKED
async def test_touch_without_a_window_does_not_block_later_touches(
    stage: Stage, host: Host, checked: bool
) -> None:
    """Android still counts the pointer as down, and since API 36 accepts no other."""
    stage.world.injection.checked = checked
    stage.world.takes_touches = False
    answer = await host.do("touch", TAP, act=True)
    assert (answer.failure, answer.value["message"]) == (
        ("failed", "no"),
        "No window took the touch.",
    )
    assert set(touches(stage)) <= {"cancel"}
    stage.world.events.clear()
    stage.world.takes_touches = True
    assert (await host.do("touch", TAP, act=True)).reply == {}
    assert touches(stage) == ["down", "up"]


@CHECKED
@pytest.mark.parametrize(("do", "arguments"), [("scroll", SCROLL), ("pinch", PINCH)])
async def test_pointers_of_a_killed_helper_do_not_block_later_touches(
    stage: Stage, do: str, arguments: dict[str, Any], checked: bool
) -> None:
    stage.world.injection.checked = checked
    first, _ = await stage.start()
    await first.call(do, arguments, act=True)
    await first.advance(100)
    await first.kill()
    assert stage.world.injection.down
    assert not {"up", "cancel"} & set(touches(stage))
    stage.world.events.clear()
    second, _ = await stage.start()
    assert (await second.do("touch", TAP, act=True)).reply == {}
    assert touches(stage)[-2:] == ["down", "up"]
    assert set(touches(stage)[:-2]) <= {"cancel"}


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("scroll", {**SCROLL, "direction": "sideways"}),
        ("scroll", {**SCROLL, "share": 0}),
        ("scroll", {**SCROLL, "share": 1.1}),
        ("scroll", {**SCROLL, "share": "half"}),
        ("scroll", {**SCROLL, "duration_ms": 0}),
        ("scroll", {**SCROLL, "duration_ms": 60_001}),
        ("scroll", {**SCROLL, "more": 1}),
        ("scroll", {"direction": "up"}),
        ("pinch", {**PINCH, "x": None}),
        ("pinch", {**PINCH, "y": "5"}),
        ("pinch", {**PINCH, "scale": 0}),
        ("pinch", {**PINCH, "scale": True}),
        ("pinch", {**PINCH, "duration_ms": 1e6}),
        ("pinch", {}),
    ],
)
async def test_a_malformed_gesture_is_refused(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments, act=True)).failure == ("bad_call", "no")
    assert stage.world.events == []


points = st.tuples(st.integers(0, 1080), st.integers(0, 2400))


@st.composite
def any_strokes(draw: st.DrawFn) -> list[list[tuple[float, float, float]]]:
    times = st.lists(st.integers(0, 500), min_size=1, max_size=5).map(sorted)
    return [
        [(*draw(points), time) for time in finger]
        for finger in draw(st.lists(times, min_size=1, max_size=4))
    ]


@given(any_strokes())
def test_any_gesture_keeps_its_points_and_timing(
    strokes: list[list[tuple[float, float, float]]],
) -> None:
    seen = list(steps(strokes, 1079, 2399))
    assert [step.t for step in seen] == sorted(step.t for step in seen)
    for finger, stroke in enumerate(strokes):
        own = [step for step in seen if step.finger == finger]
        assert [own[0].action, own[-1].action] == ["down", "up"]
        assert {step.action for step in own[1:-1]} <= {"move"}
        (x, y, t), (end_x, end_y, end) = stroke[0], stroke[-1]
        assert own[0][2:5] == ("down", min(x, 1079), min(y, 2399))
        assert own[-1][2:5] == ("up", min(end_x, 1079), min(end_y, 2399))
        assert (own[0].t, own[-1].t) == (t, end)
        for item, other in pairwise(own):
            if (item.x, item.y) != (other.x, other.y):
                assert other.t - item.t <= INTERVAL_MS or item.given
