"""Describes the refs in a call's arguments in words that identify the same element in another run,
for the record."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....errors import ToolError
from ....phone.phone import Phone
from ....phone.screen.screen_log import ShownScreen
from ....screen.rows.screen import Row, Thing
from ...tool import CallTarget
from .targets import find_target, named_ref

_TARGETS = ("at", "to", "into", "within", "of")
"""The parameters that take a ref."""


def locate_targets(phone: Phone, arguments: Mapping[str, Any]) -> dict[str, CallTarget]:
    """Return the target of each argument that is a ref, except for elements without unique
    words."""
    found: dict[str, CallTarget] = {}
    for name in _TARGETS:
        value = arguments.get(name)
        ref = named_ref(phone.screens, value) if isinstance(value, str) else None
        if ref is not None and isinstance(value, str):
            found[value] = CallTarget(ref.id, _locator(phone, ref.name))
    return found


def _locator(phone: Phone, name: str) -> Mapping[str, str]:
    shown = phone.screens.last
    for row, thing in () if shown is None else shown.rows.things:
        if shown is not None and thing.ref == name:
            return _words(phone, shown, row, thing)
    return {}


def _words(phone: Phone, shown: ShownScreen, row: Row, thing: Thing) -> Mapping[str, str]:
    kind = {"kind": thing.item.kind} if thing.item.kind else {}
    for words in _own_words(thing):
        for within in (None, *_row_words(row, thing)):
            try:
                target = find_target(phone.screens, shown, words, within)
            except ToolError:
                continue
            if target.ref == thing.ref:
                return {"words": words, **({"within": within} if within else {}), **kind}
    return kind


def _own_words(thing: Thing) -> Iterator[str]:
    yield from thing.item.pieces
    if thing.item.fallback.startswith("#"):
        yield thing.item.fallback


def _row_words(row: Row, thing: Thing) -> Iterator[str]:
    for other in row.things:
        if other is not thing:
            yield from other.item.pieces[:1]
