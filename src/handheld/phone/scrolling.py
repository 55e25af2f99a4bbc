"""Bringing an element onto the screen by scrolling what it is in."""

from ..driver import Driver, NotActionable, Refused, TargetMissing
from ..errors import ActionFailed, ElementNotFound
from ..ui.model import Bounds, Flag, Node
from ..ui.search import Place
from .elements import Elements, Wanted
from .snapshot import Snapshot, looks_of

SCROLLS = 5
"""At most, in both directions together."""
SETTLE_MS = 300
"""How long a scroll may take to come to rest before the screen is read."""
QUIET_MS = 120
"""At rest: no change for this long. Apps report changes 100 ms apart."""

_VISIBLE = Flag.VISIBLE.value
_SCROLLABLE = Flag.SCROLLABLE.value


async def scroll_to(elements: Elements, driver: Driver, name: str) -> int:
    """Scroll until the element is visible; how many scrolls that took, 0 if it was visible before.

    A row of a list that has been recycled is sought in the list that it was in.
    """
    wanted = elements.look_up(name)
    marked = await elements.read()
    place = elements.place_of(wanted, marked)
    forward = True
    ends: set[bool] = set()
    scrolls = 0
    while place is None or not _visible(marked, place):
        container = _find_container(elements, wanted, marked, place)
        box = marked.node(container).bounds
        known = None if place is None else _direction(marked.node(place).bounds, box)
        if known is not None:
            forward = known
        if len(ends) == 2:
            if place is None:
                elements.follow(wanted, marked)  # the whole list was seen: says that it is gone
            raise _failed(elements, marked, container, "it does not scroll to the element.")
        if forward in ends:
            forward = not forward
        if scrolls == SCROLLS:
            raise ActionFailed(
                f"Element '{name}' not visible after {SCROLLS} scroll attempts. Call"
                " scroll_to_element again to go on, or scroll and get_screen_state."
            )
        try:
            moved = await _scroll(elements, driver, marked, container, forward)
        except Refused as refusal:
            if known is not None and _is_upright(marked.node(place or container).bounds, box):
                # It is known to lie that way: going the other way would only lose it.
                raise _failed(elements, marked, container, refusal.message) from refusal
            ends.add(forward)
            continue
        scrolls += 1
        if not moved:
            ends.add(forward)
        marked = await elements.read()
        place = elements.place_of(wanted, marked)
    elements.seen(wanted, marked, place)
    return scrolls


async def _scroll(
    elements: Elements, driver: Driver, marked: Snapshot, container: Place, forward: bool
) -> bool:
    """One step, until it has come to rest. False when nothing moved."""
    action = "scroll_forward" if forward else "scroll_backward"
    try:
        await elements.act_at(marked, container, action)
    except TargetMissing as missing:
        why = "it is gone." if missing.gone else "it has changed meanwhile."
        raise _failed(elements, marked, container, why) from None
    except NotActionable:
        raise _failed(elements, marked, container, "it does not scroll any more.") from None
    before = marked.screen.seq
    seq = await driver.changed(before, SETTLE_MS)
    moved = seq > before
    if moved:
        for _ in range(SETTLE_MS // QUIET_MS):
            last, seq = seq, await driver.changed(seq, QUIET_MS)
            if seq == last:
                break
    return moved


def _find_container(
    elements: Elements, wanted: Wanted, marked: Snapshot, place: Place | None
) -> Place:
    if place is None:
        container = _remembered(wanted, marked)
        if container is None:
            elements.follow(wanted, marked)  # raises: it says whether it is gone or changed
            raise ElementNotFound(f"Element '{wanted.name}' not found")
        return container
    container = marked.container(place)
    if container is None:
        raise ActionFailed(f"No scrollable container found for element '{wanted.name}'")
    # What is itself scrolled away shows nothing, however far it is scrolled.
    while not _visible(marked, container):
        outer = marked.container(container)
        if outer is None:
            break
        container = outer
    return container


def _remembered(wanted: Wanted, marked: Snapshot) -> Place | None:
    """What the element was in when it was last seen, if that is still there."""
    handle = wanted.handle
    if handle is None or handle.container is None:
        return None
    then = handle.container
    if not handle.recycled and marked.keyed(handle.node.key) is not None:
        return None  # its view is there and shows something else: no scrolling brings it back
    now = marked.keyed(then.key)
    if now is not None:
        return now if _is_same(then, marked.node(now)) else None
    alike = [place for place in marked.alike(then) if _is_same(then, marked.node(place))]
    return alike[0] if len(alike) == 1 and (then.resource_id or then.description) else None


def _is_same(then: Node, now: Node) -> bool:
    return looks_of(then) == looks_of(now) and now.flags & _SCROLLABLE != 0


def _visible(marked: Snapshot, place: Place) -> bool:
    return marked.node(place).flags & _VISIBLE != 0


def _direction(bounds: Bounds, box: Bounds) -> bool | None:
    """Whether what is at `bounds` lies after or before what `box` shows; None: neither."""
    if not any(bounds):
        return None  # not laid out: that is nowhere, not the upper left corner
    if bounds.top >= box.bottom or bounds.left >= box.right:
        return True
    if bounds.bottom <= box.top or bounds.right <= box.left:
        return False
    return None


def _is_upright(bounds: Bounds, box: Bounds) -> bool:
    """Above or below. Before and after sideways depend on the direction of the script."""
    return bounds.top >= box.bottom or bounds.bottom <= box.top


def _failed(elements: Elements, marked: Snapshot, container: Place, why: str) -> ActionFailed:
    elements.remember(marked, [container])
    return ActionFailed(f"Scroll failed on ancestor '{marked.id(container)}': {why}")
