"""Element identity: an id acts on what it was printed for, or on nothing.

Whatever prints ids calls `remember`. To act, the node is found by its key and compared on the
phone, in one call; failing that, one fresh read is searched for the one node that is the same.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ..errors import ElementNotFound
from ..hands import Hands, Looks, Target, TargetMissing
from ..ui.ids import Ids, assign, element_id, parse_id
from ..ui.model import Flag, Node, Screen, Window
from ..ui.search import Place
from ..ui.text import cut, tidy
from .anchor import anchors

HANDLES = 10_000
WEIGHT = 16_000_000
"""Characters that all handles together keep: a screen may hold novels."""
FORGOTTEN = 50_000
"""Ids whose handle was dropped: they were printed, so they are not unknown, and act no more."""
REUSE_SECONDS = 600.0
"""How long a printed hash is not given to other content."""

_AGAIN = "Call get_screen_state again and use an id from its reply."
_EDITABLE = Flag.EDITABLE.value


@dataclass(slots=True)
class Handle:
    """What an id stood for when it was last printed."""

    window: int
    node: Node
    anchor: Node | None
    printed: float
    weight: int


@dataclass(slots=True)
class Printed:
    """What ids were printed for. It outlives a connection: an id that was printed before the phone
    was unplugged must not be taken for one that was never printed."""

    handles: dict[int, Handle] = field(default_factory=dict[int, Handle])
    """In the order of printing."""
    forgotten: dict[int, None] = field(default_factory=dict[int, None])
    weight: int = 0

    def add(self, value: int, handle: Handle) -> None:
        self.drop(value)
        self.forgotten.pop(value, None)
        self.handles[value] = handle
        self.weight += handle.weight
        while len(self.handles) > HANDLES or self.weight > WEIGHT:
            self.forget(next(iter(self.handles)))

    def drop(self, value: int) -> None:
        handle = self.handles.pop(value, None)
        if handle is not None:
            self.weight -= handle.weight

    def forget(self, value: int) -> None:
        self.drop(value)
        self.forgotten[value] = None
        if len(self.forgotten) > FORGOTTEN:
            del self.forgotten[next(iter(self.forgotten))]


@dataclass
class Marked:
    """A screen whose nodes have ids."""

    screen: Screen
    ids: Ids
    anchors: list[list[int]]

    @cached_property
    def labels(self) -> list[list[str]]:
        return self.ids.labels

    def node(self, place: Place) -> Node:
        return self.screen.windows[place[0]].nodes[place[1]]

    def window(self, place: Place) -> Window:
        return self.screen.windows[place[0]]

    def anchor(self, place: Place) -> Node | None:
        number = self.anchors[place[0]][place[1]]
        return None if number < 0 else self.screen.windows[place[0]].nodes[number]

    def id(self, place: Place) -> str:
        return element_id(self.labels[place[0]][place[1]], self.window(place).id)

    def places(self) -> Iterable[Place]:
        for number, window in enumerate(self.screen.windows):
            for node in range(len(window.nodes)):
                yield number, node


class Elements:
    def __init__(
        self,
        hands: Hands,
        now: Callable[[], float] = time.monotonic,
        printed: Printed | None = None,
    ) -> None:
        self._hands = hands
        self._now = now
        self._printed = printed or Printed()

    def mark(self, screen: Screen) -> Marked:
        """Give every node its id. Nothing is remembered yet."""
        rows = [anchors(window) for window in screen.windows]
        handles, since = self._printed.handles, self._now() - REUSE_SECONDS

        def stands_for(value: int, window: int, number: int) -> bool:
            handle = handles[value]
            if handle.printed <= since:
                return True
            shown = screen.windows[window]
            if handle.window != shown.id or not _same(handle.node, shown.nodes[number]):
                return False
            anchor = rows[window][number]
            return _same_anchor(handle.anchor, None if anchor < 0 else shown.nodes[anchor])

        return Marked(screen, assign(screen, handles, stands_for), rows)

    def remember(self, marked: Marked, places: Iterable[Place]) -> None:
        """The ids at `places` are printed: from now on they stand for what is there."""
        now = self._now()
        for place in places:
            node, anchor = marked.node(place), marked.anchor(place)
            self._printed.add(
                marked.ids.hashes[place[0]][place[1]],
                Handle(marked.window(place).id, node, anchor, now, _weight(node)),
            )

    def forget(self) -> None:
        """The phone was started anew: no key and no window number means anything any more."""
        for value in list(self._printed.handles):
            self._printed.forget(value)

    async def act(self, name: str, action: str) -> None:
        """Do `action` on the element that `name` was printed for. Raises ElementNotFound."""
        value, handle = self._look_up(name)
        gone: bool | None = None
        if handle is not None and handle.node.key:
            try:
                return await self._hands.act(_target(handle.node, handle.anchor), action)
            except TargetMissing as missing:
                gone = missing.gone
        marked = self.mark(await self._hands.read_screen())
        place = self._follow(name, value, handle, marked, gone)
        try:
            await self._hands.act(_target(marked.node(place), marked.anchor(place)), action)
        except TargetMissing as missing:
            raise _missing(name, missing.gone) from None
        if handle is not None:
            handle.node, handle.anchor = marked.node(place), marked.anchor(place)
        return None

    async def resolve(self, name: str) -> tuple[Marked, Place]:
        """Where the element is now, by one fresh read. Raises ElementNotFound."""
        value, handle = self._look_up(name)
        marked = self.mark(await self._hands.read_screen())
        return marked, self._follow(name, value, handle, marked, None)

    def _look_up(self, name: str) -> tuple[tuple[int, int | None], Handle | None]:
        value = parse_id(name)
        if value is None:
            raise ElementNotFound(
                f"Element {_quoted(name)} not found: ids look like node_1a2b3c_w42. {_AGAIN}"
            )
        number, window = value
        handle = self._printed.handles.get(number)
        if handle is not None and window in (None, handle.window):
            return value, handle
        if number in self._printed.forgotten:
            raise ElementNotFound(
                f"Element {_quoted(name)} not found: it was listed too long ago, or before the"
                f" phone was restarted. {_AGAIN}"
            )
        return value, None

    def _follow(
        self,
        name: str,
        value: tuple[int, int | None],
        handle: Handle | None,
        marked: Marked,
        gone: bool | None,
    ) -> Place:
        """The one place on the screen that the id may act on. `gone` is what the phone said."""
        if handle is None:
            return _only_one(name, *value, marked)
        hashes = marked.ids.hashes
        alike: list[Place] = []
        for place in marked.places():
            node = marked.node(place)
            if _same(handle.node, node) and _same_anchor(handle.anchor, marked.anchor(place)):
                if handle.node.key and node.key == handle.node.key:
                    return place
                alike.append(place)
        if _is_bare(handle):
            # Nothing but its class is known. Another view of that class is not followed; where
            # views have no keys, the unchanged place is all there is to go by.
            alike = [
                place
                for place in alike
                if not handle.node.key and hashes[place[0]][place[1]] == value[0]
            ]
        if len(alike) > 1:
            unmoved = [place for place in alike if hashes[place[0]][place[1]] == value[0]]
            if len(unmoved) != 1:
                raise ElementNotFound(
                    f"Element {_quoted(name)} not found: {len(alike)} elements look the same,"
                    f" and none of them is where it was listed. {_AGAIN}"
                )
            alike = unmoved
        if alike:
            return alike[0]
        changed = gone is False or any(
            marked.ids.plain[place[0]][place[1]] == value[0]
            or (handle.node.key and marked.node(place).key == handle.node.key)
            for place in marked.places()
        )
        raise _missing(name, not changed)


def _only_one(name: str, value: int, window: int | None, marked: Marked) -> Place:
    """I5: an id of another process acts only where its hash leaves no doubt."""
    found = [
        place
        for place in marked.places()
        if value in (marked.ids.hashes[place[0]][place[1]], marked.ids.plain[place[0]][place[1]])
        and window in (None, marked.window(place).id)
    ]
    if not found:
        raise ElementNotFound(f"Element {_quoted(name)} not found in accessibility tree. {_AGAIN}")
    if len(found) > 1:
        raise ElementNotFound(
            f"Element {_quoted(name)} not found: {len(found)} elements have that id. {_AGAIN}"
        )
    return found[0]


def _missing(name: str, gone: bool) -> ElementNotFound:
    why = "it is gone from the screen" if gone else "it has changed since it was listed"
    return ElementNotFound(f"Element {_quoted(name)} not found: {why}. {_AGAIN}")


def _quoted(name: str) -> str:
    return f"'{cut(tidy(name))}'"


def _same(one: Node, other: Node) -> bool:
    return (
        one.class_name == other.class_name
        and one.resource_id == other.resource_id
        and one.description == other.description
        and one.flags & _EDITABLE == other.flags & _EDITABLE
        and (one.text == other.text or one.flags & _EDITABLE != 0)
    )


def _same_anchor(one: Node | None, other: Node | None) -> bool:
    return one is other or (one is not None and other is not None and _same(one, other))


def _is_bare(handle: Handle) -> bool:
    node = handle.node
    text = None if node.flags & _EDITABLE else node.text
    return not (node.resource_id or node.description or text or handle.anchor)


def _looks(node: Node) -> Looks:
    editable = node.flags & _EDITABLE != 0
    return Looks(
        node.class_name,
        node.resource_id,
        node.description,
        None if editable else node.text,
        not editable,
    )


def _target(node: Node, anchor: Node | None) -> Target:
    if anchor is None:
        return Target(node.key, _looks(node))
    return Target(node.key, _looks(node), anchor.key, _looks(anchor))


def _weight(node: Node) -> int:
    texts = (node.text, node.description, node.resource_id, node.class_name)
    return sum(len(text) for text in texts if text)
