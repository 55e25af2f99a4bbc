"""Hashes that were extended by a turn, because a place's own hash was issued for other content.

A place whose content keeps changing, such as a row of a scrolling list, gets many of them. They are
found by their content: trying all turns would take longer with each read.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count

from ...screen.ids import FIRST_TURN, IsFree, extended


@dataclass(slots=True)
class _Place:
    issued: dict[int, tuple[Hashable, float]] = field(
        default_factory=dict[int, tuple[Hashable, float]]
    )
    """The content and time of issue of each turn, in order of issue."""
    by_content: dict[Hashable, set[int]] = field(default_factory=dict[Hashable, set[int]])
    free: list[int] = field(default_factory=list[int])
    """A heap of all free turns before `next`, and some that were issued again."""
    next: int = FIRST_TURN

    def add(self, turn: int, content: Hashable, now: float) -> None:
        self.drop(turn)
        while self.next <= turn:
            heappush(self.free, self.next)
            self.next += 1
        self.issued[turn] = content, now
        self.by_content.setdefault(content, set()).add(turn)

    def drop(self, turn: int) -> None:
        content, _ = self.issued.pop(turn, (None, 0.0))
        if turn in (turns := self.by_content.get(content, set())):
            turns.remove(turn)
            heappush(self.free, turn)
            if not turns:
                del self.by_content[content]

    def free_turns(self) -> Iterator[int]:
        while self.free and self.free[0] in self.issued:
            heappop(self.free)
        if self.free:
            yield self.free[0]  # usually one is enough
        rest = sorted(set(self.free[1:]) - self.issued.keys())
        yield from chain(rest, count(self.next))


@dataclass(slots=True)
class ExtendedHashes:
    _places: dict[int, _Place] = field(default_factory=dict[int, _Place])
    """The places by the hash without a turn."""

    def add(self, plain: int, turn: int, content: Hashable, now: float) -> None:
        self._places.setdefault(plain, _Place()).add(turn, content, now)

    def drop(self, plain: int, turn: int) -> None:
        place = self._places.get(plain)
        if place is not None:
            place.drop(turn)
            if not place.issued:
                del self._places[plain]

    def find(self, plain: int, since: float) -> _Place:
        """Return the place, without the turns issued up to `since`."""
        place = self._places.get(plain)
        while place is not None and place.issued:
            turn, (_, issued_at) = next(iter(place.issued.items()))
            if issued_at > since:
                return place
            self.drop(plain, turn)
        return _Place()


class Extending:
    """Extends the hashes of one screen. The turn is the first one that is free or was issued for
    the same content."""

    def __init__(self, known: ExtendedHashes, since: float) -> None:
        self._known = known
        self._since = since
        self._free: dict[int, _Ahead] = {}
        self._own: dict[tuple[int, Hashable], _Ahead] = {}

    def turn(self, plain: int, content: Hashable, is_free: IsFree) -> int:
        free, own = self._free.get(plain), self._own.get((plain, content))
        if free is None or own is None:
            place = self._known.find(plain, self._since)
            if free is None:
                free = self._free[plain] = _Ahead(place.free_turns())
            own = _Ahead(sorted(place.by_content.get(content, ())))
            self._own[plain, content] = own
        first, same = free.first(plain, is_free), own.first(plain, is_free)
        assert first is not None
        return first if same is None else min(first, same)


class _Ahead:
    """Turns that permanently skip the taken ones."""

    def __init__(self, turns: Iterable[int]) -> None:
        self._turns = iter(turns)
        self._next = next(self._turns, None)

    def first(self, plain: int, is_free: IsFree) -> int | None:
        while self._next is not None and not is_free(extended(plain, self._next)):
            self._next = next(self._turns, None)
        return self._next
