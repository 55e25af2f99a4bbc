"""The protocol of leases in a fleet, in all courses of events of a few small sizes. `make
search-leases` searches larger ones."""

import pytest

from .search import (
    ENDED,
    FORMER,
    GUARDS,
    OVER_AGE,
    TWICE,
    TWO_HOLDERS,
    UNTRUE,
    Size,
    search,
)

BROKEN = {
    "epoch": (FORMER, Size(claims=1, leases=2, calls=1, faults=0)),
    "host": (FORMER, Size(claims=1, leases=2, calls=1, faults=0)),
    "end": (FORMER, Size(claims=0, leases=2, calls=1, faults=1)),
    "keep": (FORMER, Size(claims=1, leases=2, calls=1, faults=1)),
    "lift": (TWO_HOLDERS, Size(claims=1, leases=2, calls=2, faults=0)),
    "claim": (FORMER, Size(claims=2, leases=2, calls=1, faults=0)),
    "link": (FORMER, Size(claims=1, leases=2, calls=1, faults=0)),
    "wait": (FORMER, Size(claims=0, leases=2, calls=1, faults=0)),
    "count": (FORMER, Size(claims=0, leases=2, calls=1, faults=1)),
    "lease": (FORMER, Size(claims=0, leases=2, calls=1, faults=0)),
    "seen": (TWICE, Size(claims=0, leases=1, calls=1, faults=0)),
    "age": (OVER_AGE, Size(claims=0, leases=1, calls=1, faults=0)),
    "busy": (UNTRUE, Size(claims=0, leases=1, calls=2, faults=0)),
    "record": (UNTRUE, Size(claims=0, leases=1, calls=1, faults=0)),
    "row": (ENDED, Size(claims=0, leases=1, calls=0, faults=0)),
}
"""What happens without each guard, and in which fleet."""


def test_every_guard_has_a_row():
    assert list(BROKEN) == list(GUARDS)


@pytest.mark.parametrize("guard", BROKEN)
def test_without_a_guard_the_search_finds_what_breaks(guard: str):
    broken, size = BROKEN[guard]
    found = search(size, without=guard)
    assert found.broken == broken, found.course


@pytest.mark.slow
@pytest.mark.parametrize("size", sorted({size for _, size in BROKEN.values()}))
def test_with_all_guards_nothing_breaks(size: Size):
    found = search(size)
    assert not found.broken, found.course
