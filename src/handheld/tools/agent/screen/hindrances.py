"""Reasons why a tap has no effect: its target is disabled, covered, or not clickable."""

from typing import TYPE_CHECKING

from ....errors import ActionFailed
from ....phone.screen.screen_log import ShownScreen
from ....screen.model import Bounds, Flag
from ....screen.rows.covers import points
from ....screen.rows.screen import Row, Thing
from ....screen.rows.stacking import Stacking
from ....screen.rows.text import ASK
from ....screen.rows.tree import Tree, tree_of
from ..elements.targets import At, is_elsewhere

if TYPE_CHECKING:
    from ....screen.rows.stacking import Stacking

_TAKES = Flag.CLICKABLE.value | Flag.LONG_CLICKABLE.value | Flag.EDITABLE.value
_KEEPS = _TAKES | Flag.SCROLLABLE.value


def is_hindered(shown: ShownScreen, target: At) -> bool:
    """Whether a finger would miss the target on that screen, or the target is disabled."""
    found = _find(shown, target)
    if found is None:
        return False
    row, thing = found
    return row.behind or bool({"covered", "disabled"} & set(thing.item.states))


def check_window(shown: ShownScreen, target: At) -> None:
    """Raises ActionFailed before anything is done if another window covers the target. An element
    over it in its own window is not an obstacle: the touch decides."""
    found = _find(shown, target)
    if found is None:
        return
    row, thing = found
    if row.behind and is_elsewhere(shown, thing.place):
        front = shown.rows.header
        raise ActionFailed(f"{target.label} is covered by {front}: answer that first.")
    over = _over(shown, thing) if "covered" in thing.item.states else None
    if over is not None and over.place[0] != thing.place[0]:
        raise ActionFailed(f"{target.label} is covered by {over.label}.")


def name_cover(shown: ShownScreen | None, target: At) -> str:
    """Return the element that covers the target in its own window; "" for none."""
    found = None if shown is None else _find(shown, target)
    if shown is None or found is None or "covered" not in found[1].item.states:
        return ""
    over = _over(shown, found[1])
    return over.label if over is not None else "something else"


def name_rival(shown: ShownScreen | None, target: At, point: tuple[float, float]) -> str:
    """Return the element that may cover the target at a point, because the stacking order is
    unknown; "" for none."""
    found = None if shown is None else _find(shown, target)
    if shown is None or found is None:
        return "something else"
    window, position = found[1].place
    tree, stacking = _stacked(shown, found[1])
    rivals = {
        at
        for at, (node, box) in enumerate(zip(tree.nodes, tree.shown, strict=True))
        if node.flags & _KEEPS
        and box is not None
        and _holds(box, *point)
        and not tree.is_inside(at, position)
        and not tree.is_inside(position, at)
        and stacking.is_over(at, position) is None
    }
    named = [
        thing.label
        for _, thing in shown.rows.things
        if thing.ref and thing.place[0] == window and thing.place[1] in rivals
    ]
    return named[-1] if named else "something else" * bool(rivals)


def explain_disabled(shown: ShownScreen, target: At) -> str:
    """Return a sentence that says what a disabled target needs; "" if it is enabled."""
    found = _find(shown, target)
    if found is None or "disabled" not in found[1].item.states:
        return ""
    empty = [
        f"{thing.ref} {thing.words}"
        for row, thing in shown.rows.things
        if thing.ref and "empty" in thing.item.states and not row.behind
    ]
    perhaps = f", perhaps {empty[0]}" if empty else ""
    return f"{target.label} is disabled: something on this screen is missing{perhaps}."


def why_nothing(shown: ShownScreen | None, target: At) -> str:
    """Return the likely reason that a tap had no effect, as a sentence after a space."""
    if shown is None:
        return ""
    if disabled := explain_disabled(shown, target):
        return f" {disabled}"
    if target.point is not None:
        if any(row.text.endswith(ASK) and not row.things for row in shown.rows.rows):
            return " The screen draws itself: phone_look with picture shows it."
        return ""
    thing = target.thing
    if thing is not None and not shown.snapshot.node(thing.place).flags & _TAKES:
        return " It is not clickable."
    return ""


def _find(shown: ShownScreen, target: At) -> tuple[Row, Thing] | None:
    """Return the target's row and thing on that screen."""
    for row, thing in shown.rows.things:
        if thing is target.thing or (target.ref and thing.ref == target.ref):
            return row, thing
    return None


def _over(shown: ShownScreen, covered: Thing) -> Thing | None:
    """Return the thing with a ref that covers another thing at its centre."""
    point = points(covered.item.bounds)[0]
    window, position = covered.place
    tree, stacking = _stacked(shown, covered)

    def is_over(other: Thing) -> bool:
        if other.place[0] != window:
            return other.place[0] < window  # an earlier window is above
        at = other.place[1]
        apart = not tree.is_inside(at, position) and not tree.is_inside(position, at)
        return apart and bool(stacking.is_over(at, position))

    over = [
        thing
        for _, thing in shown.rows.things
        if thing.ref and _holds(thing.item.bounds, *point) and is_over(thing)
    ]
    return over[-1] if over else None


def _stacked(shown: ShownScreen, thing: Thing) -> "tuple[Tree, Stacking]":
    area = Bounds(0, 0, shown.snapshot.screen.width, shown.snapshot.screen.height)
    tree = tree_of(shown.snapshot.window(thing.place), area)
    return tree, Stacking(tree)


def _holds(box: Bounds, x: float, y: float) -> bool:
    left, top, right, bottom = box
    return left <= x < right and top <= y < bottom
