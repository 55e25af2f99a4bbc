"""Element ids: Java's `String.hashCode` over what a node is and where it hangs.

The hashed string is `<resource id>|<class>|<l>,<t>,<r>,<b>|<depth>|<index>|<parent's id>`, the
root's parent being `root_w<window>`. An id is `node_<hex>_w<window>`; inside the hash, and on
screenshots, the window's suffix is left out. Where one window alone is told of, the root's parent
is `root` and an id is `node_<hex>`.
"""

import re
from collections.abc import Callable, Container
from functools import lru_cache
from typing import NamedTuple

from .model import Bounds, Screen
from .text import units

_MASK = 0xFFFFFFFF
_ID = re.compile(r"(?:node_)?([0-9a-f]{1,8})(?:_w(-?[0-9]{1,10}))?", re.IGNORECASE)


class Ids(NamedTuple):
    """Two numbers for each node of each window: what its id says, and what it would say if no
    other node had the same hash."""

    hashes: list[list[int]]
    plain: list[list[int]]

    @property
    def labels(self) -> list[list[str]]:
        """The ids' hex, as text rows and screenshots print it."""
        return [[f"{value:x}" for value in window] for window in self.hashes]


def java_hash(text: str) -> int:
    """Unsigned `String.hashCode`: over UTF-16 units, as Java keeps its text."""
    value = 0
    if text.isascii():
        for unit in text.encode():
            value = value * 31 + unit & _MASK
        return value
    data = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(data[::2], data[1::2], strict=True):
        value = value * 31 + (high << 8 | low) & _MASK
    return value


def element_id(label: str, window: int | None) -> str:
    """`window` is None where one window alone is told of."""
    return f"node_{label}" if window is None else f"node_{label}_w{window}"


def parse_id(name: str) -> tuple[int, int | None] | None:
    """Hash and window of `node_<hex>_w<window>`, `node_<hex>` or `<hex>`; None if it is no id."""
    found = _ID.fullmatch(name.strip()[:40])
    if found is None:
        return None
    return int(found[1], 16), int(found[2]) if found[2] else None


def assign(
    screen: Screen,
    printed: Container[int] = (),
    stands_for: Callable[[int, int, int], bool] = lambda _hash, _window, _node: True,
    alone: bool = False,
) -> Ids:
    """Number every node so that no two share a hash.

    A hash in `printed` is given only to a node that `stands_for(hash, window, node)` says it was
    printed for; a newcomer's string is extended by `|2`, `|3`, … until a hash is free. `alone`: no
    window has its number in the hash.
    """
    used: set[int] = set()
    ids = Ids([], [])
    for place, window in enumerate(screen.windows):
        hashes: list[int] = []
        plain: list[int] = []
        # Depth and hash of the way down to the node at hand, and the hashes as pieces once a child
        # has asked for them. A parent missing from the list is the nearest one above it.
        trail: list[tuple[int, int]] = []
        pieces: list[_Piece | None] = []
        root = _piece("root" if alone else f"root_w{window.id}")
        for number, node in enumerate(window.nodes):
            depth = node.depth
            while trail and trail[-1][0] >= depth:
                trail.pop()
                pieces.pop()
            parent = root
            if trail:
                parent = pieces[-1]
                if parent is None:
                    parent = pieces[-1] = _piece(f"node_{trail[-1][1]:x}")
            own = _own(node.resource_id, node.class_name, node.bounds, depth, node.index)
            value = first = own * parent[0] + parent[1] & _MASK
            turn = 2
            while value in used or (value in printed and not stands_for(value, place, number)):
                factor, addend = _piece(f"|{turn}")
                value = first * factor + addend & _MASK
                turn += 1
            used.add(value)
            hashes.append(value)
            plain.append(first)
            trail.append((depth, value))
            pieces.append(None)
        ids.hashes.append(hashes)
        ids.plain.append(plain)
    return ids


# A hash can be continued: hash(a + b) = hash(a) * 31**len(b) + hash(b). So each piece of a node's
# string is hashed once and remembered as that factor and addend; a screen repeats most of them.
_Piece = tuple[int, int]


@lru_cache(maxsize=4096)
def _piece(text: str) -> _Piece:
    return pow(31, units(text), 1 << 32), java_hash(text)


@lru_cache(maxsize=8192)
def _own(
    resource_id: str | None, class_name: str | None, bounds: Bounds, depth: int, index: int
) -> int:
    """The hash of a node's string up to its parent's id. Most nodes are read again as they were."""
    value = _opening(resource_id, class_name)
    left, top, right, bottom = bounds
    for number, mark in (
        *((left, ","), (top, ","), (right, ","), (bottom, "|")),
        *((depth, "|"), (index, "|")),
    ):
        factor, addend = _number(number, mark)
        value = value * factor + addend & _MASK
    return value


@lru_cache(maxsize=4096)
def _opening(resource_id: str | None, class_name: str | None) -> int:
    return java_hash(f"{resource_id or ''}|{class_name or ''}|")


@lru_cache(maxsize=16384)
def _number(value: int, mark: str) -> _Piece:
    return _piece.__wrapped__(f"{value}{mark}")
