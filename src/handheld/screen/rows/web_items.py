"""Web text in rows: pieces of a sentence become one text, and a paragraph becomes one line."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import surround
from ..web_text import Folding, join, split

if TYPE_CHECKING:
    from .items import Item

LONGEST = 200
"""The most characters of joined pieces, because no more of one text is printed."""
MOST_IN_LINE = 32
"""The most things of one paragraph on a line; longer paragraphs have several lines."""


def fold_items(items: Sequence["Item"], folding: Folding) -> list["Item"]:
    """Join plain texts of a run. Targets, and texts with a state, stay as they are."""
    runs: dict[tuple[int, int], list[Item]] = {}
    for item in items:
        run = folding.runs.get(item.number)
        if run is not None and not (item.target or item.states or item.kind):
            runs.setdefault((run, item.home), []).append(item)
    folded: dict[int, Item | None] = {}
    for pieces in runs.values():
        if len(pieces) > 1:
            pieces.sort(key=lambda item: item.number)
            texts = [piece for item in pieces for piece in item.pieces]
            joined = [
                join(texts[at] for at in together) for together in split(map(len, texts), LONGEST)
            ]
            folded |= dict.fromkeys((item.number for item in pieces), None)
            bounds = surround(item.bounds for item in pieces)
            folded[pieces[0].number] = replace(
                pieces[0], bounds=bounds, words=bounds, pieces=joined, folded=True
            )
    found = (item if item.target else folded.get(item.number, item) for item in items)
    return [item for item in found if item is not None]


def split_flow(
    items: Sequence["Item"], folding: Folding
) -> tuple[list[list["Item"]], list["Item"]]:
    """Return the lines of paragraphs with several things, in the order of the page, and the other
    items. If lines break inside a paragraph, the places of its parts do not determine their
    order."""
    flows: dict[int, list[Item]] = {}
    rest: list[Item] = []
    for item in items:
        block = folding.blocks.get(item.number)
        if block is None:
            rest.append(item)
        else:
            flows.setdefault(block, []).append(item)
    lines: list[list[Item]] = []
    for inside in flows.values():
        if len(inside) == 1:
            rest += inside
            continue
        inside.sort(key=lambda item: item.number)
        lines += [inside[at : at + MOST_IN_LINE] for at in range(0, len(inside), MOST_IN_LINE)]
    return lines, rest
