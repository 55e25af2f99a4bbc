"""Describes the targets of a call's arguments in the screen's words, for a question to a person."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from ....errors import ElementNotFound, ToolError
from ....phone.phone import Phone
from ....phone.screen.screen_log import ShownScreen
from ....phone.screen.snapshot import Snapshot
from ....screen.model import Bounds, Flag, Screen, split_hint
from ....screen.rows.screen import Row, Rows, Thing, rows_of
from ....screen.rows.text import window_title
from ....screen.rows.words import clean, cut
from ....screen.search import Place
from ...parameter import read_number
from ..input_tools import labelled_field
from ..keys import clicks
from .resolving import find_on
from .targets import At, find_in_picture, is_in_picture, named_ref

_AIMS: Mapping[str, tuple[str, ...]] = {
    "phone_tap": ("at",),
    "phone_swipe": ("at", "to"),
    "phone_type": ("into",),
    "phone_scroll": ("within",),
    "phone_read": ("of",),
    "phone_press": ("key",),
}
_ONLY_REFS = ("within", "of")
"""Parameters that take a ref among other things."""
_PAIRS = (("x", "y"), ("x1", "y1"), ("x2", "y2"), ("center_x", "center_y"))
_NAMES = {"element_id", "paths", *(name for names in _PAIRS for name in names)}
_MOST_PATHS = 10
_LONGEST_ROW = 400
_MOST_AT_POINT = 3
_OVERLAYS = ("ACCESSIBILITY_OVERLAY", "MAGNIFICATION_OVERLAY")
"""Windows that let touches through."""


class _Seen(NamedTuple):
    """A screen like `ShownScreen`, but shown to nobody."""

    snapshot: Snapshot
    rows: Rows


def describe_aims(
    phone: Phone, screen: Screen, tool: str, arguments: Mapping[str, Any], *, refs: bool
) -> str:
    """Return the targets on this screen; "" for a call without targets. `refs`: the tool takes
    refs, words and points from models."""
    if refs and tool in _AIMS:
        shown = phone.screens.show(phone.elements, screen)
        return "; ".join(_of_model(phone, shown, tool, arguments))
    if refs or not _NAMES & arguments.keys():
        return ""
    # The caller does not see this screen: nothing on it gets a ref.
    seen = _Seen(phone.elements.mark(screen), rows_of(screen, lambda place: ""))
    return "; ".join(_of_ids(phone, seen, arguments))


def _of_model(
    phone: Phone, shown: ShownScreen, tool: str, arguments: Mapping[str, Any]
) -> Iterator[str]:
    for name in _AIMS.get(tool, ()):
        value = arguments.get(name)
        if name == "key":
            if clicks(str(value)):
                yield from _focused(shown, "clicks")
        elif isinstance(value, str) and value.strip():
            within = arguments.get("within") if name == "at" else None
            if name not in _ONLY_REFS or named_ref(phone.screens, value) is not None:
                yield f"{name}: {_describe_target(phone, shown, name, value, within)}"
        elif name == "into":
            yield from _focused(shown, name, field=True)


def _focused(shown: ShownScreen, said: str, *, field: bool = False) -> Iterator[str]:
    for row, thing in shown.rows.things:
        focused = shown.snapshot.node(thing.place).flags & Flag.FOCUSED
        if focused and (thing.item.kind == "field") == field:
            yield f"{said}: {_describe(shown, row, thing)}"


def _describe_target(phone: Phone, shown: ShownScreen, name: str, value: str, within: Any) -> str:
    screen = shown.snapshot.screen
    try:
        if is_in_picture(value):
            target = find_in_picture(phone.screens, screen, value)
        else:
            target = find_on(phone, shown, value, within if isinstance(within, str) else None)
    except ToolError as failure:
        return failure.message  # the caller sees it only if the person agrees
    if target.point is not None:
        return f"{_figures(*target.point)} {_describe_point(shown, *target.point)}"
    return _describe_found(shown, labelled_field(phone, target) if name == "into" else target)


def _describe_found(shown: ShownScreen, target: At) -> str:
    for row, thing in shown.rows.things:
        if thing is target.thing or (target.ref and thing.ref == target.ref):
            return _describe(shown, row, thing, target.place)
    return f"{target.label}, which is not on the screen now"


def _describe(
    shown: ShownScreen | _Seen, row: Row, thing: Thing, place: Place | None = None
) -> str:
    """`place` is the place of the intended part."""
    bounds = shown.snapshot.node(place or thing.place).bounds
    said = f"{thing.ref} {thing.words}".strip()
    if (line := row.text.strip()) != said:
        said += f", in the row {cut(line, _LONGEST_ROW)}"
    return f"{said}, at {_box(bounds)}"


def _describe_point(shown: ShownScreen | _Seen, x: float, y: float) -> str:
    """Return the elements at a point, the innermost first."""
    screen, snapshot = shown.snapshot.screen, shown.snapshot
    for number, window in enumerate(screen.windows):
        if window.type in _OVERLAYS or not window.nodes or not _holds(window.nodes[0].bounds, x, y):
            continue
        if window.type == "INPUT_METHOD":
            return "is on the keyboard"
        found = [
            (_size(bounds), thing.label)
            for _, thing in shown.rows.things
            if thing.place[0] == number
            and _holds(bounds := snapshot.node(thing.place).bounds, x, y)
        ]
        found.sort(key=lambda each: each[0])
        labels = [label for _, label in found[:_MOST_AT_POINT]]
        if not labels:
            # A window that agents do not see, such as a bar.
            texts = [
                f'"{cut(clean(words), _LONGEST_ROW)}"'
                for node in reversed(window.nodes)
                if node.flags & Flag.VISIBLE and _holds(node.bounds, x, y)
                for words in split_hint(node)
                if words
            ]
            labels = texts[:1] or ["nothing that has words"]
        return f"is on {' and '.join(labels)}, in {window_title(window)}"
    return "is outside of every window that can be read"


def _of_ids(phone: Phone, shown: _Seen, arguments: Mapping[str, Any]) -> Iterator[str]:
    id = arguments.get("element_id")
    if isinstance(id, str):
        yield f"element_id: {_describe_id(phone, shown, id)}"
    for names in _PAIRS:
        if all(name in arguments for name in names):
            x, y = (read_number(arguments[name]) for name in names)
            yield f"{_figures(x, y)} {_describe_point(shown, x, y)}"
    paths = arguments.get("paths")
    if isinstance(paths, list):
        strokes = [stroke for stroke in cast("list[Any]", paths) if stroke]
        for stroke in strokes[:_MOST_PATHS]:
            x, y = (read_number(stroke[0][name]) for name in ("x", "y"))
            yield f"{_figures(x, y)} {_describe_point(shown, x, y)}"
        if len(strokes) > _MOST_PATHS:
            yield f"and {len(strokes) - _MOST_PATHS} more paths"


def _describe_id(phone: Phone, shown: _Seen, id: str) -> str:
    try:
        wanted = phone.elements.look_up(id)
        place = phone.elements.place_of(wanted, shown.snapshot)
        place = place or phone.elements.follow(wanted, shown.snapshot)
    except ElementNotFound as failure:
        return failure.message
    for row, thing in shown.rows.things:
        if thing.place == place:
            return _describe(shown, row, thing)
    node = shown.snapshot.node(place)
    words = [f'"{cut(clean(each), _LONGEST_ROW)}"' for each in split_hint(node) if each]
    return f"{' '.join(words) or 'without words'}, at {_box(node.bounds)}"


def _figures(x: float, y: float) -> str:
    return f"{x:g},{y:g}"


def _box(bounds: Bounds) -> str:
    return f"{bounds.left},{bounds.top} to {bounds.right},{bounds.bottom}"


def _holds(box: Bounds, x: float, y: float) -> bool:
    return box.left <= x < box.right and box.top <= y < box.bottom


def _size(box: Bounds) -> int:
    return (box.right - box.left) * (box.bottom - box.top)
