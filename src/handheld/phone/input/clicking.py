"""Clicks an element or, if it does not take clicks, the ancestor that takes a touch there."""

from dataclasses import dataclass

from ...driver import NotActionable, TargetMissing
from ...driver.by_shell.hit_test import takes_touch_at
from ...screen.model import Flag, Node
from ..screen.elements import Elements
from ..screen.missing import missing_element


@dataclass(frozen=True, slots=True)
class Outer:
    """The enclosing element that took the click."""

    id: str
    node: Node


class NotTaken(Exception):
    """The element does not take the click, and no ancestor would take a touch there. Nothing was
    done."""

    def __init__(self, around: str | None) -> None:
        super().__init__(around)
        self.around = around
        """The id of the nearest ancestor with the flag."""


async def click(elements: Elements, name: str, action: str, flag: Flag) -> Outer | None:
    """Perform `action` on the element if it has `flag`, else on the nearest ancestor that has it
    and would take a touch at the element's centre; return that one. Raises ElementNotFound,
    NotTaken."""
    wanted = elements.look_up(name)
    ref = wanted.ref
    if ref is not None and ref.node.key and ref.node.flags & flag:
        try:
            await elements.act(name, action)
        except NotActionable:
            pass  # it changed: the fresh read decides
        else:
            return None
    snapshot, place = await elements.resolve(name)
    itself = bool(snapshot.node(place).flags & flag)
    taker = place if itself else snapshot.enclosing(place, flag)
    if taker is None:
        raise NotTaken(None)
    elements.remember(snapshot, [] if itself else [taker])
    if not itself and not takes_touch_at(snapshot.screen, place[0], taker[1], place[1]):
        raise NotTaken(snapshot.id(taker))
    try:
        await elements.act_at(snapshot, taker, action, place)
    except TargetMissing as missing:
        raise missing_element(name, missing.gone) from None
    except NotActionable:
        raise NotTaken(None) from None
    elements.seen(wanted, snapshot, place)
    return None if itself else Outer(snapshot.id(taker), snapshot.node(taker))
