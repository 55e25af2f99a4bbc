"""Selects the rows of a screen that an agent asked for."""

from collections.abc import Callable, Sequence

from ....errors import ElementNotFound
from ....phone.screen.screen_log import ScreenLog, ShownScreen
from ....screen.rows.budget import indent, is_head
from ....screen.rows.screen import Row, Rows, Thing
from ....screen.rows.words import clean, cut, fold, holds
from ..elements.targets import (
    find_ref,
    further,
    looks_like_ref,
    name_nearest,
    name_successor,
    names_of,
)
from .wording import GONE


def matching(log: ScreenLog, shown: ShownScreen, rows: Rows, find: str, within: str) -> list[Row]:
    """Return the rows with the words of `find` inside `within`, each under the first lines of its
    blocks. Raises ElementNotFound if there is no such place."""
    inside = _scope(log, shown, rows, within) if within else [True] * len(rows.rows)
    wanted = fold(find.strip().strip('"'))
    kept: list[Row] = []
    blocks: list[tuple[int, Row]] = []
    for row, is_inside in zip(rows.rows, inside, strict=True):
        while blocks and blocks[-1][0] >= indent(row):
            blocks.pop()
        if is_head(row):
            blocks.append((indent(row), row))
        elif is_inside and (not wanted or _has(row, wanted)):
            kept += [block for _, block in blocks if not any(each is block for each in kept)]
            kept.append(row)
    return kept


def say_none(shown: ShownScreen, rows: Rows, find: str, within: str) -> tuple[str, str]:
    """Return a sentence that no row matches, and advice."""
    place = f' within "{cut(clean(within), 60)}"' if within else ""
    said = f'No row of {shown.name()} has "{cut(clean(find), 60)}"{place}.'
    lists = further(shown)
    return said, name_nearest(rows, fold(find)) + (f" {lists}: scroll it." if lists else "")


def _has(row: Row, wanted: str) -> bool:
    """Whether the row has these words, adjacent to each other; kind, state and content count,
    too."""
    pieces = [piece for thing in row.things for piece in thing.item.pieces]
    return wanted in fold(" ".join(pieces)) or any(_is(thing, wanted) for thing in row.things)


def _is(thing: Thing, wanted: str) -> bool:
    item = thing.item
    if wanted in (thing.ref, *names_of(thing)) or wanted in fold(item.value or ""):
        return True
    return any(holds(fold(state), wanted) for state in (item.kind, *item.states) if state)


def _scope(log: ScreenLog, shown: ShownScreen, rows: Rows, within: str) -> list[bool]:
    """Return for each row whether it is inside. `within` is a ref, or words of a row, of a header
    of indented rows, or of the window in front."""
    ref = find_ref(log, within)
    if ref:
        inside = _spread(rows.rows, lambda row: row.ref == ref or ref in row.refs)
        inside = _inside_element(shown, rows, ref, inside)
        if not any(inside):
            known = log.refs.get(ref)
            words = known.words if known else ""
            said = f"{ref} {words}".strip() + f" {GONE}"
            raise ElementNotFound(said + name_successor(rows, words))
        return inside
    wanted = fold(within.strip().strip('"'))
    tests: tuple[Callable[[Row], bool], ...] = (
        lambda row: any(wanted in names_of(thing) for thing in row.things),
        lambda row: is_head(row) and holds(fold(row.text), wanted),
        lambda row: _has(row, wanted),
    )
    for test in tests:
        inside = _spread(rows.rows, test)
        if any(inside):
            return inside
    if rows.front is not None and wanted in map(fold, (rows.front.title or "", rows.header)):
        return [not row.behind for row in rows.rows]
    quoted = cut(clean(within), 60)
    if looks_like_ref(within):
        raise ElementNotFound(f"{quoted} was never shown on this phone: call phone_look.")
    raise ElementNotFound(
        f'No "{quoted}" is visible.{name_nearest(rows, wanted)} within takes a ref, or words of a'
        " row, a list or the window."
    )


def _spread(rows: Sequence[Row], test: Callable[[Row], bool]) -> list[bool]:
    """Return the selected rows: a header selects its indented rows."""
    inside: list[bool] = []
    depth: int | None = None
    for row in rows:
        if depth is not None and indent(row) <= depth:
            depth = None
        if depth is None and is_head(row) and test(row):
            depth = indent(row)
        inside.append(depth is not None or test(row))
    return inside


def _inside_element(shown: ShownScreen, rows: Rows, ref: str, inside: Sequence[bool]) -> list[bool]:
    """Add the rows of the parts of an element."""
    place = next((thing.place for _, thing in rows.things if thing.ref == ref), None)
    if place is None:
        return list(inside)
    window, begin = place
    nodes = shown.snapshot.screen.windows[window].nodes
    depth = nodes[begin].depth
    end = next((at for at in range(begin + 1, len(nodes)) if nodes[at].depth <= depth), len(nodes))
    return [
        is_inside
        or any(thing.place[0] == window and begin <= thing.place[1] < end for thing in row.things)
        for row, is_inside in zip(rows.rows, inside, strict=True)
    ]
