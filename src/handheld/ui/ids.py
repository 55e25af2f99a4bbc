"""Element ids: Java's `String.hashCode` over a node's properties and its position in the tree.

The hashed string is `<resource id>|<class>|<l>,<t>,<r>,<b>|<depth>|<index>|<parent's id>`, the
root's parent being `root_w<window>`. An id is `node_<hex>_w<window>`; inside the hash, and on
screenshots, the window's suffix is omitted. If only the active window is listed, the root's parent
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
    """For each node of each window, the hash in its id, and the hash before collisions were
    resolved."""

    hashes: list[list[int]]
    plain: list[list[int]]

    @property
    def labels(self) -> list[list[str]]:
        """The hashes in hex, as in text rows and on screenshots."""
        return [[f"{value:x}" for value in window] for window in self.hashes]


def java_hash(text: str) -> int:
    """Return the unsigned `String.hashCode`, over UTF-16 units as in Java."""
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
    """`window` is None if only the active window is listed."""
    return f"node_{label}" if window is None else f"node_{label}_w{window}"


def parse_id(name: str) -> tuple[int, int | None] | None:
    """Parse `node_<hex>_w<window>`, `node_<hex>` or `<hex>`; None if it is not an id."""
    found = _ID.fullmatch(name.strip()[:40])
    if found is None:
        return None
    return int(found[1], 16), int(found[2]) if found[2] else None


def assign(
    screen: Screen,
    issued: Container[int] = (),
    stands_for: Callable[[int, int, int], bool] = lambda _hash, _window, _node: True,
    active_only: bool = False,
) -> Ids:
    """Number every node so that no two share a hash.

    A hash in `issued` is assigned only to a node that it was issued for, by
    `stands_for(hash, window, node)`; other nodes' strings are extended by `|2`, `|3`, … until a
    hash is free. `active_only`: hashes do not include the window.
    """
    used: set[int] = set()
    ids = Ids([], [])
    for place, window in enumerate(screen.windows):
        hashes: list[int] = []
        plain: list[int] = []
        # Depth and hash of each node on the path to the current one, and the hash pieces once a
        # child needs them. If the parent is missing, the nearest ancestor is used.
        trail: list[tuple[int, int]] = []
        pieces: list[_Piece | None] = []
        root = _piece("root" if active_only else f"root_w{window.id}")
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
            while value in used or (value in issued and not stands_for(value, place, number)):
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


# Hashes can be concatenated: hash(a + b) = hash(a) * 31**len(b) + hash(b). So each piece of a
# node's string is hashed once and cached as that factor and addend; a screen repeats most of them.
_Piece = tuple[int, int]


@lru_cache(maxsize=4096)
def _piece(text: str) -> _Piece:
    return pow(31, units(text), 1 << 32), java_hash(text)


@lru_cache(maxsize=8192)
def _own(
    resource_id: str | None, class_name: str | None, bounds: Bounds, depth: int, index: int
) -> int:
    """Return the hash of a node's string up to its parent's id. Most nodes do not change."""
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
