"""Focus moves by arrow keys, with the rules of Android's FocusFinder."""

from collections.abc import Iterable
from typing import NamedTuple

from ..views.drawing.pen import Box
from ..views.view import View

MAJOR_WEIGHT = 13
"""The weight of the distance in the key's direction, compared with the distance across it."""


class _Span(NamedTuple):
    """A box in coordinates that increase in the key's direction."""

    near: int
    far: int
    low: int
    high: int


def search(source: View, views: Iterable[View], way: tuple[int, int]) -> View | None:
    """Return the best view in the direction `way`, or None."""
    start = _turn(source.place, way)
    best: tuple[_Span, View] | None = None
    for view in views:
        span = _turn(view.place, way)
        if view is source or not _is_ahead(start, span):
            continue
        if best is None or _is_better(start, span, best[0], bool(way[0])):
            best = span, view
    return None if best is None else best[1]


def _turn(box: Box, way: tuple[int, int]) -> _Span:
    left, top, right, bottom = box
    near, far, low, high = (left, right, top, bottom) if way[0] else (top, bottom, left, right)
    return _Span(near, far, low, high) if sum(way) > 0 else _Span(-far, -near, low, high)


def _is_ahead(start: _Span, other: _Span) -> bool:
    begins_later = start.near < other.near or start.far <= other.near
    return begins_later and start.far < other.far


def _is_better(start: _Span, one: _Span, other: _Span, across: bool) -> bool:
    if _beats(start, one, other, across):
        return True
    return not _beats(start, other, one, across) and _weigh(start, one) < _weigh(start, other)


def _beats(start: _Span, one: _Span, other: _Span, across: bool) -> bool:
    """Whether only `one` lies straight ahead, and nearer than the far edge of `other`."""
    if not _is_straight(start, one) or _is_straight(start, other):
        return False
    if other.near < start.far or across:
        return True
    return max(0, one.near - start.far) < max(1, other.far - start.far)


def _is_straight(start: _Span, other: _Span) -> bool:
    return other.high > start.low and other.low < start.high


def _weigh(start: _Span, other: _Span) -> float:
    ahead = max(0, other.near - start.far)
    aside = (start.low + start.high - other.low - other.high) / 2
    return MAJOR_WEIGHT * ahead * ahead + aside * aside
