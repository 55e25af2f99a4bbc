"""Element ids and their hashes."""

import re
import xml.etree.ElementTree as ET
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.screen import ids as ids_module
from handheld.screen.ids import assign, element_id, java_hash, parse_id
from handheld.screen.model import Node, Screen

from . import dumps
from .trees import calculator, hostile_screens, node, screen, window

VECTORS = [
    ("|android.widget.FrameLayout|0,0,1080,2400|0|0|root_w42", 0xDDDA1CC1),
    ("|android.widget.FrameLayout|0,0,1080,2400|0|0|root_w7", 0x49389594),
    (
        "com.android.calculator2:id/title|android.widget.TextView|100,50,500,120|1|0|node_ddda1cc1",
        0x0A9C404A,
    ),
    ("||0,0,0,0|1|2|node_ddda1cc1", 0xB4B26845),
    ("|android.view.View|-10,-20,30,40|1|3|node_ddda1cc1", 0x4C0D5F4B),
    (
        "com.android.calculator2:id/digit_7|android.widget.Button|50,800,270,1000|1|1"
        "|node_ddda1cc1",
        0x8C04D1F9,
    ),
    ("", 0),
    ("hello", 99162322),
    ("日本語", 25921943),
    ("😀", 1772899),
]


@pytest.mark.parametrize(("text", "expected"), VECTORS)
def test_hashes_equal_those_of_java(text: str, expected: int) -> None:
    assert java_hash(text) == expected


@given(st.text(), st.text())
def test_a_hash_covers_utf16_units(left: str, right: str) -> None:
    units = (left + right).encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + 256 * high + low) % 2**32
    assert java_hash(left + right) == value


def test_ids_chain_from_the_root_of_their_window() -> None:
    labels = assign(calculator()).labels
    assert labels == [["ddda1cc1", "a9c404a", "8c04d1f9"]]
    assert element_id(labels[0][1], 42) == "node_a9c404a_w42"


def test_the_same_tree_in_two_windows_has_two_sets_of_ids() -> None:
    nodes = calculator().windows[0].nodes
    labels = assign(screen(window(*nodes), window(*nodes, id=7))).labels
    assert len(set(chain(*labels))) == 6


@pytest.mark.parametrize("name", ["settings-list-api26", "web-page-api33", "login-hint-api35"])
def test_ids_of_a_recorded_screen_are_computed_from_its_attributes(name: str) -> None:
    """Computed in Java's arithmetic, directly from the XML."""
    path = fixtures.file(f"screens/{name}.xml")
    expected: list[str] = []

    def spell(element: ET.Element, depth: int, parent: str) -> None:
        edges = ",".join(re.findall(r"-?\d+", element.attrib["bounds"]))
        attributes = [element.attrib[key] for key in ("resource-id", "class")]
        text = "|".join([*attributes, edges, str(depth), element.attrib["index"], parent])
        value = 0
        for letter in text.encode("utf-16-be").hex(" ", 2).split():
            value = (31 * value + int(letter, 16)) % 2**32
        expected.append(f"{value:x}")
        for child in element:
            spell(child, depth + 1, f"node_{value:x}")

    [root] = ET.parse(path).getroot()
    spell(root, 0, "root_w0")
    assert assign(dumps.read(path).screen).labels == [expected]


def test_siblings_and_cousins_hang_from_their_own_parent() -> None:
    def spelled(each: Node, parent: str) -> str:
        edges = ",".join(map(str, each.bounds))
        text = f"|{each.class_name}|{edges}|{each.depth}|{each.index}|{parent}"
        return f"node_{java_hash(text):x}"

    tree = [node(0, 0), node(1, 0), node(2, 0), node(2, 5), node(1, 1), node(2, 0), node(3, 0)]
    expected: list[str] = []
    for each, parent in zip(tree, [None, 0, 1, 1, 0, 4, 5], strict=True):
        expected.append(spelled(each, "root_w42" if parent is None else expected[parent]))
    assert [f"node_{label}" for label in assign(screen(window(*tree))).labels[0]] == expected


def test_colliding_hashes_are_resolved_in_preorder() -> None:
    duplicate = node(1, 3, "android.view.View")
    ids = assign(screen(window(node(), duplicate, duplicate, duplicate)))
    text = "|android.view.View|0,0,1080,2400|1|3|node_ddda1cc1"
    expected = [java_hash(text), java_hash(f"{text}|2"), java_hash(f"{text}|3")]
    assert ids.hashes[0][1:] == expected
    assert ids.plain[0][1:] == [java_hash(text)] * 3


def test_many_nodes_with_one_hash_are_numbered_in_one_pass() -> None:
    many = [node(1, 3, "android.view.View")] * 5000
    tried: list[int] = []
    counting = ids_module.extended

    def count(plain: int, turn: int) -> int:
        tried.append(turn)
        return counting(plain, turn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids_module, "extended", count)
        hashes = assign(screen(window(node(), *many))).hashes[0]
    assert len(set(hashes)) == 5001
    assert len(tried) < 4 * 5000


@given(st.integers(0, 2**32 - 1))
def test_a_parent_is_hashed_by_its_id(value: int) -> None:
    factor, addend = ids_module._id_piece(value)  # pyright: ignore[reportPrivateUsage]
    name = f"node_{value:x}"
    assert (factor, addend % 2**32) == (pow(31, len(name), 2**32), java_hash(name))


def test_children_of_a_renamed_node_hash_its_new_id() -> None:
    duplicate, child = node(1, 3, "android.view.View"), node(2, 0)
    hashes = assign(screen(window(node(), duplicate, duplicate, child))).hashes[0]
    text = f"|android.widget.FrameLayout|0,0,1080,2400|2|0|node_{hashes[2]:x}"
    assert hashes[3] == java_hash(text)


def test_an_issued_hash_is_not_reused_for_other_content() -> None:
    text = "com.android.calculator2:id/digit_7|android.widget.Button|50,800,270,1000|1|1"
    plain, second = (java_hash(f"{text}|node_ddda1cc1{end}") for end in ("", "|2"))
    refused: list[tuple[int, int, int]] = []

    def stands_for(value: int, place: int, number: int) -> bool:
        refused.append((value, place, number))
        return False

    assert assign(calculator(), {plain}, stands_for).hashes[0][2] == second
    assert refused == [(plain, 0, 2)]
    assert assign(calculator(), {plain}, lambda *_: True).hashes[0][2] == plain


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("node_a9c404a_w42", (0xA9C404A, 42)),
        ("node_a9c404a", (0xA9C404A, None)),
        ("a9c404a", (0xA9C404A, None)),
        (" node_A9C404A_w42 ", (0xA9C404A, 42)),
        ("a9c404a_w-1", (0xA9C404A, -1)),
        ("node_", None),
        ("", None),
        ("node_123456789", None),
        ("node_a9c404a_w", None),
        ("node_xyz", None),
        ("node_a9c404a_w42 or so", None),
        ("f" * 10_000, None),
    ],
)
def test_ids_are_parsed_in_three_forms(name: str, expected: tuple[int, int | None] | None) -> None:
    assert parse_id(name) == expected


@given(hostile_screens())
def test_no_two_nodes_of_any_screen_share_an_id(shown: Screen) -> None:
    ids = assign(shown)
    values = list(chain(*ids.hashes))
    assert len(set(values)) == len(values)
    assert [len(part) for part in ids.hashes] == [len(part.nodes) for part in shown.windows]
