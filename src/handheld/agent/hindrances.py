"""Why a tap does nothing: its target is disabled, covered, or nothing to tap."""

from ..errors import ActionFailed
from ..phone.screen_log import ShownScreen
from ..ui.model import Flag
from ..ui.rows.covers import points
from ..ui.rows.screen import Row, Thing
from ..ui.rows.text import ASK
from .targets import At

_TAKES = Flag.CLICKABLE.value | Flag.LONG_CLICKABLE.value | Flag.EDITABLE.value


def is_hindered(shown: ShownScreen, target: At) -> bool:
    """Whether a finger would not reach the target on that screen, or find it disabled."""
    found = _find(shown, target)
    if found is None:
        return False
    row, thing = found
    return row.behind or bool({"covered", "disabled"} & set(thing.item.states))


def check_uncovered(shown: ShownScreen, target: At) -> None:
    """Raises ActionFailed, before anything is done, if a finger cannot reach the target."""
    found = _find(shown, target)
    if found is None:
        return
    row, thing = found
    if row.behind:
        front = shown.rows.header
        raise ActionFailed(f"{target.label} is covered by {front}: answer that first.")
    if "covered" in thing.item.states:
        raise ActionFailed(f"{target.label} is covered by {_cover_of(shown, thing)}.")


def explain_disabled(shown: ShownScreen, target: At) -> str:
    """Return what a disabled target lacks; empty if it is not disabled."""
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
    """Return the target as that screen shows it."""
    for row, thing in shown.rows.things:
        if thing is target.thing or (target.ref and thing.ref == target.ref):
            return row, thing
    return None


def _cover_of(shown: ShownScreen, covered: Thing) -> str:
    """Return what lies over the target: what is drawn last at its centre."""
    x, y = points(covered.item.bounds)[0]
    over = [
        thing
        for row, thing in shown.rows.things
        if thing.ref
        and thing is not covered
        and not row.behind
        # An earlier window is above; in a window, what comes later is.
        and (thing.place[0] < covered.place[0] or thing.place > covered.place)
        and _holds(thing, x, y)
    ]
    return over[-1].label if over else "something else"


def _holds(thing: Thing, x: float, y: float) -> bool:
    left, top, right, bottom = thing.item.bounds
    return left <= x < right and top <= y < bottom
