"""The gallery: turning pages, and zooming a picture with two fingers."""

from itertools import pairwise
from math import prod

import pytest

from handheld_virtual.apps.gallery import PhotoScreen
from handheld_virtual.input.scale import ScaleGesture, scaling
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from testbed import show_scene

from .finger import Finger


@pytest.fixture
def photo(world: World) -> PhotoScreen:
    world.start("dev.handheld.gallery", ".Photo")
    screen = world.front
    assert isinstance(screen, PhotoScreen)
    world.automation.read_windows()
    return screen


def spread(world: World, *spans: float, y: float = 1100) -> None:
    """Move two fingers from each distance to the next in small steps."""
    world.touch("down", 0, 540 - spans[0] / 2, y)
    world.touch("down", 1, 540 + spans[0] / 2, y)
    for before, after in pairwise(spans):
        for step in range(1, 11):
            half = (before + (after - before) * step / 10) / 2
            world.touch("move", 0, 540 - half, y)
            world.touch("move", 1, 540 + half, y)
    world.touch("up", 0, 540 - spans[-1] / 2, y)
    world.touch("up", 1, 540 + spans[-1] / 2, y)


def pinch(world: World, scale: float) -> None:
    """Move two fingers past the slop, then until the picture has grown by the scale."""
    if scale > 1:
        spread(world, 404, 448, 448 * scale)
    else:
        spread(world, 440 / scale + 44, 440 / scale, 447)


def slide(world: World, start: float, end: float) -> None:
    world.touch("down", 0, start, 1100)
    for step in range(1, 11):
        world.touch("move", 0, start + (end - start) * step / 10, 1100)
    world.touch("up", 0, end, 1100)


def test_a_thumbnail_opens_its_picture(world: World, finger: Finger):
    world.launch("dev.handheld.gallery")
    thumbnails = [n for n in finger.nodes() if (n.resource_id or "").endswith("/thumbnail")]
    assert [n.description for n in thumbnails] == ["Morning", "The city at night", "Sand"]
    assert world.automation.perform(thumbnails[2].key, "click")
    assert (finger.text("title"), finger.text("position")) == ("Sand", "3 of 3")


def test_two_fingers_zoom_and_the_screen_says_how_far(
    world: World, photo: PhotoScreen, finger: Finger
):
    assert finger.text("zoom") == "100%"
    pinch(world, 2)
    assert finger.text("zoom") == "200%"
    pinch(world, 0.45)
    assert finger.text("zoom") == "100%"
    assert photo.photos[0].shift == (0, 0)
    assert photo.pager.page == 0


@pytest.mark.parametrize(
    ("spans", "zoom"),
    [
        ((200, 440), 1),
        ((445, 446, 487), 1),
        ((445, 446, 490, 980), pytest.approx(2, rel=0.01)),
        ((700, 741, 660), 1),
        # A span below the minimum is not reported, and ends the scaling.
        ((400, 448, 896, 440, 480), pytest.approx(462.8 / 448)),
        ((448, 492, 984, 440, 460, 490), pytest.approx(467.2 / 492 * 490 / 482.5)),
    ],
)
def test_pinch_scales_like_androids_detector(
    world: World, photo: PhotoScreen, spans: tuple[float, ...], zoom: float
):
    """Scaling needs at least 446 pixels between the fingers, and begins after a change of 42
    pixels."""
    seen: list[float] = []
    gesture = ScaleGesture(*scaling(world), lambda factor, *_: seen.append(factor))
    photo.photos[0].on_touch = gesture.touch
    assert scaling(world) == (446, 42)
    spread(world, *spans)
    assert prod(seen) == zoom


def test_scaling_span_uses_the_panel_and_slop_the_density(world: World):
    world.resize(1080, 2400, 320)
    assert scaling(world) == (446, 32)


def test_zoom_is_limited(world: World, photo: PhotoScreen, finger: Finger):
    for _ in range(4):
        pinch(world, 2.3)
    assert finger.text("zoom") == "800%"
    for _ in range(4):
        pinch(world, 0.45)
    assert finger.text("zoom") == "100%"


def test_focal_point_of_a_pinch_stays_in_place(world: World, photo: PhotoScreen):
    view = photo.photos[0]

    def share() -> float:
        left, _, right, _ = view.picture()
        return (540 - left) / (right - left)

    before = share()
    pinch(world, 2.3)
    assert share() == pytest.approx(before, abs=0.01)


def test_drag_moves_an_enlarged_picture_up_to_its_edge(world: World, photo: PhotoScreen):
    pinch(world, 2)
    before = photo.photos[0].shift[0]
    slide(world, 800, 600)
    assert photo.photos[0].shift[0] == pytest.approx(before - 200)
    slide(world, 900, 100)
    assert photo.photos[0].picture()[2] == pytest.approx(1080, abs=1)
    assert photo.pager.page == 0


def test_a_long_drag_turns_the_page_and_a_short_one_does_not(
    world: World, photo: PhotoScreen, finger: Finger
):
    slide(world, 600, 400)
    assert finger.text("position") == "1 of 3"
    slide(world, 900, 100)
    assert (finger.text("title"), finger.text("position")) == ("The city at night", "2 of 3")
    assert photo.pager.offset == 1080
    slide(world, 100, 900)
    assert finger.text("position") == "1 of 3"
    slide(world, 100, 900)
    assert finger.text("position") == "1 of 3"


async def test_a_flick_turns_one_page(
    world: World, photo: PhotoScreen, finger: Finger, clock: ManualClock
):
    world.touch("down", 0, 700, 1100)
    for step in range(1, 6):
        await clock.advance(10)
        world.touch("move", 0, 700 - 50 * step, 1100)
    world.touch("up", 0, 450, 1100)
    assert finger.text("position") == "2 of 3"


def test_a_cancelled_drag_leaves_the_page(world: World, photo: PhotoScreen, finger: Finger):
    world.touch("down", 0, 900, 1100)
    world.touch("move", 0, 100, 1100)
    world.touch("cancel", 0, 100, 1100)
    assert (photo.pager.offset, finger.text("position")) == (0, "1 of 3")


def test_pages_turn_by_accessibility_too(world: World, photo: PhotoScreen, finger: Finger):
    pager = finger.find("pager")
    assert [world.automation.perform(pager.key, "scroll_forward") for _ in range(3)] == [
        True,
        True,
        False,
    ]
    assert finger.text("position") == "3 of 3"
    assert world.automation.perform(pager.key, "scroll_backward")
    assert finger.text("position") == "2 of 3"


def test_the_page_stays_when_the_phone_is_turned(world: World, photo: PhotoScreen, finger: Finger):
    slide(world, 900, 100)
    world.rotate(1)
    world.automation.read_windows()
    assert (photo.pager.offset, finger.text("position")) == (photo.pager.viewport, "2 of 3")


def test_turning_the_page_ends_the_zoom(world: World, photo: PhotoScreen, finger: Finger):
    pinch(world, 2)
    world.automation.perform(finger.find("pager").key, "scroll_forward")
    assert finger.text("zoom") == "100%"


def test_two_taps_zoom_in_and_out(world: World, photo: PhotoScreen, finger: Finger):
    for expected in ("200%", "100%"):
        finger.tap_at(540, 1100)
        finger.tap_at(540, 1100)
        assert finger.text("zoom") == expected


def test_picture_is_drawn_at_the_reported_zoom(world: World, photo: PhotoScreen):
    def sky() -> int:
        """The picture's pixels in a column: all that are not the dark background."""
        column = world.picture().crop((540, 300, 541, 2000))
        return sum(sum(column.getpixel((0, y))) > 60 for y in range(column.height))  # pyright: ignore

    small = sky()
    pinch(world, 2)
    assert sky() == pytest.approx(2 * small, rel=0.02)


def test_two_fingers_on_a_list_scroll_it_once(world: World, finger: Finger):
    show_scene(world, "long_list")
    before = finger.find("Row 10").bounds.top
    world.touch("down", 0, 300, 1500)
    world.touch("down", 1, 600, 1300)
    for step in range(1, 11):
        world.touch("move", 0, 300, 1500 - 50 * step)
        world.touch("move", 1, 600, 1300 - 50 * step)
    world.touch("up", 0, 300, 1000)
    world.touch("up", 1, 600, 800)
    assert finger.find("Row 10").bounds.top == before - 500 + 21
