"""Labels in annotated pictures: no overlap, none outside, none over content."""

from cProfile import Profile
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.ids import assign
from handheld.screen.model import Screen
from handheld.screen.picture import MOST_MARKS, Mark, find_marks, place_labels
from handheld.screen.picture_labels import Box, Labelled, place
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from testbed import show as show_either

from .trees import node, screen, window

PICTURE = (315, 700)
WIDE, HIGH = 40, 12


def meet(left: Box, right: Box) -> bool:
    return left[0] < right[2] and right[0] < left[2] and left[1] < right[3] and right[1] < left[3]


def gap(left: Box, right: Box) -> int:
    """The distance between two boxes."""
    return max(left[0] - right[2], right[0] - left[2], left[1] - right[3], right[1] - left[3], 0)


def is_within(box: Box, size: tuple[int, int] = PICTURE) -> bool:
    return 0 <= box[0] < box[2] <= size[0] and 0 <= box[1] < box[3] <= size[1]


def labels(*boxes: Box, contents: bool = False) -> list[Box]:
    items = [Labelled(box, WIDE, box if contents else None) for box in boxes]
    return place(items, HIGH, PICTURE).boxes


def test_a_label_is_placed_on_its_box_at_the_left() -> None:
    assert labels((20, 100, 200, 150)) == [(20, 88, 60, 100)]
    assert labels((20, 100, 25, 150), contents=True) == [(20, 88, 60, 100)]


def test_a_label_that_prefers_the_inside_is_in_its_own_row() -> None:
    rows = [(0, 100, 300, 150), (0, 150, 300, 200)]
    items = [Labelled(row, WIDE, (60, row[1] + 10, 200, row[3] - 10), True) for row in rows]
    assert place(items, HIGH, PICTURE).boxes == [(0, 100, 40, 112), (0, 150, 40, 162)]
    low = Labelled((0, 200, 300, 220), WIDE, None, True)
    assert place([low], HIGH, PICTURE).boxes == [(0, 188, 40, 200)]


def test_a_label_stays_in_the_picture() -> None:
    assert labels((20, 5, 200, 150)) == [(20, 0, 60, 12)]
    assert labels((300, 100, 315, 150)) == [(275, 88, 315, 100)]
    assert labels((0, 699, 3, 700)) == [(0, 687, 40, 699)]


def test_nested_boxes_have_their_labels_side_by_side() -> None:
    card = (20, 100, 300, 150)
    found = labels(card, card, card, card)
    assert not any(meet(left, right) for left, right in combinations(found, 2))
    assert all(label[3] == 100 for label in found)


def test_a_label_moves_into_its_box_rather_than_over_text_above() -> None:
    above, row = (0, 60, 315, 100), (0, 100, 315, 150)
    words = (0, 115, 315, 135)
    placed = place([Labelled(above, WIDE, above), Labelled(row, WIDE, words)], HIGH, PICTURE)
    assert placed.boxes[1][1] == 100
    assert placed.hiding == 0


def test_without_room_a_label_covers_content_rather_than_another_label() -> None:
    everywhere = Labelled((0, 0, 315, 700), WIDE, (0, 0, 315, 700))
    button = Labelled((100, 100, 160, 120), WIDE, (100, 100, 160, 120))
    placed = place([everywhere, button, button], HIGH, PICTURE)
    assert not any(meet(left, right) for left, right in combinations(placed.boxes, 2))
    assert placed.hiding == 3


boxes = st.tuples(
    st.integers(0, 314), st.integers(0, 699), st.integers(1, 315), st.integers(1, 700)
).map(lambda box: (box[0], box[1], min(315, box[0] + box[2]), min(700, box[1] + box[3])))


@given(st.lists(st.tuples(boxes, st.integers(1, 400), boxes | st.none()), max_size=60))
def test_labels_are_within_the_picture_and_deterministic(
    items: list[tuple[Box, int, Box | None]],
) -> None:
    given_items = [Labelled(*item) for item in items]
    placed = place(given_items, HIGH, PICTURE)
    assert all(map(is_within, placed.boxes))
    assert place(given_items, HIGH, PICTURE) == placed


@given(st.lists(boxes, max_size=12))
def test_a_dozen_labels_do_not_overlap(drawn: list[Box]) -> None:
    """There is always room: each has more positions than eleven others can occupy."""
    roomy = [box for box in drawn if box[2] - box[0] > 5 * WIDE]
    found = labels(*roomy)
    assert not any(meet(left, right) for left, right in combinations(found, 2))


def test_a_landscape_picture_has_small_labels_only_if_large_ones_cover_content() -> None:
    lying = (700, 315)
    rows = [Mark((0, y, 700, y + 20), "abcdef01", (0, y, 700, y + 20)) for y in range(0, 300, 40)]
    for marks, high in ((rows[3:4], 27), (rows, 12)):
        _, found = place_labels(marks, lying)
        assert {label[3] - label[1] for label in found} == {high}


# On the screens of the virtual phone.

SCREENS = (
    "com.android.launcher3",
    "com.android.settings",
    "com.android.calculator2",
    "com.android.messaging",
    "com.android.contacts",
    "com.android.documentsui",
    "dev.handheld.form",
    "dev.handheld.gallery",
    "dev.handheld.notes",
    "dev.handheld.weather",
    "mixed",
    "long_list",
    "equal_rows",
)


def show(name: str, rotation: int) -> Screen:
    world = World(clock=ManualClock())
    if name == "com.android.launcher3":
        world.press("home")
    else:
        show_either(world, name)
    world.rotate(rotation)
    return Screen(world.width, world.height, world.density, 0, world.automation.read_windows())


@pytest.mark.parametrize("rotation", [0, 1])
@pytest.mark.parametrize("name", SCREENS)
def test_labels_of_a_recorded_screen_do_not_overlap(name: str, rotation: int) -> None:
    shown = show(name, rotation)
    size = (700, 315) if rotation else PICTURE
    marks, visible = find_marks(shown, assign(shown).labels, size)
    assert len(marks) == visible
    _, found = place_labels(marks, size)
    assert len(found) == len(marks) > 4
    assert all(is_within(label, size) for label in found)
    assert [pair for pair in combinations(found, 2) if meet(*pair)] == []
    pairs = list(zip(marks, found, strict=True))
    # The icons of the status bar are narrower than their labels, and there are many of them.
    assert sum(gap(mark.box, label) > 0 for mark, label in pairs) <= 1
    assert max(gap(mark.box, label) for mark, label in pairs) <= HIGH
    assert sum(mark.content is not None and meet(mark.content, label) for mark, label in pairs) <= 1


def count_work(nodes: int) -> int:
    """The number of calls of functions, ours and Python's own, to mark that many elements which
    all fill the screen, so that no label finds a free place."""
    everywhere = [node(text="t", class_name="V") for _ in range(nodes)]
    shown = screen(window(*everywhere))
    labels = [[f"{number:08x}" for number in range(nodes)]]
    profile = Profile()
    marks, visible = profile.runcall(find_marks, shown, labels, PICTURE)
    assert (len(marks), visible) == (min(nodes, MOST_MARKS), nodes)
    profile.runcall(place_labels, marks, PICTURE)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.matrix
def test_the_work_for_labels_has_a_limit_however_many_elements_an_app_shows() -> None:
    limit = count_work(MOST_MARKS)
    further = 5 * MOST_MARKS
    # A further element is only counted.
    assert count_work(MOST_MARKS + further) < limit + further * 20 < 2 * limit
