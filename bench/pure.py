"""Processing of screens on the host, without I/O: its growth with the size of the screen gates."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any, cast

from PIL import Image

from handheld.phone.screen.elements import Elements
from handheld.phone.screen.screen_log import ScreenLog
from handheld.screen.fingerprint import fingerprint, similarity
from handheld.screen.ids import assign
from handheld.screen.model import Screen
from handheld.screen.picture import QUALITY, annotate
from handheld.screen.rows.changes import changed_rows
from handheld.screen.search import find
from handheld.screen.text import screen_text
from handheld_virtual.world import World
from testbed import show_nodes

from .figures import Figure, of_rounds

SIZES = (50, 500, 5000)
GROWTH = 12.0
"""How much more time ten times the nodes may take."""
GROWTHS = {"ids": 11.5}
SECONDS = 1.5
ROUNDS = 20
"""The least number of rounds; more if the time allows."""
LIMITS_MS = {"text, ids given": 1.5, "ids": 5.0, "rows and refs": 6.0}
"""At 500 nodes."""


def measure() -> list[Figure]:
    gc.collect()
    gc.disable()  # like timeit: garbage collection depends on earlier allocations
    try:
        return list(_figures())
    finally:
        gc.enable()


def _figures() -> Iterator[Figure]:
    screens = {size: _screen(size) for size in SIZES}
    picture = _picture(screens[500])
    for name, prepare in _WORK.items():
        spent = _spent({size: prepare(screen, picture) for size, screen in screens.items()})
        for size, rounds in spent.items():
            limit = LIMITS_MS.get(name) if size == 500 else None
            yield Figure(f"{name} of {size} nodes", min(rounds), "ms", limit)
        ratios = [many / few for many, few in zip(spent[5000], spent[500], strict=True)]
        growth = GROWTHS.get(name, GROWTH)
        yield of_rounds(f"{name}: 5000 nodes against 500", ratios, "x", growth, gates=True)


def _screen(size: int) -> Screen:
    world = World()
    show_nodes(world, size)
    screen = Screen(world.width, world.height, world.density, 0, world.automation.read_windows())
    assert sum(len(window.nodes) for window in screen.windows) == size
    return screen


def _picture(screen: Screen) -> bytes:
    out = BytesIO()
    size = round(screen.width * 700 / screen.height), 700
    Image.new("RGB", size, "white").save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def _text(screen: Screen, _: bytes) -> Callable[[], object]:
    labels = assign(screen).labels
    return lambda: screen_text(screen, labels)


def _ids(screen: Screen, _: bytes) -> Callable[[], object]:
    return lambda: assign(screen)


def _elements() -> Elements:
    return Elements(cast("Any", None))  # nothing is read or acted on here


def _rows(screen: Screen, _: bytes) -> Callable[[], object]:
    """As an agent gets a screen that it has not seen: ids, rows and refs."""
    elements, log = _elements(), ScreenLog()

    def show() -> None:
        log.screens.clear()
        log.last = None
        log.show(elements, screen)

    return show


def _rows_again(screen: Screen, _: bytes) -> Callable[[], object]:
    elements, log = _elements(), ScreenLog()
    return lambda: log.show(elements, screen)


def _changes(screen: Screen, _: bytes) -> Callable[[], object]:
    log = ScreenLog()
    rows = log.show(_elements(), screen).rows
    before = rows.without_nodes()
    return lambda: changed_rows(before, rows)


def _search(screen: Screen, _: bytes) -> Callable[[], object]:
    return lambda: find(screen, "text", "summary of item 7")


def _fingerprint(screen: Screen, _: bytes) -> Callable[[], object]:
    before = fingerprint(screen)
    return lambda: similarity(before, fingerprint(screen))


def _annotation(screen: Screen, picture: bytes) -> Callable[[], object]:
    labels = assign(screen).labels
    return lambda: annotate(picture, screen, labels)


_WORK: dict[str, Callable[[Screen, bytes], Callable[[], object]]] = {
    "text, ids given": _text,
    "ids": _ids,
    "rows and refs": _rows,
    "rows and refs, unchanged": _rows_again,
    "changed rows": _changes,
    "search": _search,
    "fingerprint": _fingerprint,
    "annotation": _annotation,
}


def _spent(works: Mapping[int, Callable[[], object]]) -> dict[int, list[float]]:
    """Return milliseconds of processor time for each size, in several rounds.

    A round runs every size in turn, small ones repeatedly so that all take about as long: other
    load on the machine affects all of them.
    """
    for work in works.values():
        work()  # fills caches
    times: dict[int, list[float]] = {size: [] for size in works}
    end = time.perf_counter() + SECONDS
    while len(times[SIZES[0]]) < ROUNDS or time.perf_counter() < end:
        for size, work in works.items():
            repeated = max(works) // size
            start = time.thread_time()
            for _ in range(repeated):
                work()
            times[size].append((time.thread_time() - start) * 1000 / repeated)
    return times
