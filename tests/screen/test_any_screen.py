"""Text, ids, search, fingerprint and picture of recorded and hostile screens."""

from io import BytesIO
from itertools import chain, product

import pytest
from hypothesis import given
from PIL import Image

import fixtures
from handheld.screen.fingerprint import fingerprint, similarity
from handheld.screen.ids import assign, element_id, parse_id
from handheld.screen.model import Flag, Node, Screen
from handheld.screen.picture import annotate
from handheld.screen.search import FIELDS, find
from handheld.screen.text import screen_text

from . import dumps
from .trees import hostile_screens, node, screen, window

COLUMNS = "id\tclass\ttext\tdesc\tres_id\tbounds\tflags"
SEARCHED = 5
"""The number of nodes to search for by each criterion."""


def blank() -> bytes:
    out = BytesIO()
    Image.new("RGB", (90, 200), "white").save(out, "JPEG")
    return out.getvalue()


BLANK = blank()


def has_content(each: Node) -> bool:
    """The filter as the document defines it."""
    return (
        bool(each.text)
        or bool(each.description)
        or bool(each.resource_id)
        or any(
            each.flags & flag
            for flag in (Flag.CLICKABLE, Flag.LONG_CLICKABLE, Flag.SCROLLABLE, Flag.EDITABLE)
        )
    )


def check(shown: Screen, rows: int) -> None:
    """Check what must hold for any screen."""
    ids = assign(shown)
    hashes = list(chain(*ids.hashes))
    assert len(set(hashes)) == len(hashes), "ids are unique within a screen"
    names = [
        [element_id(label, part.id) for label in labels]
        for part, labels in zip(shown.windows, ids.labels, strict=True)
    ]
    for part, hashed, named in zip(shown.windows, ids.hashes, names, strict=True):
        assert [parse_id(name) for name in named] == [(value, part.id) for value in hashed]
    check_text(shown, ids.labels, names, rows)
    check_search(shown)
    slots = fingerprint(shown)
    assert (len(slots), sum(slots)) == (256, len(hashes))
    assert similarity(slots, slots) == 100
    with Image.open(BytesIO(annotate(BLANK, shown, ids.labels).data)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (90, 200))


def check_text(
    shown: Screen, labels: list[list[str]], names: list[list[str]], rows: int
) -> None:  # fmt: skip
    lines = screen_text(shown, labels).split("\n")
    assert lines.count(COLUMNS) == len(shown.windows)
    listed = [line.split("\t") for line in lines if "\t" in line and line != COLUMNS]
    assert {len(row) for row in listed} <= {7}
    assert len(listed) == rows, "no row is lost or doubled"
    assert len(lines) == len([line for line in lines if line.startswith("note:")]) + 1 + (
        2 * len(shown.windows) + rows
    ), "no line comes from elsewhere"
    wanted = [
        name
        for part, named in zip(shown.windows, names, strict=True)
        for each, name in zip(part.nodes, named, strict=True)
        if has_content(each)
    ]
    assert [row[0] for row in listed] == wanted


def check_search(shown: Screen) -> None:
    for by, field in FIELDS.items():
        places = [
            ((number, position), value)
            for number, part in enumerate(shown.windows)
            for position, each in enumerate(part.nodes)
            if (value := field(each))
        ]
        for place, value in places[:: len(places) // SEARCHED + 1]:
            assert place in find(shown, by, value, exact=True)
            assert place in find(shown, by, value)


@pytest.mark.parametrize("name", fixtures.names("screens/*.xml"))
def test_a_recorded_screen_is_processed(name: str) -> None:
    dump = dumps.read(fixtures.file(name))
    assert sum(len(part.nodes) for part in dump.screen.windows) == dump.nodes
    check(dump.screen, dump.rows)


@given(hostile_screens())
def test_a_hostile_screen_is_processed(shown: Screen) -> None:
    rows = sum(has_content(each) for part in shown.windows for each in part.nodes)
    check(shown, rows)


FLAT, LINE, SPECK = (0, 0, 0, 0), (500, 900, 500, 100), (-50, -90, -10, -20)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [node()],
        [node(depth, 0, text=f"{depth}") for depth in range(3000)],
        [node(), *(node(1, number, text="same") for number in range(3000))],
        [node(), *(node(1, 0, text="same") for _ in range(1000))],
        [node(), *(node(1, 0, text="x", bounds=edges) for edges in (FLAT, LINE, SPECK))],
        [node(), node(1, 0, text="\x00\x1b\x85\u2028\ud800" * 40, class_name="\n.\t")],
        [node(7, 0, text="no root"), node(3, 0, text="above"), node(9, 0, text="below")],
    ],
    ids=["empty", "bare", "deep", "wide", "equal", "bounds", "controls", "depths"],
)  # fmt: skip
def test_an_extreme_screen_is_processed(nodes: list[Node]) -> None:
    shown = screen(window(*nodes))
    check(shown, sum(has_content(each) for each in nodes))


def test_bounds_of_any_size_are_processed() -> None:
    ends = (-(2**31), 2**31 - 1)
    nodes = [node(1, 0, text="x", bounds=edges) for edges in product(ends, ends, ends, ends)]
    shown = screen(window(node(), *nodes))
    check(shown, 16)
