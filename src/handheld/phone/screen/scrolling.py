"""Scrolls an element onto the screen."""

from collections import Counter
from collections.abc import Hashable

from ...driver import InputRefused, NotActionable, Seek, Sought, TargetMissing
from ...errors import ActionFailed, ElementNotFound
from ...screen.model import Bounds, Flag, Node
from ...screen.search import Place
from ...screen.shift import measure_below
from .elements import Elements, WantedElement
from .list_search import ListSearch
from .row_order import is_after, note_order
from .snapshot import Snapshot, signature_of
from .targets import describe, is_bare, target_of

ATTEMPTS = 5
"""Per call. An attempt is one call to the helper: a jump, or up to `PAGES` pages one way."""
PAGES = 20
MOST_PAGES = 1000
"""The maximum of pages in one search, over all calls: some lists never end."""

_VISIBLE = Flag.VISIBLE.value
_SCROLLABLE = Flag.SCROLLABLE.value


async def scroll_to(elements: Elements, name: str) -> int:
    """Scroll until the element is visible; return the number of scrolls, 0 if it was visible.

    A row that a list has recycled is searched for in that list. The next call continues an
    unfinished search.
    """
    wanted = elements.look_up(name)
    snapshot = await elements.read()
    place = elements.place_of(wanted, snapshot)
    search: ListSearch | None = None
    scrolls = 0
    for _ in range(ATTEMPTS):
        if place is not None and _visible(snapshot, place):
            break
        container = _find_container(elements, wanted, snapshot, place)
        if search is None or not _is_same(search.container, snapshot.node(container)):
            search = _begin(elements, wanted, snapshot, container)
        _choose_direction(elements, snapshot, container, place, search)
        sought = await _seek(elements, wanted, snapshot, container, search, place is None)
        scrolls += sought.scrolls
        search.pages += sought.scrolls
        search.jumped = search.jumped or sought.jumped
        before, snapshot = snapshot, await elements.read()
        place = elements.place_of(wanted, snapshot)
        if sought.end or (not sought.jumped and _is_unmoved(before, snapshot, container)):
            search.ends.add(search.forward)
        search.left = _contents(elements, snapshot, search.container)
        if place is None:
            _check_end(wanted, search)
    if place is None or not _visible(snapshot, place):
        raise ActionFailed(
            f"Element '{name}' not visible after {ATTEMPTS} scroll attempts. Call scroll_to_element"
            " again: it continues from here."
        )
    elements.seen(wanted, snapshot, place)
    return scrolls


def _begin(
    elements: Elements, wanted: WantedElement, snapshot: Snapshot, container: Place
) -> ListSearch:
    """Continue the search of the last call, or begin one."""
    ref, node = wanted.ref, snapshot.node(container)
    last = None if ref is None else ref.search
    same = last is not None and _is_same(last.container, node)
    if last is not None and same and last.left & _contents(elements, snapshot, node):
        return last
    after = None if ref is None else is_after(ref, elements.issued, snapshot, container)
    search = ListSearch(node, forward=after is not False)
    if ref is not None:
        ref.search = search
    return search


def _choose_direction(
    elements: Elements,
    snapshot: Snapshot,
    container: Place,
    place: Place | None,
    search: ListSearch,
) -> None:
    """Choose by the element's bounds if it is in the tree, else back from an end."""
    if place is not None:
        bounds, box = snapshot.node(place).bounds, snapshot.node(container).bounds
        known = _direction(bounds, box)
        if len(search.ends) == 2 or (known in search.ends and _is_vertical(bounds, box)):
            search.ends.clear()  # the next call starts again
            raise _failed(elements, snapshot, container, "it does not scroll to the element.")
        if known is not None:
            search.forward = known
    if search.forward in search.ends:
        search.forward = not search.forward


async def _seek(
    elements: Elements,
    wanted: WantedElement,
    snapshot: Snapshot,
    container: Place,
    search: ListSearch,
    far: bool,
) -> Sought:
    """Scroll for the element, or jump to its last position if it is `far`: not in the tree."""
    ref = wanted.ref
    if ref is None:
        place = elements.follow(wanted, snapshot)
        node, anchor = snapshot.node(place), snapshot.anchor(place)
    else:
        node, anchor = ref.node, ref.anchor
    item = ref.item if ref is not None and far and not search.jumped else None
    seek = Seek(
        describe(node),
        None if anchor is None else describe(anchor),
        node.key if is_bare(node, anchor) else "",
        search.forward,
        PAGES,
        item if item is not None and min(item) >= 0 else None,
    )
    target = target_of(snapshot.node(container), snapshot.anchor(container))
    try:
        return await elements.driver.seek(target, seek)
    except TargetMissing as missing:
        why = "it is gone." if missing.gone else "it has changed in the meantime."
    except NotActionable:
        why = "it no longer scrolls."
    except InputRefused as refusal:
        why = refusal.message
    raise _failed(elements, snapshot, container, why) from None


def _check_end(wanted: WantedElement, search: ListSearch) -> None:
    """Raise ElementNotFound if there is nothing left to search."""
    if len(search.ends) == 2:
        where = "not in this list, which was searched from the top to the end"
    elif search.pages >= MOST_PAGES:
        where = f"not in {search.pages} pages of this list"
    else:
        return
    if wanted.ref is not None:
        wanted.ref.search = None  # the next call starts again: the list may change
    raise ElementNotFound(
        f"Element '{wanted.name}' not found: {where}. Call get_screen_state again and use an id"
        " from its reply."
    )


def _is_unmoved(before: Snapshot, after: Snapshot, container: Place) -> bool:
    """Return whether the list did not move: one that accepts a scroll without moving is at its
    end."""
    now = find_again(before.node(container), after)
    if now is None:
        return False
    nodes, later = before.window(container).nodes, after.window(now).nodes
    return all(
        measure_below(nodes, container[1], later, now[1], across=across) == 0
        for across in (False, True)
    )


def _contents(elements: Elements, snapshot: Snapshot, container: Node) -> frozenset[Hashable]:
    """Return the visible words of a list that are unique there, and remember their order."""
    place = find_again(container, snapshot)
    if place is None:
        return frozenset()
    note_order(elements.issued, snapshot, place)
    nodes = [snapshot.node(at) for at in snapshot.inside(place)]
    words = Counter(
        signature_of(node)
        for node in nodes
        if node.flags & _VISIBLE and (node.text or node.description)
    )
    return frozenset(word for word, count in words.items() if count == 1)


def _find_container(
    elements: Elements, wanted: WantedElement, snapshot: Snapshot, place: Place | None
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


def _remembered(wanted: WantedElement, snapshot: Snapshot) -> Place | None:
    """Return the container of the element when last seen, if it still exists."""
    ref = wanted.ref
    if ref is None or ref.container is None:
        return None
    then = ref.container
    if not ref.recycled and snapshot.keyed(ref.node.key) is not None:
        return None  # its view shows another element now: scrolling does not bring it back
    if snapshot.keyed(then.key) is None and not (then.resource_id or then.description):
        return None  # it may be any list of that class
    return find_again(then, snapshot)


def find_again(then: Node, snapshot: Snapshot) -> Place | None:
    """Return a scrollable view's current place, found by its key or its unique signature."""
    alike = [place for place in snapshot.again(then) if _is_same(then, snapshot.node(place))]
    return alike[0] if len(alike) == 1 else None


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
    """Whether it is above or below. Horizontally, before and after depend on the text direction."""
    return bounds.top >= box.bottom or bounds.bottom <= box.top


def _failed(elements: Elements, snapshot: Snapshot, container: Place, why: str) -> ActionFailed:
    elements.remember(snapshot, [container])
    return ActionFailed(f"Scroll failed on ancestor '{snapshot.id(container)}': {why}")
