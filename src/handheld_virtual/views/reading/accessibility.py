"""A window's tree as an accessibility service reads it."""

from typing import NamedTuple

from handheld.screen.model import Bounds, Details, Flag, Node, WebNode

from ..drawing.pen import Box
from ..layout import Scroll
from ..view import HTML_ID, View
from ..widgets.basic import Switch
from ..widgets.choices import RADIO_GROUP
from ..window import Window
from .captured import CapturedView
from .node_info import details_of

_VISIBLE = int(Flag.VISIBLE)
_CLICKABLE = int(Flag.CLICKABLE)
_LONG_CLICKABLE = int(Flag.LONG_CLICKABLE)
_FOCUSABLE = int(Flag.FOCUSABLE)
_SCROLLABLE = int(Flag.SCROLLABLE)
_EDITABLE = int(Flag.EDITABLE)
_ENABLED = int(Flag.ENABLED)
_CHECKABLE = int(Flag.CHECKABLE)
_CHECKED = int(Flag.CHECKED)
_FOCUSED = int(Flag.FOCUSED)
_SELECTED = int(Flag.SELECTED)
_PASSWORD = int(Flag.PASSWORD)
_SHOWING_HINT = int(Flag.SHOWING_HINT)
_COLLECTION = int(Flag.COLLECTION)
_EXPANDED = int(Flag.EXPANDED)
_COLLAPSED = int(Flag.COLLAPSED)
_FORWARD = int(Flag.SCROLLS_FORWARD)
_BACKWARD = int(Flag.SCROLLS_BACKWARD)
_HEADING = int(Flag.HEADING)
_PARTLY = int(Flag.PARTLY_CHECKED)
_DIRECTIONS = {
    False: (int(Flag.SCROLLS_UP), int(Flag.SCROLLS_DOWN)),
    True: (int(Flag.SCROLLS_LEFT), int(Flag.SCROLLS_RIGHT)),
}
_STATES = {True: "ON", False: "OFF"}


class Besides(NamedTuple):
    """Receives the rare properties of nodes, by the nodes' positions."""

    items: dict[int, tuple[int, int]]
    """Row and column of list items."""
    details: dict[int, Details]
    web: dict[int, WebNode]


def read(window: Window, shift: int = 0, besides: Besides | None = None) -> list[Node]:
    """Return the nodes of all views that are not GONE, in pre-order. As on Android, bounds are
    clipped to the parents, so the bounds of a view that is scrolled out may be inverted. `shift` is
    added to the window's id."""
    window.layout()
    nodes: list[Node] = []
    if isinstance(window.root, CapturedView):
        nodes = window.root.read(window)
    else:
        besides = besides or Besides({}, {}, {})
        _read(window, window.root, 0, 0, window.box, f"{window.package}:id/", nodes, besides)
    if shift:
        for node in nodes:
            node.key = move_key(node.key, shift)
        for told in besides.details.values() if besides else ():
            told.label = told.label and move_key(told.label, shift)
    return nodes


def move_key(key: str, by: int) -> str:
    """Return a view's key after its window's id has changed by `by`."""
    window, _, view = key.partition(":")
    return f"{int(window) + by}:{view}"


def _read(
    window: Window,
    view: View,
    depth: int,
    index: int,
    clip: Box,
    prefix: str,
    nodes: list[Node],
    besides: Besides,
) -> None:
    left, top, right, bottom = view.place
    if left < clip[0]:
        left = clip[0]
    if top < clip[1]:
        top = clip[1]
    if right > clip[2]:
        right = clip[2]
    if bottom > clip[3]:
        bottom = clip[3]
    flags = _ENABLED if view.enabled else 0
    if left < right and top < bottom:
        flags |= _VISIBLE
    if view.clickable:
        flags |= _CLICKABLE
    if view.long_clickable:
        flags |= _LONG_CLICKABLE
    if view.focusable:
        flags |= _FOCUSABLE
    if view.selected:
        flags |= _SELECTED
    if view.expanded is not None:
        flags |= _EXPANDED if view.expanded else _COLLAPSED
    text = view.text
    if view.checkable:
        flags |= _CHECKABLE | (_CHECKED if view.checked else 0)
        if view.partly_checked and window.android.partly_checked_state:
            flags |= _PARTLY
        if not window.android.state_descriptions and view.kind == Switch.kind:
            text = f"{text} {_STATES[view.checked]}".lstrip()
    if view.editable:
        flags |= _EDITABLE
        if view.password:
            flags |= _PASSWORD
        if view.showing_hint:
            flags |= _SHOWING_HINT
    if view.scrollable and view.enabled and view.can_scroll():
        flags |= _SCROLLABLE
        flags |= _FORWARD if view.can_scroll(True) else 0
        flags |= _BACKWARD if view.can_scroll(False) else 0
        if isinstance(view, Scroll) and view.directed:
            back, on = _DIRECTIONS[view.across]
            flags |= (on if flags & _FORWARD else 0) | (back if flags & _BACKWARD else 0)
    # A radio group is a collection since Android 11, as are state descriptions.
    if view.collection and not (not window.android.state_descriptions and view.kind == RADIO_GROUP):
        flags |= _COLLECTION
    if window.focus is view:
        flags |= _FOCUSED
    told = view.told
    if told is not None or view.detailed or view.collection:
        if told is not None and told.heading and window.android.headings_and_panes:
            flags |= _HEADING
        if told is not None and told.web is not None:
            besides.web[len(nodes)] = told.web
        label = None if told is None else told.labeled_by
        key = None if label is None else label.key or window.key_of(label)
        details = details_of(
            view,
            key,
            old=not window.android.state_descriptions,
            has_panes=window.android.headings_and_panes,
        )
        if details is not None:
            besides.details[len(nodes)] = details
    name = view.id
    if view.virtual >= 0:
        flags = view.mark(flags, not window.android.state_descriptions)
    if name is not None and ":" not in name:
        name = name[1:] if name[:1] == HTML_ID else prefix + name
    nodes.append(
        Node(
            depth,
            index,
            view.key or window.key_of(view),
            view.class_name,
            text,
            view.description,
            name,
            Bounds(left, top, right, bottom),
            flags,
            # Views draw their children in order; a view that draws itself has no order.
            index + 1 if view.virtual < 0 else 0,
        )
    )
    if view.children:
        clip = (left, top, right, bottom)
        depth += 1
        index = 0
        for child in view.children:
            if child.shown:
                place = view.item_place(index) if view.collection else None
                if place is not None:
                    besides.items[len(nodes)] = place
                _read(window, child, depth, index, clip, prefix, nodes, besides)
                index += 1
