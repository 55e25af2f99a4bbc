"""Similarity of two screens: histograms of their nodes, and the share that agrees.

A node's hash uses Java's 32-bit arithmetic over class, text, bounds and number of children; its
slot is the hash modulo 256. Only the lowest byte matters, so only that byte is calculated.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import cycle
from operator import mul

from .model import Screen, Window

SLOTS = 256

Fingerprint = Sequence[int]
"""The number of nodes in each slot."""


def fingerprint(screen: Screen) -> Fingerprint:
    """Count every node of every window, including those that are not listed."""
    slots = [0] * SLOTS
    for window in screen.windows:
        for node, children in zip(window.nodes, _count_children(window), strict=True):
            left, top, right, bottom = node.bounds
            value = 17 * 31 + _class_byte(node.class_name)
            value = value * 31 + (_byte(node.text) if node.text else 0)
            value = value * 31 + ((left * 31 + top) * 31 + right) * 31 + bottom
            slots[(value * 31 + children) % SLOTS] += 1
    return slots


def similarity(left: Fingerprint, right: Fingerprint) -> int:
    """Return 0 to 100, calculated in single precision and truncated, not rounded."""
    most = max(sum(left), sum(right))
    if not most:
        return 100
    apart = sum(abs(a - b) for a, b in zip(left, right, strict=True))
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


# The lowest byte of `String.hashCode`: only the lower byte of each UTF-16 unit matters, and from
# the end the factors repeat after eight, because 31**8 is 1 modulo 256.
_POWERS = tuple(pow(31, power, SLOTS) for power in range(8))


def _byte(text: str) -> int:
    units = text.encode("utf-16-le", "surrogatepass")[-2::-2]
    return sum(map(mul, units, cycle(_POWERS))) % SLOTS


@lru_cache(maxsize=1024)
def _class_byte(name: str | None) -> int:
    return _byte(name) if name else 0


def _single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]
