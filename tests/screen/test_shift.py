"""How far content has moved, by the nodes of two reads."""

import pytest

from handheld.screen.model import Bounds, Flag, Node
from handheld.screen.shift import below, measure

BOX = Bounds(0, 100, 1000, 1100)
ON = int(Flag.VISIBLE)


def row(text: str, top: int, height: int = 200, flags: int = ON) -> Node:
    """A row, clipped to the view as Android clips it."""
    box = Bounds(0, max(top, BOX.top), 1000, min(top + height, BOX.bottom))
    return Node(1, 0, "", "Row", text, None, None, box, flags)


def rows(first: int, top: int, count: int = 6) -> list[Node]:
    return [row(f"Row {first + n}", top + 200 * n) for n in range(count)]


@pytest.mark.parametrize(
    ("before", "after", "shift"),
    [
        (rows(0, 100), rows(0, 100), 0),
        (rows(0, 100), rows(0, 50), -50),
        (rows(5, 0), rows(4, 0), 200),
        # One row in common, at the edge: its lower edge is seen both times.
        (rows(0, 60, 5), [row("Row 4", -60), *rows(5, 140, 5)], -920),
        # Nothing in common.
        (rows(0, 100), rows(50, 100), None),
        # What changes where it is does not count, what moves does.
        ([row("12:00", 100), *rows(0, 300, 4)], [row("12:01", 100), *rows(0, 300, 4)], 0),
        # The same words in another row.
        ([*rows(0, 100, 4), row("Sum", 900)], [*rows(9, 100, 4), row("Sum", 900)], None),
        # Equal rows tell nothing.
        ([row("a", 100), row("a", 300)], [row("a", 150), row("a", 350)], None),
        # Neither does what is not visible.
        ([row("a", 100, flags=0)], [row("a", 300, flags=0)], None),
        ([], [], None),
    ],
)
def test_most_nodes_tell_how_far_they_moved(
    before: list[Node], after: list[Node], shift: int | None
) -> None:
    assert measure(before, after, BOX, BOX, across=False) == shift


def test_sideways_the_left_and_right_edges_count() -> None:
    before = [Node(1, 0, "", "Cell", "a", None, None, Bounds(100, 0, 300, 50), ON)]
    after = [Node(1, 0, "", "Cell", "a", None, None, Bounds(40, 0, 240, 50), ON)]
    box = Bounds(0, 0, 1000, 100)
    assert measure(before, after, box, box, across=True) == -60


def test_nodes_below_end_with_the_next_of_the_same_depth() -> None:
    depths = [0, 1, 2, 2, 1, 2]
    nodes = [Node(depth, 0, "", None, None, None, None, BOX, ON) for depth in depths]
    assert below(nodes, 1) == nodes[2:4]
    assert below(nodes, 0) == nodes[1:]
    assert below(nodes, 5) == []
