"""Element ids: Java's `String.hashCode` over a node's properties and its position in the tree.

The hashed string is `<resource id>|<class>|<l>,<t>,<r>,<b>|<depth>|<index>|<parent's id>`, the
root's parent being `root_w<window>`. An id is `node_<hex>_w<window>`; inside the hash, and on
screenshots, the window's suffix is omitted. If only the active window is listed, the root's parent
is `root` and an id is `node_<hex>`.
"""

import re
from collections.abc import Callable, Container
from functools import lru_cache
from math import inf
from typing import NamedTuple

from .model import Bounds, Screen
from .text import units

_MASK = 0xFFFFFFFF
_ID = re.compile(r"(?:node_)?([0-9a-f]{1,8})(?:_w(-?[0-9]{1,10}))?", re.IGNORECASE)


class Ids(NamedTuple):
    """For each node of each window, the hash in its id, and its hash before collisions were
    resolved."""

    hashes: list[list[int]]
    plain: list[list[int]]
    turns: dict[int, int]
    """The turn of each hash that was extended."""

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


FIRST_TURN = 2
IsFree = Callable[[int], bool]
"""Whether a node may get a hash."""
Extend = Callable[[int, int, int, IsFree], int]
"""Returns the turn that extends a taken hash to a free one, for the node at a window and
position."""


def assign(
    screen: Screen,
    issued: Container[int] = (),
    stands_for: Callable[[int, int, int], bool] = lambda _hash, _window, _node: True,
    active_only: bool = False,
    begin: Callable[[], Extend] | None = None,
    *,
    noting: bool = False,
) -> Ids:
    """Number every node; no two share a hash.

    A hash in `issued` is assigned only to a node that it was issued for, by `stands_for(hash,
    window, node)`; other nodes' strings are extended by `|2`, `|3`, … until a hash is free. With
    `active_only`, hashes do not include the window. `begin` returns what finds the turns; without
    it they are tried one after another.

    Hardly any screen has two nodes with one hash. The hashes are therefore noted, to compare each
    with those before it, only from the first taken one on, or if `noting`.
    """
    used: set[int] = set()
    ids = Ids([], [], {})
    extend = (begin or _count_turns)()
    begun_noting = noting
    for place, window in enumerate(screen.windows):
        hashes: list[int] = []
        plain: list[int] = []
        # Depth and hash of each node on the path to the current one, and its id as a piece once a
        # child needs that. If the parent is missing, the nearest ancestor is used.
        depths, trail = [-inf], [0]
        pieces: list[_Piece | None] = [_piece("root" if active_only else f"root_w{window.id}")]
        for number, node in enumerate(window.nodes):
            depth = node.depth
            while depths[-1] >= depth:
                del depths[-1], trail[-1], pieces[-1]
            parent = pieces[-1]
            if parent is None:
                parent = pieces[-1] = _id_piece(trail[-1])
            own = _OWN[node.resource_id, node.class_name, node.bounds, depth, node.index]
            value = first = own * parent[0] + parent[1] & _MASK
            if value in used or (value in issued and not stands_for(value, place, number)):
                if not noting:
                    noting = True
                    used.update(hashes, *ids.hashes)

                def is_free(value: int, place: int = place, number: int = number) -> bool:
                    if value in used:
                        return False
                    return value not in issued or stands_for(value, place, number)

                turn = extend(first, place, number, is_free)
                value = extended(first, turn)
                ids.turns[value] = turn
            if noting:
                used.add(value)
            hashes.append(value)
            plain.append(first)
            depths.append(depth)
            trail.append(value)
            pieces.append(None)
        ids.hashes.append(hashes)
        ids.plain.append(plain)
    if not begun_noting and len(used or set[int]().union(*ids.hashes)) < sum(map(len, ids.hashes)):
        return assign(screen, issued, stands_for, active_only, begin, noting=True)
    return ids


def extended(plain: int, turn: int) -> int:
    """Return the hash of a string that is extended by a turn."""
    factor, addend = _piece(f"|{turn}")
    return plain * factor + addend & _MASK


def _count_turns() -> Extend:
    last: dict[int, int] = {}

    def extend(plain: int, _window: int, _node: int, is_free: IsFree) -> int:
        turn = last.get(plain, FIRST_TURN)
        while not is_free(extended(plain, turn)):
            turn += 1
        last[plain] = turn
        return turn

    return extend


# Hashes can be concatenated: hash(a + b) = hash(a) * 31**len(b) + hash(b). Each piece of a node's
# string is therefore hashed once and kept as that factor and addend; a screen repeats most of them.
_Piece = tuple[int, int]
_MOST_OWN = 8192
_KEPT_LENGTH = 300
"""The most characters that are kept, because apps must not fill the memory."""


@lru_cache(maxsize=4096)
def _piece(text: str) -> _Piece:
    return pow(31, units(text), 1 << 32), java_hash(text)


def _id_piece(value: int) -> _Piece:
    """The piece for `node_<hex>`. Ids differ from node to node: keeping them would not pay."""
    if value < 1 << 28:
        return _piece.__wrapped__(f"node_{value:x}")
    one, two, three, four = value.to_bytes(4)
    return _EIGHT, _NODE + _HEX[one] + _HEX[256 + two] + _HEX[512 + three] + _HEX[768 + four]


_EIGHT = pow(31, len("node_") + 8, 1 << 32)
_NODE = java_hash("node_") * 31**8 & _MASK
_HEX = [
    java_hash(f"{byte:02x}") * 31**after & _MASK for after in (6, 4, 2, 0) for byte in range(256)
]
"""What two of eight hex digits add to a hash, by their place."""


class _Own(dict[tuple[str | None, str | None, Bounds, int, int], int]):
    """The hash of a node's string up to its parent's id. Most nodes do not change.

    A dict and no `lru_cache`, whose list of entries is one more memory access per node: with
    thousands of nodes these take longer than the arithmetic.
    """

    def __missing__(self, key: tuple[str | None, str | None, Bounds, int, int]) -> int:
        resource_id, class_name, (left, top, right, bottom), depth, index = key
        opening = f"{resource_id or ''}|{class_name or ''}|"
        kept = len(opening) <= _KEPT_LENGTH
        value = _opening(opening) if kept else java_hash(opening)
        for number, mark in (
            *((left, ","), (top, ","), (right, ","), (bottom, "|")),
            *((depth, "|"), (index, "|")),
        ):
            factor, addend = _number(number, mark)
            value = value * factor + addend & _MASK
        if kept:
            if len(self) >= _MOST_OWN:
                self.clear()
            self[key] = value
        return value


_OWN = _Own()


@lru_cache(maxsize=4096)
def _opening(text: str) -> int:
    return java_hash(text)


@lru_cache(maxsize=16384)
def _number(value: int, mark: str) -> _Piece:
    return _piece.__wrapped__(f"{value}{mark}")
