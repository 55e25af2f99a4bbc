"""Element identity: an id acts on the element it was issued for, or on nothing.

Code that shows ids to an agent calls `remember`. To act, the node is found by its key and compared
on the phone, in one call; if that fails, a fresh read is searched for the only node that matches.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from ...clock import SYSTEM_CLOCK, Clock
from ...driver import ElementDriver, Target, TargetMissing
from ...errors import ActionFailed, ElementNotFound
from ...screen.ids import Extend, Ids, IsFree, assign, parse_id
from ...screen.model import Flag, Node, Screen, Window
from ...screen.search import Place
from .anchor import Structure
from .extended_hashes import Extending
from .issued_refs import IssuedRef, IssuedRefs, IssuedScreen, Marked, content_of
from .missing import AGAIN, forgotten_element, missing_element, quoted, unseen_element
from .signature import is_same
from .snapshot import Snapshot
from .targets import is_bare, target_of

REUSE_SECONDS = 600.0
"""The time for which an issued hash is not reused for other content."""

_EDITABLE = Flag.EDITABLE.value

Done = TypeVar("Done")


@dataclass(slots=True)
class WantedElement:
    """An id from an agent, and its ref if this process issued it."""

    name: str
    value: int
    window: int | None
    ref: IssuedRef | None


def only_active(screen: Screen) -> Screen:
    """Return the screen reduced to its active window. Raises ActionFailed."""
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
        driver: ElementDriver,
        clock: Clock = SYSTEM_CLOCK,
        issued: IssuedRefs | None = None,
        active_only: bool = False,
        on_read: Callable[[Screen], None] | None = None,
    ) -> None:
        """`active_only`: only the active window is read, and its ids do not include the window.
        `on_read` is called with each screen whose nodes get ids."""
        self.driver = driver
        self._clock = clock
        self.issued = issued or IssuedRefs()
        self._active_only = active_only
        self._on_read = on_read

    def in_active_window(self) -> "Elements":
        """Return a view on the same issued refs that reads only the active window."""
        return Elements(self.driver, self._clock, self.issued, True, self._on_read)

    def through(self, driver: ElementDriver) -> "Elements":
        """Return a view on the same issued refs that uses another driver."""
        return Elements(driver, self._clock, self.issued, self._active_only, self._on_read)

    def watched(self, on_read: Callable[[Screen], None]) -> "Elements":
        return Elements(self.driver, self._clock, self.issued, self._active_only, on_read)

    def notice(self, screen: Screen) -> None:
        """Record that a reply is made from this screen."""
        if self._on_read is not None:
            self._on_read(screen)

    def mark(self, screen: Screen) -> Snapshot:
        """Give every node its id, without issuing any."""
        self.notice(screen)
        issued = self.issued
        structures = issued.structures(screen.windows)
        known, looked_up = issued.marked, (screen.windows, self._active_only, issued.changes)
        if known is not None and known.fits(*looked_up):
            # An agent often reads an unchanged screen again.
            ids = known.ids
        else:
            ids = self._assign(screen, structures)
            issued.marked = Marked(*looked_up, ids)
        return Snapshot(screen, ids, structures, self._active_only)

    def _assign(self, screen: Screen, structures: Sequence[Structure]) -> Ids:
        rows = [structure.anchors for structure in structures]
        refs, since = self.issued.refs, self._clock.now() - REUSE_SECONDS

        def stands_for(value: int, window: int, number: int) -> bool:
            ref = refs[value]
            if ref.issued_at <= since:
                return True
            shown = screen.windows[window]
            if ref.window != shown.id or not is_same(ref.node, shown.nodes[number]):
                return False
            anchor = rows[window][number]
            return _same_anchor(ref.anchor, None if anchor < 0 else shown.nodes[anchor])

        def begin() -> Extend:
            extending = Extending(self.issued.extended, since)

            def extend(plain: int, window: int, number: int, is_free: IsFree) -> int:
                shown, anchor = screen.windows[window], rows[window][number]
                looks = None if anchor < 0 else shown.nodes[anchor]
                content = content_of(shown.id, shown.nodes[number], looks)
                return extending.turn(plain, content, is_free)

            return extend

        return assign(screen, refs, stands_for, self._active_only, begin)

    def remember_screen(
        self, snapshot: Snapshot, used: Mapping[Place, Hashable] | None = None
    ) -> None:
        """Record that ids of a whole screen are issued: those in the screen's text, or those in
        `used`, with the words beside each. `used` must not change afterwards."""
        issued, ids = self.issued, snapshot.ids
        known, now = issued.screen, self._clock.now()
        if known is not None and known.fits(ids, used, issued.changes):
            for value, ref in known.refs:
                issued.renew(value, ref, now)
            return
        places = snapshot.listed if used is None else used
        self.remember(snapshot, places, used or {})
        values = [ids.hashes[window][number] for window, number in places]
        # A limit may have dropped some of them.
        found = [(value, ref) for value in values if (ref := issued.refs.get(value)) is not None]
        whole = len(found) == len(values)
        issued.screen = IssuedScreen(ids, used, issued.changes, found) if whole else None

    def remember(
        self,
        snapshot: Snapshot,
        places: Iterable[Place],
        beside: Mapping[Place, Hashable] = MappingProxyType({}),
    ) -> None:
        """Record that the ids at `places` are issued for their current content. An id with words
        in `beside` does not follow to an equal element beside other words."""
        now = self._clock.now()
        hashes, plain, turns = snapshot.ids
        for place in places:
            window, number = place
            value = hashes[window][number]
            turn = turns.get(value, 0) if turns else 0
            made_of = plain[window][number], turn
            self._issue(value, made_of, snapshot, place, now, beside.get(place))
        self.issued.trim(snapshot.screen)

    async def renew(self, name: str, key: str, window: Window | None) -> None:
        """Issue the id again after an action on the view with that key, for the view's current
        content, in `window` if that was read since. If the view is gone, the ref stays
        unchanged."""
        wanted = self.look_up(name)
        snapshot = await self.read() if window is None else _without_ids(window)
        place = snapshot.keyed(key) if key else _in_focus(wanted, snapshot)
        if place is not None:
            self._issue_again(wanted, snapshot, place)

    def _issue_again(self, wanted: WantedElement, snapshot: Snapshot, place: Place) -> None:
        ref, value = wanted.ref, wanted.value
        made_of = (value, 0) if ref is None else (ref.plain, ref.turn)
        self._issue(value, made_of, snapshot, place, self._clock.now())
        self.issued.trim(snapshot.screen)

    def _issue(
        self,
        value: int,
        made_of: tuple[int, int],
        snapshot: Snapshot,
        place: Place,
        now: float,
        beside: Hashable = None,
    ) -> None:
        """`made_of` are the hash without its turn, and the turn."""
        # Runs for each of many nodes: it avoids calls for list lookups.
        number, position = place
        window = snapshot.screen.windows[number]
        nodes = window.nodes
        structure = snapshot.structures[number]
        node, anchor = nodes[position], structure.anchors[position]
        looks = None if anchor < 0 else nodes[anchor]
        before = self.issued.refs.get(value)
        if (
            before is not None
            and before.node is node
            and before.anchor is looks
            and before.window == window.id
            and before.plain == made_of[0]
            and before.beside == beside
        ):
            # Most reads find most nodes unchanged.
            self.issued.renew(value, before, now)
            return
        container = structure.containers[position]
        weight = len(node.text or "") + len(node.description or "")
        weight += len(node.resource_id or "") + len(node.class_name or "")
        self.issued.add(
            value,
            IssuedRef(
                window.id,
                window.package or "",
                node,
                looks,
                None if container < 0 else nodes[container],
                structure.listed[position],
                snapshot.item(place) if window.items else None,
                now,
                weight,
                *made_of,
                beside,
            ),
        )

    def forget(self) -> None:
        """Forget keys and window numbers, which a reboot of the phone made invalid."""
        for value in list(self.issued.refs):
            self.issued.forget(value)
        self.issued.orders.clear()

    async def read(self) -> Snapshot:
        screen = await self.driver.read_screen()
        return self.mark(only_active(screen) if self._active_only else screen)

    async def act(self, name: str, action: str) -> None:
        """Perform `action` on the element that `name` was issued for. Raises ElementNotFound."""
        await self.on(name, lambda target: self.driver.act(target, action))

    async def on(self, name: str, operation: Callable[[Target], Awaitable[Done]]) -> Done:
        """Run `operation` on the element that `name` was issued for; it verifies and acts in one
        call, and raises TargetMissing if it did nothing. Raises ElementNotFound."""
        wanted = self.look_up(name)
        ref = wanted.ref
        gone: bool | None = None
        if ref is not None and ref.node.key:
            try:
                return await operation(target_of(ref.node, ref.anchor))
            except TargetMissing as missing:
                gone = missing.gone
        snapshot = await self.read()
        place = self.follow(wanted, snapshot, gone)
        try:
            done = await operation(target_of(snapshot.node(place), snapshot.anchor(place)))
        except TargetMissing as missing:
            raise missing_element(name, missing.gone) from None
        self.seen(wanted, snapshot, place)
        return done

    async def act_at(
        self, snapshot: Snapshot, place: Place, action: str, within: Place | None = None
    ) -> None:
        """Perform `action` on an element of a fresh read; `within` is an element in it that must be
        unchanged too. Raises TargetMissing."""
        anchor = snapshot.anchor(place)
        if anchor is None and within not in (None, place):
            anchor = snapshot.node(within)
        await self.driver.act(target_of(snapshot.node(place), anchor), action)

    async def resolve(self, name: str) -> tuple[Snapshot, Place]:
        """Return where the element is now, by a fresh read. Raises ElementNotFound."""
        wanted = self.look_up(name)
        snapshot = await self.read()
        return snapshot, self.follow(wanted, snapshot)

    def look_up(self, name: str) -> WantedElement:
        """Raises ElementNotFound for a malformed id, or one that is no longer valid."""
        parsed = parse_id(name)
        if parsed is None:
            raise ElementNotFound(
                f"Element {quoted(name)} not found: ids look like node_1a2b3c_w42. {AGAIN}"
            )
        value, window = parsed
        ref = self.issued.refs.get(value)
        if ref is not None and window in (None, ref.window):
            return WantedElement(name, value, window, ref)
        if value in self.issued.forgotten:
            raise forgotten_element(name)
        return WantedElement(name, value, window, None)

    def seen(self, wanted: WantedElement, snapshot: Snapshot, place: Place) -> None:
        """Record the element's place: later lookups try it first."""
        ref = wanted.ref
        if ref is not None:
            ref.node, ref.anchor = snapshot.node(place), snapshot.anchor(place)
            ref.container, ref.recycled = _container(snapshot, place)
            ref.item, ref.search = snapshot.item(place), None
            self.issued.changes += 1

    def follow(self, wanted: WantedElement, snapshot: Snapshot, gone: bool | None = None) -> Place:
        """Return the place that the id may act on. `gone` is what the phone reported."""
        place = self.place_of(wanted, snapshot)
        if place is not None:
            return place
        ref = wanted.ref
        if ref is None:
            if snapshot.screen.unseen:
                raise unseen_element(wanted.name, snapshot.screen)
            raise ElementNotFound(
                f"Element {quoted(wanted.name)} not found in accessibility tree. {AGAIN}"
            )
        changed = (
            gone is False
            or snapshot.keyed(ref.node.key) is not None
            or any(
                snapshot.plain_hash(place) == wanted.value
                for place in snapshot.hashed(wanted.value)
            )
        )
        if not changed and snapshot.screen.unseen:
            raise unseen_element(wanted.name, snapshot.screen)
        raise missing_element(wanted.name, not changed)

    def place_of(self, wanted: WantedElement, snapshot: Snapshot) -> Place | None:
        """Return the element's place; None if nothing matches. Raises ElementNotFound if several
        elements match, or if the read found that the phone was rebooted."""
        ref, name = wanted.ref, wanted.name
        if ref is not None and wanted.value not in self.issued.refs:
            raise forgotten_element(name)
        if ref is None:
            return _unambiguous(wanted, snapshot)
        alike: list[Place] = []
        for place in snapshot.alike(ref.node):
            if _same_anchor(ref.anchor, snapshot.anchor(place)):
                if ref.node.key and snapshot.node(place).key == ref.node.key:
                    return place
                alike.append(place)
        if not alike and not ref.node.key:
            alike = _on_a_page(ref, snapshot)
        if ref.beside is not None and ref.anchor is None:
            alike = [place for place in alike if _is_beside(wanted, ref, snapshot, place)]
        if is_bare(ref.node, ref.anchor):
            # Only its class is known. Another view of that class does not count; if views have
            # no keys, only an unchanged position identifies it.
            alike = [
                place
                for place in alike
                if not ref.node.key and snapshot.hash(place) == wanted.value
            ]
        if len(alike) > 1:
            unmoved = [place for place in alike if snapshot.hash(place) == wanted.value]
            if len(unmoved) != 1:
                raise ElementNotFound(
                    f"Element {quoted(name)} not found: {len(alike)} elements look the same,"
                    f" and none of them is where it was listed. {AGAIN}"
                )
            alike = unmoved
        return alike[0] if alike else None

    def live(self, wanted: WantedElement, snapshot: Snapshot) -> Node:
        """Return the element, even if its content has changed since it was listed, and issue the
        id for its current content.

        Not for rows of a list, which reuses its views for other rows. Raises ElementNotFound.
        """
        place = self.place_of(wanted, snapshot)
        if place is None and wanted.ref is not None:
            then = wanted.ref.node
            now = None if wanted.ref.recycled else snapshot.keyed(then.key)
            if now is not None and _same_view(then, snapshot.node(now)):
                place = now
        if place is None:
            place = self.follow(wanted, snapshot)
        self._issue_again(wanted, snapshot, place)
        return snapshot.node(place)


def _without_ids(window: Window) -> Snapshot:
    """A snapshot to look up places in; it has no ids to issue."""
    return Snapshot(Screen(0, 0, 0, 0, [window]), Ids([], [], {}), [Structure(window)])


def _in_focus(wanted: WantedElement, snapshot: Snapshot) -> Place | None:
    """If views have no keys: return the focused field, if it matches the one that was named."""
    field = Flag.FOCUSED | Flag.EDITABLE
    focused = [place for place in snapshot.places() if snapshot.node(place).flags & field == field]
    if wanted.ref is None or len(focused) != 1:
        return None
    return focused[0] if _same_view(wanted.ref.node, snapshot.node(focused[0])) else None


def _same_view(then: Node, now: Node) -> bool:
    return (then.class_name, then.resource_id) == (now.class_name, now.resource_id)


def _unambiguous(wanted: WantedElement, snapshot: Snapshot) -> Place | None:
    """An id of another process is accepted only if its hash is unambiguous."""
    found = [
        place
        for place in snapshot.hashed(wanted.value)
        if wanted.window in (None, snapshot.window(place).id)
    ]
    if len(found) > 1:
        raise ElementNotFound(
            f"Element {quoted(wanted.name)} not found: {len(found)} elements have that id. {AGAIN}"
        )
    return found[0] if found else None


def _is_beside(wanted: WantedElement, ref: IssuedRef, snapshot: Snapshot, place: Place) -> bool:
    """Whether the words near it are the same; if views have no keys, it may be just where it
    was."""
    unmoved = snapshot.hash(place) == wanted.value and snapshot.window(place).id == ref.window
    return snapshot.beside(place) == ref.beside or (unmoved and not ref.node.key)


def _container(snapshot: Snapshot, place: Place) -> tuple[Node | None, bool]:
    """Return what scrolls the element, and whether that or an ancestor of it is a list."""
    nearest = snapshot.container(place)
    return None if nearest is None else snapshot.node(nearest), snapshot.is_in_list(place)


def _same_anchor(then: Node | None, now: Node | None) -> bool:
    return then is now or (then is not None and now is not None and is_same(then, now))


def _on_a_page(ref: IssuedRef, snapshot: Snapshot) -> list[Place]:
    """If views have no keys: the only node with this signature, on a page that has become
    scrollable or stopped being so, as when the keyboard opens or closes. Anchors exist only where
    something scrolls, and distinguish the rows of a list; a page has no rows."""
    found = snapshot.alike(ref.node)
    if len(found) != 1 or ref.recycled or _container(snapshot, found[0])[1]:
        return []
    return found if (ref.anchor is None) != (snapshot.anchor(found[0]) is None) else []
