"""Scrolls an element onto the screen."""

from ..driver import NotActionable, Refused, ScreenDriver, TargetMissing
from ..errors import ActionFailed, ElementNotFound
from ..ui.model import Bounds, Flag, Node
from ..ui.search import Place
from .elements import Elements, Wanted
from .snapshot import Snapshot, signature_of

SCROLLS = 5
"""At most, in both directions together."""
SETTLE_MS = 300
"""How long a scroll may take to settle before the screen is read."""
QUIET_MS = 120
"""Settled: no change for this long. Apps report changes 100 ms apart."""

_VISIBLE = Flag.VISIBLE.value
_SCROLLABLE = Flag.SCROLLABLE.value


async def scroll_to(elements: Elements, driver: ScreenDriver, name: str) -> int:
    """Scroll until the element is visible; return the number of scrolls, 0 if it was visible.

    A row that a list has recycled is searched for in that list.
    """
    wanted = elements.look_up(name)
    snapshot = await elements.read()
    place = elements.place_of(wanted, snapshot)
    forward = True
    ends: set[bool] = set()
    scrolls = 0
    while place is None or not _visible(snapshot, place):
        container = _find_container(elements, wanted, snapshot, place)
        box = snapshot.node(container).bounds
        known = None if place is None else _direction(snapshot.node(place).bounds, box)
        if known is not None:
            forward = known
        if len(ends) == 2:
            if place is None:
                elements.follow(wanted, snapshot)  # the whole list was seen: raises that it is gone
            raise _failed(elements, snapshot, container, "it does not scroll to the element.")
        if forward in ends:
            forward = not forward
        if scrolls == SCROLLS:
            raise ActionFailed(
                f"Element '{name}' not visible after {SCROLLS} scroll attempts. Call"
                " scroll_to_element again to go on, or scroll and get_screen_state."
            )
        try:
            moved = await _scroll(elements, driver, snapshot, container, forward)
        except Refused as refusal:
            if known is not None and _is_vertical(snapshot.node(place or container).bounds, box):
                # The element is known to be in that direction: do not try the other one.
                raise _failed(elements, snapshot, container, refusal.message) from refusal
            ends.add(forward)
            continue
        scrolls += 1
        if not moved:
            ends.add(forward)
        snapshot = await elements.read()
        place = elements.place_of(wanted, snapshot)
    elements.seen(wanted, snapshot, place)
    return scrolls


async def _scroll(
    elements: Elements, driver: ScreenDriver, snapshot: Snapshot, container: Place, forward: bool
) -> bool:
    """Scroll one step and wait until it settles. Returns False if nothing moved."""
    action = "scroll_forward" if forward else "scroll_backward"
    try:
        await elements.act_at(snapshot, container, action)
    except TargetMissing as missing:
        why = "it is gone." if missing.gone else "it has changed meanwhile."
        raise _failed(elements, snapshot, container, why) from None
    except NotActionable:
        raise _failed(elements, snapshot, container, "it does not scroll any more.") from None
    before = snapshot.screen.seq
    seq = await driver.changed(before, SETTLE_MS)
    moved = seq > before
    if moved:
        for _ in range(SETTLE_MS // QUIET_MS):
            last, seq = seq, await driver.changed(seq, QUIET_MS)
            if seq == last:
                break
    return moved


def _find_container(
    elements: Elements, wanted: Wanted, snapshot: Snapshot, place: Place | None
) -> Place:
    if place is None:
        container = _remembered(wanted, snapshot)
        if container is None:
            elements.follow(wanted, snapshot)  # raises: gone or changed
            raise ElementNotFound(f"Element '{wanted.name}' not found")
        return container
    container = snapshot.container(place)
    if container is None:
        raise ActionFailed(f"No scrollable container found for element '{wanted.name}'")
    # Scrolling a container that is itself off the screen shows nothing.
    while not _visible(snapshot, container):
        outer = snapshot.container(container)
        if outer is None:
            break
        container = outer
    return container


def _remembered(wanted: Wanted, snapshot: Snapshot) -> Place | None:
    """Return the container of the element when last seen, if it still exists."""
    ref = wanted.ref
    if ref is None or ref.container is None:
        return None
    then = ref.container
    if not ref.recycled and snapshot.keyed(ref.node.key) is not None:
        return None  # its view shows something else now: scrolling does not bring it back
    now = snapshot.keyed(then.key)
    if now is not None:
        return now if _is_same(then, snapshot.node(now)) else None
    alike = [place for place in snapshot.alike(then) if _is_same(then, snapshot.node(place))]
    return alike[0] if len(alike) == 1 and (then.resource_id or then.description) else None


def _is_same(then: Node, now: Node) -> bool:
    return signature_of(then) == signature_of(now) and now.flags & _SCROLLABLE != 0


def _visible(snapshot: Snapshot, place: Place) -> bool:
    return snapshot.node(place).flags & _VISIBLE != 0


def _direction(bounds: Bounds, box: Bounds) -> bool | None:
    """Whether `bounds` lies after (True) or before (False) `box`; None if neither."""
    if not any(bounds):
        return None  # not laid out: the position is unknown, not the upper left corner
    if bounds.top >= box.bottom or bounds.left >= box.right:
        return True
    if bounds.bottom <= box.top or bounds.right <= box.left:
        return False
    return None


def _is_vertical(bounds: Bounds, box: Bounds) -> bool:
    """Whether it is above or below. Sideways, before and after depend on the writing direction."""
    return bounds.top >= box.bottom or bounds.bottom <= box.top


def _failed(elements: Elements, snapshot: Snapshot, container: Place, why: str) -> ActionFailed:
    elements.remember(snapshot, [container])
    return ActionFailed(f"Scroll failed on ancestor '{snapshot.id(container)}': {why}")
