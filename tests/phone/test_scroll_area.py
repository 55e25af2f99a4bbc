"""Where a finger is put down to scroll, and how far it moves."""

import pytest

from handheld.phone.screen.dragging import Motion, describe
from handheld.phone.screen.scroll_area import find_scroll_area
from handheld.screen.model import Bounds, Flag, Node, Screen, Window

LIST = int(Flag.VISIBLE | Flag.SCROLLABLE | Flag.ENABLED)
LOST = 11
"""At 160 dpi: 8 dp of slop, and 3 pixels."""


def view(
    box: tuple[int, int, int, int], flags: int = LIST, depth: int = 1, name: str = "ScrollView"
) -> Node:
    return Node(depth, 0, "", f"android.widget.{name}", None, None, None, Bounds(*box), flags)


def screen(*nodes: Node, above: Window | None = None) -> Screen:
    root = view((0, 0, 1000, 2000), int(Flag.VISIBLE), 0, "FrameLayout")
    window = Window(1, "APPLICATION", "org.example", "Page", 0, True, [root, *nodes])
    return Screen(1000, 2000, 160, 0, [window] if above is None else [above, window])


def ways(shown: Screen, direction: str, share: float) -> list[tuple[object, object]]:
    area = find_scroll_area(shown, direction, share)
    return [] if area is None else list(area.drags)


def test_finger_moves_by_the_share_and_the_slop_inside_the_view() -> None:
    page = screen(view((0, 200, 1000, 1900)))
    [(start, end)] = ways(page, "down", 0.5)
    assert (start, end) == ((500, 1050 + 505.5), (500, 1050 - 505.5))
    assert ways(page, "up", 0.5) == [(end, start)]


def test_finger_keeps_away_from_the_edges_of_the_screen() -> None:
    [(start, end), *_] = ways(screen(view((0, 0, 1000, 2000))), "down", 1)
    assert isinstance(start, tuple)
    assert isinstance(end, tuple)
    assert 48 <= end[1] < start[1] <= 1952


def test_largest_view_is_scrolled() -> None:
    small, large = view((0, 0, 1000, 400)), view((0, 400, 1000, 2000))
    area = find_scroll_area(screen(small, large), "down", 0.25)
    assert area is not None
    assert area.place == (0, 2)


def test_view_in_it_that_scrolls_the_same_way_is_avoided() -> None:
    outer, inner = view((0, 0, 1000, 1900)), view((300, 100, 700, 1900), depth=2)
    [(start, _)] = ways(screen(outer, inner), "down", 0.5)
    assert isinstance(start, tuple)
    assert not 300 <= start[0] < 700


def test_view_that_fills_another_is_scrolled_instead() -> None:
    outer, inner = view((0, 0, 1000, 1900)), view((0, 0, 1000, 1850), depth=2)
    area = find_scroll_area(screen(outer, inner), "down", 0.5)
    assert area is not None
    assert area.place == (0, 2)


def test_other_windows_are_avoided() -> None:
    keyboard = view((0, 1200, 1000, 2000), int(Flag.VISIBLE), 0, "FrameLayout")
    above = Window(2, "INPUT_METHOD", "org.example.keyboard", "Keyboard", 1, False, [keyboard])
    for start, end in ways(screen(view((0, 100, 1000, 1900)), above=above), "down", 0.75):
        assert isinstance(start, tuple)
        assert isinstance(end, tuple)
        assert 100 <= end[1] < start[1] < 1200


def test_low_view_takes_several_drags_and_moves_by_less_than_itself() -> None:
    drags = ways(screen(view((0, 900, 1000, 1100))), "down", 0.75)
    lengths = [start[1] - end[1] - LOST for start, end in drags]  # type: ignore[index]
    assert sum(lengths) == 200 - 12
    assert len(lengths) == 2


def test_sideways_there_is_one_drag_in_what_scrolls_sideways() -> None:
    pages = view((0, 100, 1000, 1900), name="ViewPager")
    page = screen(pages, view((0, 100, 1000, 1900), depth=2))
    [(start, end)] = ways(page, "right", 0.75)
    assert isinstance(start, tuple)
    assert isinstance(end, tuple)
    assert start[0] - end[0] == pytest.approx(750 + LOST)
    assert find_scroll_area(page, "down", 0.5) is not None


def test_children_side_by_side_scroll_sideways_and_a_grid_does_not() -> None:
    cells = [view((x, 0, x + 300, 300), int(Flag.VISIBLE), 2, "Image") for x in (0, 300, 600)]
    strip = screen(view((0, 0, 1000, 300), name="RecyclerView"), *cells)
    assert ways(strip, "right", 0.25)
    assert not ways(strip, "down", 0.25)
    more = [view((x, 300, x + 300, 600), int(Flag.VISIBLE), 2, "Image") for x in (0, 300, 600)]
    grid = screen(view((0, 0, 1000, 600), name="RecyclerView"), *cells, *more)
    assert ways(grid, "down", 0.25)
    assert not ways(grid, "right", 0.25)


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [view((0, 500, 1000, 520))],
        [view((0, 500, 1000, 1500), LIST & ~int(Flag.VISIBLE))],
        [view((0, 500, 1000, 1500), LIST & ~int(Flag.ENABLED))],
    ],
)
def test_nothing_scrolls_where_a_finger_has_no_view_or_no_room(nodes: list[Node]) -> None:
    assert find_scroll_area(screen(*nodes), "down", 0.5) is None


@pytest.mark.parametrize(
    ("pixels", "more", "direction", "sentence"),
    [
        (1180, True, "down", "Moved 1180 px; more below."),
        (1180, True, "left", "Moved 1180 px; more left."),
        (700, False, "right", "Moved 700 px; the end is reached."),
        (700, False, "up", "Moved 700 px; the top is reached."),
        (700, None, "up", "Moved 700 px."),
        (0, False, "down", "Nothing moved: the end is reached."),
        (
            0,
            True,
            "down",
            "Nothing moved, although there is more below: something else took the touch.",
        ),
        (-30, True, "down", "Moved 30 px in the other direction; more below."),
        (
            None,
            True,
            "down",
            "Moved about 1200 px, and nothing visible before is still visible; more below.",
        ),
        (
            None,
            False,
            "up",
            "Moved, and nothing visible before is still visible; the top is reached.",
        ),
    ],
)
def test_what_moved_is_told_in_a_sentence(
    pixels: int | None, more: bool | None, direction: str, sentence: str
) -> None:
    assert describe(Motion(pixels, more), direction, 1200) == sentence
