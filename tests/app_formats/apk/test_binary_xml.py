"""Binary XML: round trips, and rejection of damaged files."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.binary_xml import ANDROID, DEPTH_MAX, XmlElement, read_xml
from handheld.app_formats.apk.tree import LONGEST, plain_tree
from handheld.app_formats.apk.values import (
    ATTRIBUTE,
    DIMENSION,
    FLOAT,
    FRACTION,
    INT_HEXADECIMAL,
    NULL,
    REFERENCE,
    Value,
    java_float,
)

from .writer import NONE, Node, chunk, string_pool, xml


def plain(element: XmlElement | str) -> object:
    """Only what a Node has too."""
    if isinstance(element, str):
        return element
    attributes = {
        ("android:" if one.namespace == ANDROID else "") + one.name: one.value.coerce()
        for one in element.attributes
    }
    return element.name, attributes, [plain(child) for child in element.children]


def wanted(node: Node | str) -> object:
    if isinstance(node, str):
        return node
    return node.name, dict(node.attributes), [wanted(child) for child in node.children]


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=200)
NAME = st.sampled_from(["name", "label", "value", "ä", "中", "x" * 300])
NODES = st.recursive(
    st.builds(Node, NAME, st.dictionaries(NAME | st.just("android:name"), TEXT)),
    lambda inner: st.builds(
        Node,
        NAME,
        st.dictionaries(NAME | st.just("android:label"), TEXT),
        st.lists(inner | TEXT, max_size=4),
    ),
    max_leaves=10,
)


@given(NODES, st.booleans())
def test_tree_round_trips(root: Node, utf8: bool):
    assert plain(read_xml(xml(root, utf8=utf8), "x.xml")) == wanted(root)


@pytest.mark.parametrize("utf8", [True, False])
def test_long_string_is_read_completely(utf8: bool):
    long = "é" * (0x3FFF if utf8 else 0x12345)
    assert read_xml(xml(Node("a", {}, (long,)), utf8=utf8), "x.xml").text == long


def test_surrogate_pair_is_combined():
    halves = "🧰".encode("utf-16-be")
    raw = b"".join(
        chr(int.from_bytes(halves[at : at + 2], "big")).encode("utf-8", "surrogatepass")
        for at in (0, 2)
    )
    written = xml(Node("a", {}, ("x" * 6,))).replace(b"\x06\x06xxxxxx", b"\x02\x06" + raw)
    assert read_xml(written, "x.xml").text == "🧰"


def test_attribute_without_a_name_is_found_by_its_id():
    root = read_xml(xml(Node("a", {"android:label": "Here"}), names=False), "x.xml")
    (attribute,) = root.attributes
    assert attribute.name == ""
    assert root.find("label", 0x01010001) == attribute
    assert root.find("name", 0x01010003) is None


def test_attribute_without_a_namespace_is_distinct():
    root = read_xml(xml(Node("a", {"label": "plain", "android:label": "Android's"})), "x.xml")
    numbered, named = root.find("label", 0x01010001), root.find("label")
    assert numbered is not None
    assert named is not None
    assert (numbered.value.text, named.value.text) == ("Android's", "plain")


def single(number: float) -> int:
    return struct.unpack("<I", struct.pack("<f", number))[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (16, "16"),
        (-1, "-1"),
        (True, "true"),
        (False, "false"),
        (Value(INT_HEXADECIMAL, 0xFF), "0xff"),
        (Value(INT_HEXADECIMAL, 0xFFFFFFFF), "0xffffffff"),
        (Value(0x1C, 0x80FFFFFF), "#80ffffff"),
        (Value(0x1D, 0x00000F), "#f"),
        (Value(REFERENCE, 0x7F010000), "@2130771968"),
        (Value(ATTRIBUTE, 0x01010001), "?16842753"),
        (Value(NULL, 0), None),
        (Value(FLOAT, single(1.5)), "1.5"),
        (Value(DIMENSION, 12 << 8 | 1), "12.0dip"),
        (Value(DIMENSION, (0xFFFFF4 << 8 & 0xFFFFFF00) | 0), "-12.0px"),
        (Value(DIMENSION, 0x00000C02), "12.0sp"),
        (Value(FRACTION, 0x40000030), "50.0%"),
        (Value(FRACTION, 0x40000031), "50.0%p"),
        (Value(0x99, 3), None),
    ],
)
def test_values_are_converted_like_android(value: Value | int, text: str | None):
    (attribute,) = read_xml(xml(Node("a", {"x": value})), "x.xml").attributes
    assert attribute.value.coerce() == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (100.0, "100.0"),
        (1234567.0, "1234567.0"),
        (1e7, "1.0E7"),
        (1.5e10, "1.5E10"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (3.4028235e38, "3.4028235E38"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_floats_are_formatted_like_java(number: float, text: str):
    assert java_float(struct.unpack("<f", struct.pack("<f", number))[0]) == text


def deep(levels: int) -> Node:
    node = Node("a")
    for _ in range(levels - 1):
        node = Node("a", {}, (node,))
    return node


def test_nesting_depth_is_limited():
    assert read_xml(xml(deep(DEPTH_MAX)), "x.xml").name == "a"
    with pytest.raises(BadApk, match=r"x\.xml: its elements are nested deeper than 200"):
        read_xml(xml(deep(DEPTH_MAX + 1)), "x.xml")


GOOD = xml(Node("root", {"x": "y"}))
POOL_END = 8 + struct.unpack_from("<I", GOOD, 12)[0]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it ends before byte 2"),
        (b"<?xml version='1.0'?>", "it is not binary XML"),
        (chunk(0x0002, b"", b""), "it is not binary XML"),
        (chunk(0x0003, b"", b""), "it has no element"),
        (GOOD[:-1], "is longer than what holds it"),
        (chunk(0x0003, b"", chunk(0x0102, bytes(8), bytes(20))), "it has no strings"),
        (
            chunk(0x0003, b"", string_pool(["a"]) + chunk(0x0103, bytes(8), bytes(8))),
            "was not begun",
        ),
        (chunk(0x0003, b"", GOOD[8:] + GOOD[POOL_END:]), "a second root element begins"),
        (chunk(0x0003, b"", GOOD[8:-24]), "the element root does not end"),
        (GOOD.replace(struct.pack("<HHH", 20, 20, 1), struct.pack("<HHH", 20, 20, 9)), "no room"),
        (chunk(0x0003, b"", chunk(1, struct.pack("<IIIII", 1 << 30, 0, 0, 0, 0), b"")), "no room"),
        (
            chunk(0x0003, b"", string_pool([]) + chunk(0x0102, bytes(8), bytes(20))),
            "it has no string 0",
        ),
        # Android takes the last pool, and may read a string up to the next zero.
        (chunk(0x0003, b"", string_pool(["root", "x", "z"]) + GOOD[8:]), "two string pools"),
        (GOOD.replace(b"\4\4root\0", b"\3\3root\0"), "does not end there"),
        (
            xml(Node("root"), utf8=False).replace(
                "\4root\0".encode("utf-16-le"), "\3root\0".encode("utf-16-le")
            ),
            "does not end there",
        ),
    ],
)
def test_damaged_file_is_rejected_with_its_name(data: bytes, problem: str):
    with pytest.raises(BadApk, match=rf"^x\.xml: .*{problem}"):
        read_xml(data, "x.xml")


def test_repeated_long_string_is_rejected():
    long = "x" * 10_000
    fits = Node("a", {f"a{number}": long for number in range(LONGEST // 11_000)})
    assert len(plain_tree(read_xml(xml(fits), "x.xml"), None).attrib) == LONGEST // 11_000
    with pytest.raises(BadApk, match=r"^x\.xml: it says over 4194304 characters"):
        plain_tree(read_xml(xml(Node("r", {}, (fits, fits))), "x.xml"), None, "x.xml")


def test_overlapping_strings_are_rejected():
    # Each goes on to the end, through all that begin after it.
    count = 500
    sizes = [4 * (count - at) + 300 for at in range(1, count + 1)]
    long = b"".join(bytes((0x80 | size >> 8, size & 0xFF)) * 2 for size in sizes)
    long += b"x" * 300 + b"\0\0\0\0"
    offsets = b"".join(struct.pack("<I", 4 * at) for at in range(count))
    header = struct.pack("<IIIII", count, 0, 0x100, 28 + len(offsets), 0)
    pool = chunk(0x0001, header, offsets + long)
    line = struct.pack("<II", 1, NONE)
    start = chunk(0x0102, line, struct.pack("<IIHHHHHH", NONE, 0, 20, 20, 0, 0, 0, 0))
    texts = b"".join(
        chunk(0x0104, line, struct.pack("<IHBBI", at, 8, 0, 0, 0)) for at in range(count)
    )
    with pytest.raises(BadApk, match="its strings lie over each other"):
        read_xml(chunk(0x0003, b"", pool + start + texts), "x.xml")
