"""Element identity: an id acts on what it was printed for, or on nothing.

Whatever prints ids calls `remember`. To act, the node is found by its key and compared on the
phone, in one call; failing that, one fresh read is searched for the one node that is the same.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from ..clock import SYSTEM_CLOCK, Clock
from ..driver import Driver, NodeSignature, Target, TargetMissing
from ..errors import ActionFailed, ElementNotFound, ToolError
from ..ui.ids import Ids, assign, parse_id
from ..ui.model import Flag, Node, Screen, Window
from ..ui.search import Place
from ..ui.text import cut, tidy
from .anchor import anchors
from .issued_refs import IssuedRef, IssuedRefs
from .snapshot import Snapshot, looks_of

REUSE_SECONDS = 600.0
"""How long a printed hash is not given to other content."""

_AGAIN = "Call get_screen_state again and use an id from its reply."
_EDITABLE = Flag.EDITABLE.value
_COLLECTION = Flag.COLLECTION.value

Done = TypeVar("Done")


@dataclass(slots=True)
class Wanted:
    """An id that was named, and what it was printed for if we printed it."""

    name: str
    value: int
    window: int | None
    handle: IssuedRef | None


def only_active(screen: Screen) -> Screen:
    """The screen with no other window than the active one. Raises ActionFailed."""
    window = screen.active
    if window is None or not window.nodes:
        notes = "".join(f" {note[:1].upper()}{note[1:]}." for note in screen.notes)
        raise ActionFailed(
            "Failed to obtain root node: no window has the focus. The screen may be"
            f" transitioning.{notes}"
        )
    return replace(screen, windows=[window])


class Elements:
    def __init__(
        self,
        driver: Driver,
        clock: Clock = SYSTEM_CLOCK,
        printed: IssuedRefs | None = None,
        alone: bool = False,
        saw: Callable[[Screen], None] | None = None,
    ) -> None:
        """`alone`: only the active window is read, and its ids do not name it. `saw` is told of
        each screen whose nodes get ids."""
        self._driver = driver
        self._clock = clock
        self._printed = printed or IssuedRefs()
        self._alone = alone
        self._saw = saw

    def in_active_window(self) -> "Elements":
        """The same ids' memory, for whoever sees the active window alone."""
        return Elements(self._driver, self._clock, self._printed, True, self._saw)

    def watched(self, saw: Callable[[Screen], None]) -> "Elements":
        return Elements(self._driver, self._clock, self._printed, self._alone, saw)

    def mark(self, screen: Screen) -> Snapshot:
        """Give every node its id. Nothing is remembered yet."""
        if self._saw is not None:
            self._saw(screen)
        rows = [anchors(window) for window in screen.windows]
        handles, since = self._printed.handles, self._clock.now() - REUSE_SECONDS

        def stands_for(value: int, window: int, number: int) -> bool:
            handle = handles[value]
            if handle.printed <= since:
                return True
            shown = screen.windows[window]
            if handle.window != shown.id or not _same(handle.node, shown.nodes[number]):
                return False
            anchor = rows[window][number]
            return _same_anchor(handle.anchor, None if anchor < 0 else shown.nodes[anchor])

        ids = assign(screen, handles, stands_for, self._alone)
        return Snapshot(screen, ids, rows, self._alone)

    def remember(self, marked: Snapshot, places: Iterable[Place]) -> None:
        """The ids at `places` are printed: from now on they stand for what is there."""
        now = self._clock.now()
        for place in places:
            self._print(marked.hash(place), marked, place, now)

    async def renew(self, name: str, key: str, window: Window | None) -> None:
        """The id was printed again after something was done to the view with that key: it stands
        for what the view shows now, in that window if it was read since. A view that is gone leaves
        the id as it was."""
        wanted = self.look_up(name)
        marked = await self.read() if window is None else _unmarked(window)
        place = marked.keyed(key) if key else _in_focus(wanted, marked)
        if place is not None:
            self._print(wanted.value, marked, place, self._clock.now())

    def _print(self, value: int, marked: Snapshot, place: Place, now: float) -> None:
        node, anchor = marked.node(place), marked.anchor(place)
        window, (container, recycled) = marked.window(place), _container(marked, place)
        weight, package = _weight(node), window.package or ""
        self._printed.add(
            value, IssuedRef(window.id, package, node, anchor, container, recycled, now, weight)
        )

    def forget(self) -> None:
        """The phone was started anew: no key and no window number means anything any more."""
        for value in list(self._printed.handles):
            self._printed.forget(value)

    async def read(self) -> Snapshot:
        screen = await self._driver.read_screen()
        return self.mark(only_active(screen) if self._alone else screen)

    async def act(self, name: str, action: str) -> None:
        """Do `action` on the element that `name` was printed for. Raises ElementNotFound."""
        await self.on(name, lambda target: self._driver.act(target, action))

    async def on(self, name: str, operation: Callable[[Target], Awaitable[Done]]) -> Done:
        """Do something to the element that `name` was printed for; `deed` verifies and acts in one
        call, and raises TargetMissing where it did nothing. Raises ElementNotFound."""
        wanted = self.look_up(name)
        handle = wanted.handle
        gone: bool | None = None
        if handle is not None and handle.node.key:
            try:
                return await operation(_target(handle.node, handle.anchor))
            except TargetMissing as missing:
                gone = missing.gone
        marked = await self.read()
        place = self.follow(wanted, marked, gone)
        try:
            done = await operation(_target(marked.node(place), marked.anchor(place)))
        except TargetMissing as missing:
            raise _missing(name, missing.gone) from None
        self.seen(wanted, marked, place)
        return done

    async def act_at(self, marked: Snapshot, place: Place, action: str) -> None:
        """Do `action` on what a read has just shown. Raises TargetMissing."""
        await self._driver.act(_target(marked.node(place), marked.anchor(place)), action)

    async def resolve(self, name: str) -> tuple[Snapshot, Place]:
        """Where the element is now, by one fresh read. Raises ElementNotFound."""
        wanted = self.look_up(name)
        marked = await self.read()
        return marked, self.follow(wanted, marked)

    async def enclosing(self, name: str, flag: Flag) -> str | None:
        """The id of the nearest element around that one which has the flag. It is printed."""
        try:
            marked, place = await self.resolve(name)
        except ToolError:
            return None  # a hint at best: whoever asks has something to say without it
        outer = marked.enclosing(place, flag)
        if outer is None:
            return None
        self.remember(marked, [outer])
        return marked.id(outer)

    def look_up(self, name: str) -> Wanted:
        """Raises ElementNotFound for what is no id, or one that means nothing any more."""
        parsed = parse_id(name)
        if parsed is None:
            raise ElementNotFound(
                f"Element {_quoted(name)} not found: ids look like node_1a2b3c_w42. {_AGAIN}"
            )
        value, window = parsed
        handle = self._printed.handles.get(value)
        if handle is not None and window in (None, handle.window):
            return Wanted(name, value, window, handle)
        if value in self._printed.forgotten:
            raise _forgotten(name)
        return Wanted(name, value, window, None)

    def seen(self, wanted: Wanted, marked: Snapshot, place: Place) -> None:
        """The element was followed to this place: it is looked for there first from now on."""
        handle = wanted.handle
        if handle is not None:
            handle.node, handle.anchor = marked.node(place), marked.anchor(place)
            handle.container, handle.recycled = _container(marked, place)

    def follow(self, wanted: Wanted, marked: Snapshot, gone: bool | None = None) -> Place:
        """The one place on the screen that the id may act on. `gone` is what the phone said."""
        place = self.place_of(wanted, marked)
        if place is not None:
            return place
        handle = wanted.handle
        if handle is None:
            if marked.screen.unseen:
                raise _unseen(wanted.name, marked.screen)
            raise ElementNotFound(
                f"Element {_quoted(wanted.name)} not found in accessibility tree. {_AGAIN}"
            )
        changed = (
            gone is False
            or marked.keyed(handle.node.key) is not None
            or any(
                marked.plain_hash(place) == wanted.value for place in marked.hashed(wanted.value)
            )
        )
        if not changed and marked.screen.unseen:
            raise _unseen(wanted.name, marked.screen)
        raise _missing(wanted.name, not changed)

    def place_of(self, wanted: Wanted, marked: Snapshot) -> Place | None:
        """None when it is not there as it was; ElementNotFound when several may be it, or when the
        read has found that the phone was started anew."""
        handle, name = wanted.handle, wanted.name
        if handle is not None and wanted.value in self._printed.forgotten:
            raise _forgotten(name)
        if handle is None:
            return _only_one(wanted, marked)
        alike: list[Place] = []
        for place in marked.alike(handle.node):
            if _same_anchor(handle.anchor, marked.anchor(place)):
                if handle.node.key and marked.node(place).key == handle.node.key:
                    return place
                alike.append(place)
        if not alike and not handle.node.key:
            alike = _on_a_page(handle, marked)
        if _is_bare(handle):
            # Nothing but its class is known. Another view of that class is not followed; where
            # views have no keys, the unchanged place is all there is to go by.
            alike = [
                place
                for place in alike
                if not handle.node.key and marked.hash(place) == wanted.value
            ]
        if len(alike) > 1:
            unmoved = [place for place in alike if marked.hash(place) == wanted.value]
            if len(unmoved) != 1:
                raise ElementNotFound(
                    f"Element {_quoted(name)} not found: {len(alike)} elements look the same,"
                    f" and none of them is where it was listed. {_AGAIN}"
                )
            alike = unmoved
        return alike[0] if alike else None

    def live(self, wanted: Wanted, marked: Snapshot) -> Node:
        """What the element says now, also if it says something else than when it was listed; it
        is printed, so from now on the id stands for that.

        Not among the rows of a list, where the same view shows one thing after another. Raises
        ElementNotFound.
        """
        place = self.place_of(wanted, marked)
        if place is None and wanted.handle is not None:
            then = wanted.handle.node
            now = None if wanted.handle.recycled else marked.keyed(then.key)
            if now is not None and _same_view(then, marked.node(now)):
                place = now
        if place is None:
            place = self.follow(wanted, marked)
        self._print(wanted.value, marked, place, self._clock.now())
        return marked.node(place)


def _unmarked(window: Window) -> Snapshot:
    """To find a place in: nothing of it is printed that has no id yet."""
    return Snapshot(Screen(0, 0, 0, 0, [window]), Ids([], []), [anchors(window)])


def _in_focus(wanted: Wanted, marked: Snapshot) -> Place | None:
    """Where views have no keys: the field that has the focus, if it is such a one as was named."""
    field = Flag.FOCUSED | Flag.EDITABLE
    focused = [place for place in marked.places() if marked.node(place).flags & field == field]
    if wanted.handle is None or len(focused) != 1:
        return None
    return focused[0] if _same_view(wanted.handle.node, marked.node(focused[0])) else None


def _same_view(one: Node, other: Node) -> bool:
    return (one.class_name, one.resource_id) == (other.class_name, other.resource_id)


def _only_one(wanted: Wanted, marked: Snapshot) -> Place | None:
    """An id of another process acts only where its hash leaves no doubt."""
    found = [
        place
        for place in marked.hashed(wanted.value)
        if wanted.window in (None, marked.window(place).id)
    ]
    if len(found) > 1:
        raise ElementNotFound(
            f"Element {_quoted(wanted.name)} not found: {len(found)} elements have that id."
            f" {_AGAIN}"
        )
    return found[0] if found else None


def _container(marked: Snapshot, place: Place) -> tuple[Node | None, bool]:
    """What scrolls the element, and whether that or what is around it is a list."""
    nearest = container = marked.container(place)
    while container is not None:
        if marked.node(container).flags & _COLLECTION:
            break
        container = marked.container(container)
    return None if nearest is None else marked.node(nearest), container is not None


def _missing(name: str, gone: bool) -> ElementNotFound:
    why = "it is gone from the screen" if gone else "it has changed since it was listed"
    return ElementNotFound(f"Element {_quoted(name)} not found: {why}. {_AGAIN}")


def _unseen(name: str, screen: Screen) -> ElementNotFound:
    return ElementNotFound(
        f"Element {_quoted(name)} not found: {tidy(screen.unseen)}, so it may be there unseen."
        " Wait and call get_screen_state again, or leave the app with press_home."
    )


def _forgotten(name: str) -> ElementNotFound:
    return ElementNotFound(
        f"Element {_quoted(name)} not found: it was listed too long ago, or before the phone was"
        f" restarted. {_AGAIN}"
    )


def _quoted(name: str) -> str:
    return f"'{cut(tidy(name))}'"


def _same(one: Node, other: Node) -> bool:
    return looks_of(one) == looks_of(other)


def _same_anchor(one: Node | None, other: Node | None) -> bool:
    return one is other or (one is not None and other is not None and _same(one, other))


def _on_a_page(handle: IssuedRef, marked: Snapshot) -> list[Place]:
    """Where views have no keys: the only one that looks so, on a page that has begun or ceased to
    scroll, as when the keyboard comes and goes. What stands beside it is asked for where something
    scrolls, and tells the rows of a list apart; a page has none."""
    found = marked.alike(handle.node)
    if len(found) != 1 or handle.recycled or _container(marked, found[0])[1]:
        return []
    return found if (handle.anchor is None) != (marked.anchor(found[0]) is None) else []


def _is_bare(handle: IssuedRef) -> bool:
    node = handle.node
    text = None if node.flags & _EDITABLE else node.text
    return not (node.resource_id or node.description or text or handle.anchor)


def _looks(node: Node) -> NodeSignature:
    editable = node.flags & _EDITABLE != 0
    return NodeSignature(
        node.class_name,
        node.resource_id,
        node.description,
        None if editable else node.text,
        not editable,
    )


def _target(node: Node, anchor: Node | None) -> Target:
    if anchor is None:
        return Target(node.key, _looks(node), shown=node)
    return Target(node.key, _looks(node), anchor.key, _looks(anchor), node)


def _weight(node: Node) -> int:
    texts = (node.text, node.description, node.resource_id, node.class_name)
    return sum(len(text) for text in texts if text)
