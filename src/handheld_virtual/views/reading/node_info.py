"""A view's further properties for accessibility services: ranges, collections, actions."""

from dataclasses import dataclass
from typing import NamedTuple

from handheld.screen import model

from ..layout import Scroll
from ..view import View
from ..widgets.basic import ProgressBar, Switch
from ..widgets.choices import RADIO_GROUP, RadioGroup, Tabs
from ..widgets.field import Field
from ..widgets.live import Spinning
from ..widgets.recycler import RecycledList
from ..widgets.seek_bar import SeekBar

PROGRESS = 10_000
"""The range of a progress bar whose state is a fraction."""
_STATES = {True: "ON", False: "OFF"}


class Range(NamedTuple):
    """RangeInfo of the type RANGE_TYPE_INT."""

    least: int
    most: int
    now: int


class Place(NamedTuple):
    """CollectionItemInfo."""

    row: int
    column: int
    selected: bool


@dataclass(frozen=True, slots=True)
class NodeInfo:
    actions: tuple[str, ...]
    """The actions that `Automation.perform` accepts now, and `set_text` and `set_selection`."""
    range: Range | None = None
    collection: tuple[int, int] | None = None
    """Rows and columns."""
    place: Place | None = None
    """Its place in the collection that contains it."""
    state: str | None = None
    """The state description, since Android 11."""


def describe(view: View, old: bool) -> NodeInfo:
    """Describe a view; `old` means up to Android 10."""
    return NodeInfo(
        _actions(view),
        _range(view),
        _collection(view, old),
        _place(view, old),
        None if old else _state(view),
    )


def details_of(
    view: View, label: str | None, *, old: bool, has_panes: bool
) -> model.Details | None:
    """The further properties of a view that the helper reports; `label` is the key of the view that
    labels it, `old` means up to Android 10."""
    told = view.told or model.Details()
    shown = _range(view)
    found = model.Details(
        None if old else told.state or (_state(view) if shown else None),
        told.error,
        told.pane if has_panes else None,
        view.hint or None if isinstance(view, Field) and not view.showing_hint else None,
        label,
        None if shown is None else model.Range(0, *shown),
        _collection(view, old),
        isinstance(view, Spinning),
    )
    return None if found == model.Details() else found


def _actions(view: View) -> tuple[str, ...]:
    found = {
        "focus": view.focusable and not view.focused,
        "click": view.clickable,
        "long_click": view.long_clickable,
        "scroll_forward": _scrolls(view) and view.can_scroll(True),
        "scroll_backward": _scrolls(view) and view.can_scroll(False),
    }
    if isinstance(view, Field):
        found |= {"set_text": True, "set_selection": True, "paste": True}
    return tuple(name for name, able in found.items() if able and view.enabled)


def _scrolls(view: View) -> bool:
    return isinstance(view, SeekBar | Scroll)


def _range(view: View) -> Range | None:
    if isinstance(view, SeekBar):
        return Range(view.least, view.most, view.value)
    if isinstance(view, ProgressBar):
        return Range(0, PROGRESS, round(view.done * PROGRESS))
    return None


def _collection(view: View, old: bool) -> tuple[int, int] | None:
    if not view.collection or (old and view.kind == RADIO_GROUP):
        return None
    if isinstance(view, Tabs):
        return 1, len(view.tabs)
    if isinstance(view, RecycledList):
        return view.count, 1
    return len([child for child in view.children if child.shown]), 1


def _place(view: View, old: bool) -> Place | None:
    parent = view.parent
    if isinstance(parent, RecycledList):
        row = next((at for at, child in parent.rows.items() if child is view), None)
        return None if row is None else Place(row, 0, view.selected)
    if isinstance(parent, RadioGroup) and not old:
        return Place(parent.children.index(view), 0, view.checked)
    tabs = parent.parent if parent is not None else None
    if isinstance(tabs, Tabs) and parent is not None:
        return Place(0, parent.children.index(view), view.selected)
    return None


def _state(view: View) -> str | None:
    if isinstance(view, Switch):
        return _STATES[view.checked]
    if isinstance(view, SeekBar):
        return f"{round(view.share * 100)}%"
    if isinstance(view, ProgressBar):
        return f"{round(view.done * 100)}%"
    return None
