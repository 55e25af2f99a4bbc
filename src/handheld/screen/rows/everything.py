"""A screen with all known details: whole texts, places, and offscreen elements."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ..model import Bounds, Screen
from ..search import Place
from ..text import short_activity
from .covers import Covers
from .items import Item, find_items
from .screen import Row, Rows, Thing
from .text import print_name, print_whole
from .tree import Tree, tree_of
from .words import clean, cut

WHOLE = 20_000
"""The maximum length of a text."""
MOST_URL = 300
_TIMES = re.compile(r" ×\d+$")
_FORGING = re.compile(r"[^\w.$-]", re.ASCII)


def all_rows(screen: Screen, rows: Rows, name: Callable[[Place], str]) -> Rows:
    """Return the rows of a screen with all details; `name` gives the ref of an element."""
    found = (
        [Row(f"activity {_FORGING.sub('_', activity)}")] if (activity := _activity(screen)) else []
    )
    found += [_with_places(row, screen) for row in rows.rows]
    hidden = [row for number in rows.windows for row in _off_screen(screen, number, rows, name)]
    if hidden:
        found += [Row("off screen:", behind=True), *hidden]
    return replace(rows, rows=found)


def _activity(screen: Screen) -> str:
    return short_activity(*screen.foreground) if screen.foreground is not None else ""


def _with_places(row: Row, screen: Screen) -> Row:
    if row.scroller is not None:
        window, position = row.scroller
        word, ref, rest = row.text.partition(row.ref)
        place = _place(screen.windows[window].nodes[position].bounds)
        return row._replace(text=f"{word}{ref} {place}{rest}")
    if not row.things:
        return row
    beside = any(thing.item.pieces for thing in row.things)
    things = tuple(_whole(thing, screen, beside) for thing in row.things)
    times = _TIMES.search(row.text)
    text = " " * row.depth + ", ".join(map(_print, things)) + (times[0] if times else "")
    return row._replace(text=text, things=things)


def _whole(thing: Thing, screen: Screen, beside: bool) -> Thing:
    words = print_whole(thing.item, screen, beside=beside, limit=WHOLE)
    return thing._replace(words=f"{words}{_destination(screen, thing.place)}")


def _destination(screen: Screen, place: Place) -> str:
    """Return the address of a link in a web page."""
    window, position = place
    told = screen.windows[window].web.get(position)
    return f' to "{cut(clean(told.url), MOST_URL)}"' if told is not None and told.url else ""


def _print(thing: Thing) -> str:
    if not thing.ref:
        return thing.words
    return f"{thing.ref} {_place(thing.item.bounds)} {thing.words}".rstrip()


def _place(bounds: Bounds) -> str:
    """Return the centre and the size."""
    left, top, right, bottom = bounds
    return f"@{(left + right) // 2},{(top + bottom) // 2} {right - left}x{bottom - top}"


def _off_screen(
    screen: Screen, number: int, rows: Rows, name: Callable[[Place], str]
) -> Iterator[Row]:
    """Yield a window's offscreen elements in the order of the tree. Their places do not determine
    rows, because Android cuts them to the visible part."""
    area = Bounds(0, 0, screen.width, screen.height)
    tree = tree_of(screen.windows[number], area)
    hidden = replace(
        tree,
        shown=[
            node.bounds if part is None else None
            for node, part in zip(tree.nodes, tree.shown, strict=True)
        ],
    )
    items = find_items(hidden, screen.height, Covers(tree, area)).items
    outer = {thing.place: thing.ref for _, thing in rows.things if thing.ref}
    words = {row.scroller: row.text.split()[0] for row in rows.rows if row.scroller is not None}
    homes: dict[int, list[Item]] = {}
    parts: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: item.number):
        owner = "" if item.target else _owner(tree, item, number, outer)
        if owner and owner in parts:
            parts[owner].pieces += item.pieces
            continue
        if item.pieces or item.fallback or item.value is not None:
            homes.setdefault(item.home, []).append(item)
            if owner:
                parts[owner] = item
    owners = {item.number: owner for owner, item in parts.items()}
    for home, inside in homes.items():
        depth = 1
        if home >= 0:
            place, ref = (number, home), name((number, home))
            yield Row(f" {words.get(place, 'list')} {ref}:", (), place, 1, True, ref)
            depth = 2
        for item in inside:
            ref = name((number, item.number)) if item.target else ""
            printed = print_whole(item, screen, beside=False, limit=WHOLE)
            printed += _destination(screen, (number, item.number))
            called = print_name(item, screen, False)
            thing = Thing((number, item.number), item, ref, printed, called)
            owner = f"in {owners[item.number]}: " if item.number in owners else ""
            # Without its place, where another element is visible.
            text = " " * depth + owner + f"{ref} {printed}".strip()
            yield Row(text, (thing,), None, depth, True)


def _owner(tree: Tree, item: Item, number: int, outer: Mapping[Place, str]) -> str:
    """Return the ref of the element around a text; empty if there is none."""
    around = tree.parents[item.number]
    while around >= 0 and around != item.home:
        if (number, around) in outer:
            return outer[number, around]
        around = tree.parents[around]
    return ""
