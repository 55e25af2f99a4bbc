"""Finds on which side of the visible rows another row of a list is."""

from collections.abc import Hashable, Iterable

from ...screen.model import Node
from ...screen.search import Place
from .issued_refs import IssuedRef, IssuedRefs
from .snapshot import Snapshot, signature_of

Order = dict[int, int]
"""The order of rows that a list showed together. The keys are hashes, which take less space than
texts: the result is only a hint."""
MOST_ROWS = 500
"""The maximum of rows in one order."""


def is_after(
    ref: IssuedRef, issued: IssuedRefs, snapshot: Snapshot, container: Place
) -> bool | None:
    """Return whether the element comes after the visible rows (True) or before them; None if
    unknown. It is a hint: the list may have changed since."""
    if ref.item is not None:
        places = [snapshot.item(place) for place in snapshot.inside(container)]
        numbered = [place for place in places if place is not None]
        if numbered:
            first, last = min(numbered), max(numbered)
            return None if first <= ref.item <= last else ref.item > last
    visible = _read_order(snapshot, container)
    wanted = _name(ref.node, ref.anchor)
    known: Order = dict(visible)
    orders = _seen_before(ref, issued)
    # Orders with a common row are joined, until one has the wanted row.
    while wanted not in known:
        joined = next((order for order in orders if not known.keys().isdisjoint(order)), None)
        if joined is None:
            return None
        orders.remove(joined)
        common = next(name for name in joined if name in known)
        offset = known[common] - joined[common]
        for name, number in joined.items():
            known.setdefault(name, number + offset)
    first, last = min(visible.values()), max(visible.values())
    return None if first <= known[wanted] <= last else known[wanted] > last


def note_order(issued: IssuedRefs, snapshot: Snapshot, container: Place) -> None:
    """Remember the rows that a list shows."""
    name = _list_name(snapshot.window(container).id, snapshot.node(container))
    issued.orders.append((name, _read_order(snapshot, container)))


def _read_order(snapshot: Snapshot, container: Place) -> Order:
    places = snapshot.inside(container)
    return _number((snapshot.node(place), snapshot.anchor(place)) for place in places)


def _seen_before(ref: IssuedRef, issued: IssuedRefs) -> list[Order]:
    """Return the orders in which rows of the element's list were listed or scrolled past, the
    latest first."""
    if ref.container is None:
        return []
    name = _list_name(ref.window, ref.container)
    together: dict[float, list[tuple[Node, Node | None]]] = {}
    for other in issued.refs.values():
        if other.container is not None and _list_name(other.window, other.container) == name:
            together.setdefault(other.issued_at, []).append((other.node, other.anchor))
    orders = [order for list_, order in reversed(issued.orders) if list_ == name]
    return orders + [_number(nodes) for _, nodes in sorted(together.items(), reverse=True)]


def _list_name(window: int, container: Node) -> Hashable:
    return container.key or (window, signature_of(container))


def _number(nodes: Iterable[tuple[Node, Node | None]]) -> Order:
    """Number the nodes with unique signatures."""
    order: Order = {}
    twice: set[int] = set()
    for number, (node, anchor) in enumerate(nodes):
        if len(order) == MOST_ROWS:
            break
        if node.text or node.description or anchor is not None:
            name = _name(node, anchor)
            if name in order:
                twice.add(name)
            order[name] = number
    for name in twice:
        del order[name]
    return order


def _name(node: Node, anchor: Node | None) -> int:
    return hash((signature_of(node), None if anchor is None else signature_of(anchor)))
