"""How alike two screens are: a histogram of what their nodes are, and the share that agrees.

A node's number is Java's 32-bit arithmetic over class, text, bounds and count of children; its slot
is that number modulo 256. So only the lowest byte ever counts, and only that is calculated.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import cycle
from operator import mul

from .model import Screen, Window

SLOTS = 256

Fingerprint = Sequence[int]
"""How many nodes fell into each slot."""


def fingerprint(screen: Screen) -> Fingerprint:
    """Over every node of every window, also those that are not listed."""
    slots = [0] * SLOTS
    for window in screen.windows:
        for node, children in zip(window.nodes, _count_children(window), strict=True):
            left, top, right, bottom = node.bounds
            value = 17 * 31 + _class_byte(node.class_name)
            value = value * 31 + (_byte(node.text) if node.text else 0)
            value = value * 31 + ((left * 31 + top) * 31 + right) * 31 + bottom
            slots[(value * 31 + children) % SLOTS] += 1
    return slots


def similarity(one: Fingerprint, other: Fingerprint) -> int:
    """0 to 100. Counted in single precision and cut off, not rounded."""
    most = max(sum(one), sum(other))
    if not most:
        return 100
    apart = sum(abs(a - b) for a, b in zip(one, other, strict=True))
    alike = _single(100 - _single(_single(apart * 100) / _single(2 * most)))
    return max(0, min(100, int(alike)))


def _count_children(window: Window) -> list[int]:
    counts = [0] * len(window.nodes)
    trail: list[tuple[int, int]] = []
    for number, node in enumerate(window.nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        if trail:
            counts[trail[-1][1]] += 1
        trail.append((depth, number))
    return counts


# The lowest byte of `String.hashCode`: of each UTF-16 unit only the lower byte counts, and from the
# last one back the factors come round again after eight, 31 to the 8th being 1 modulo 256.
_POWERS = tuple(pow(31, power, SLOTS) for power in range(8))


def _byte(text: str) -> int:
    units = text.encode("utf-16-le", "surrogatepass")[-2::-2]
    return sum(map(mul, units, cycle(_POWERS))) % SLOTS


@lru_cache(maxsize=1024)
def _class_byte(name: str | None) -> int:
    return _byte(name) if name else 0


def _single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]
