"""Similarity of screens."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.fingerprint import fingerprint, similarity
from handheld.screen.ids import java_hash
from handheld.screen.model import Bounds, Node, Screen

from .trees import calculator, hostile_screens, node, screen, window

BUCKETS = [
    ("android.widget.FrameLayout", None, (0, 0, 1080, 2400), 2, 223),
    ("android.widget.TextView", "Calculator", (100, 50, 500, 120), 0, 4),
    ("android.widget.Button", "7", (50, 800, 270, 1000), 0, 163),
    (None, None, (0, 0, 0, 0), 0, 145),
    ("android.widget.TextView", "日本語 😀", (1, 2, 3, 4), 0, 126),
]

SIMILARITIES = [
    ([(0, 10)], [(0, 10)], 100),
    ([], [], 100),
    ([(0, 10)], [(1, 10)], 0),
    ([(0, 10)], [(0, 9), (1, 1)], 90),
    ([(0, 100)], [(0, 99), (1, 1)], 99),
    ([(0, 200)], [(0, 199), (1, 1)], 99),
    ([(0, 10)], [(0, 12)], 91),
    ([(0, 3)], [(0, 2), (5, 1)], 66),
    ([], [(0, 7)], 50),
]

Slots = Sequence[tuple[int, int]]


def slots(filled: Slots) -> list[int]:
    counts = [0] * 256
    for slot, count in filled:
        counts[slot] = count
    return counts


def single(
    class_name: str | None, text: str | None, bounds: tuple[int, int, int, int], children: int
) -> int:
    """The slot of a node with so many children."""
    parent = node(0, 0, class_name, text, bounds=bounds)
    child = node(1, 0, None)
    alone = slots([(similar_slot(child), children)] if children else [])
    counts = fingerprint(screen(window(parent, *[child] * children)))
    [slot] = [number for number in range(256) if counts[number] > alone[number]]
    return slot


def similar_slot(leaf: Node) -> int:
    return list(fingerprint(screen(window(leaf)))).index(1)


@pytest.mark.parametrize(("class_name", "text", "bounds", "children", "slot"), BUCKETS)
def test_a_node_is_counted_in_its_slot(
    class_name: str | None, text: str | None, bounds: tuple[int, int, int, int],
    children: int, slot: int,
) -> None:  # fmt: skip
    assert single(class_name, text, bounds, children) == slot


@pytest.mark.parametrize(("left", "right", "alike"), SIMILARITIES)
def test_similarity_is_truncated(left: Slots, right: Slots, alike: int) -> None:
    assert similarity(slots(left), slots(right)) == alike
    assert similarity(slots(right), slots(left)) == alike


def spelled_out(shown: Screen) -> list[int]:
    """The fingerprint in Java's arithmetic; a parent is the nearest earlier node above."""
    counts = [0] * 256
    for part in shown.windows:
        children = [0] * len(part.nodes)
        for number, each in enumerate(part.nodes):
            for above in range(number - 1, -1, -1):
                if part.nodes[above].depth < each.depth:
                    children[above] += 1
                    break
        for each, count in zip(part.nodes, children, strict=True):
            value = 17
            left, top, right, bottom = each.bounds
            for more in (
                java_hash(each.class_name or ""),
                java_hash(each.text or ""),
                ((left * 31 + top) * 31 + right) * 31 + bottom,
                count,
            ):
                value = (value * 31 + more) % 2**32
            counts[(value & 0x7FFFFFFF) % 256] += 1
    return counts


@given(hostile_screens())
def test_fingerprints_equal_those_of_java(shown: Screen) -> None:
    assert fingerprint(shown) == spelled_out(shown)


@given(
    st.lists(st.integers(0, 50), min_size=256, max_size=256),
    st.lists(st.integers(0, 50), min_size=256, max_size=256),
)
def test_similarity_is_a_symmetric_percentage(left: list[int], right: list[int]) -> None:
    alike = similarity(left, right)
    assert 0 <= alike <= 100
    assert alike == similarity(right, left)
    assert similarity(left, left) == 100


def test_moved_or_changed_nodes_lower_the_similarity() -> None:
    before = calculator()
    for change in ("text", "bounds"):
        after = calculator()
        if change == "text":
            after.windows[0].nodes[1].text = "Rechner"
        else:
            after.windows[0].nodes[1].bounds = Bounds(100, 51, 500, 121)
        assert similarity(fingerprint(before), fingerprint(after)) == 66
    after.windows[0].nodes[2].description = "seven"
    assert similarity(fingerprint(calculator()), fingerprint(after)) == 66
