"""The screens that agents were shown: what is kept of them, and how the cost grows."""

import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, cast

import pytest

from handheld.phone.screen import screen_log
from handheld.phone.screen.elements import Elements
from handheld.phone.screen.screen_log import PastScreen, ScreenLog, ShownScreen
from handheld.screen.model import Flag, Node, Screen
from handheld.screen.rows.changes import changed_rows
from harness.manual_clock import ManualClock
from harness.work import PROPORTIONATE, growth
from screen.trees import node, screen, window

SHOWN = int(Flag.VISIBLE | Flag.ENABLED)
CLICK = SHOWN | Flag.CLICKABLE


class Log:
    """A log, and screens to show in it."""

    def __init__(self) -> None:
        self.log = ScreenLog()
        # Nothing is read or acted on here.
        self.elements = Elements(cast("Any", None), ManualClock())

    def show(self, *nodes: Node) -> ShownScreen:
        return self.show_screen(screen(window(node(), *nodes)))

    def show_screen(self, shown: Screen) -> ShownScreen:
        read = self.log.show(self.elements, shown)
        assert read.name()
        return read


def button(words: str, at: int, key: str = "") -> Node:
    box = (0, at * 20, 1080, at * 20 + 18)
    return node(1, at, "android.widget.Button", words, bounds=box, flags=CLICK, key=key)


def test_an_unchanged_screen_keeps_its_id_rows_and_refs() -> None:
    log = Log()
    first = log.show(button("OK", 0), button("No", 1))
    rows = first.rows
    again = log.show(button("OK", 0), button("No", 1))
    assert again is first
    assert again.rows is rows
    assert log.elements.issued.refs.keys() == set(again.snapshot.ids.hashes[0][1:])


def test_a_past_screen_is_kept_without_its_nodes_and_still_tells_what_changed() -> None:
    log = Log()
    before = log.show(*(button(f"Row {n}", n) for n in range(20)))
    after = log.show(*(button(f"Row {n}", n) for n in range(19)), button("Other", 19))
    past = log.log.screens["s1"]
    assert type(past) is PastScreen
    assert past.rows.front is not None
    assert past.rows.front.nodes == []
    assert all(thing.item.pieces == [] for _, thing in past.rows.things)
    assert changed_rows(past.rows, after.rows) == ['+ a21 "Other"', '- a20 "Row 19"']
    assert changed_rows(past.rows, after.rows) == changed_rows(before.rows, after.rows)


def test_the_last_64_screens_are_kept() -> None:
    log = Log()
    for number in range(70):
        log.show(button(f"Page {number}", 0))
    assert list(log.log.screens) == [f"s{number}" for number in range(7, 71)]
    assert log.log.last is log.log.screens["s70"]


@pytest.mark.slow
def test_screens_with_much_text_are_kept_up_to_a_number_of_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(screen_log, "MOST_BYTES", 300_000)
    log = Log()
    for page in range(20):
        log.show(*(button(f"Page {page} {n} " + "ж😀" * 90, n) for n in range(50)))
    kept = list(log.log.screens.values())
    assert 2 < len(kept) < 20
    assert kept[-1] is log.log.last
    assert sum(past.size for past in kept[:-1]) <= 300_000


@pytest.mark.parametrize("words", ["plain words", "é" * 150, "ж" * 150, "😀" * 150, ""])
def test_the_size_of_a_past_screen_is_not_underestimated(words: str) -> None:
    log = Log()
    log.show(*(button(f"{n} {words}", n) for n in range(100)))
    log.show(button("Other", 0))
    past = log.log.screens["s1"]
    assert deep_size(past.rows, set()) <= past.size


def deep_size(value: Any, seen: set[int]) -> int:
    """The bytes of an object and everything that only it refers to."""
    if id(value) in seen or value is None or isinstance(value, int | bool | type):
        return 0
    seen.add(id(value))
    size = sys.getsizeof(value)
    if isinstance(value, list | tuple):
        size += sum(deep_size(each, seen) for each in cast("list[Any]", value))
    elif isinstance(value, dict):
        size += sum(deep_size(each, seen) for pair in cast("Any", value).items() for each in pair)
    elif is_dataclass(value):
        size += sum(deep_size(getattr(value, each.name), seen) for each in fields(value))
    return size


def grid(count: int) -> list[Node]:
    return [
        node(
            1,
            number,
            "android.widget.Button",
            f"Cell {number}",
            bounds=(number % 8 * 130, number // 8 * 9, number % 8 * 130 + 120, number // 8 * 9 + 8),
            flags=CLICK,
            key=f"42:{number}:-1",
        )
        for number in range(count)
    ]


def alike(count: int) -> list[Node]:
    """Nothing but their keys tells them apart."""
    return [
        node(1, number, "x.View", bounds=(0, 0, 1080, 2400), flags=CLICK, key=f"42:{number}:-1")
        for number in range(count)
    ]


def column(count: int) -> list[Node]:
    return [
        node(1, number, "x.Text", f"Line {number}", bounds=(0, number, 1080, number + 1))
        for number in range(count)
    ]


def nested(count: int) -> list[Node]:
    """Rows of a list, each as deep as the helper reads; every node is a layer of its parent."""
    made = [node(1, 0, "x.ListView", flags=SHOWN | Flag.SCROLLABLE | Flag.COLLECTION)]
    while len(made) < count:
        for depth in range(2, 190):
            made.append(node(depth, 0, "x.Group", f"Words {len(made)}", flags=CLICK))
            made.append(node(depth, 1, "x.Group", f"Words {len(made)}"))
    return made[:count]


@pytest.mark.parametrize(
    "nodes",
    [pytest.param(each, marks=pytest.mark.matrix) for each in (grid, alike, column, nested)],
)
def test_a_screen_takes_work_in_proportion_to_its_nodes(
    nodes: Callable[[int], list[Node]],
) -> None:
    def prepare(count: int) -> Callable[[], object]:
        log, shown = Log(), nodes(count)
        changed = [*shown[:-1], button("Other", 1)]

        def work() -> None:
            log.show(*shown)
            log.show(*changed)
            changed_rows(*(log.log.screens[id].rows for id in ("s1", "s2")))

        return work

    assert growth(prepare, 200) <= PROPORTIONATE
