"""The refs of issued element ids: the meaning of each id."""

from array import array
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import NamedTuple

from ...screen.ids import Ids
from ...screen.model import Node, Screen, Window
from ...screen.search import Place
from .anchor import Structure
from .extended_hashes import ExtendedHashes
from .list_search import ListSearch
from .signature import signature_of

REFS_LIMIT = 1_000
"""The minimum of the limit, which is the number of the last screen's nodes if that is larger."""
WEIGHT_LIMIT = 16_000_000
"""The maximum length of the texts of all refs together: screens may contain long texts."""
FORGOTTEN_LIMIT = 10_000
"""The maximum number of ids whose ref was dropped: they are known as issued, but no longer act."""
ORDERS_LIMIT = 50


@dataclass(slots=True)
class IssuedRef:
    """The meaning of an id when it was last issued."""

    window: int
    package: str
    """The window's package."""
    node: Node
    anchor: Node | None
    container: Node | None
    """The container that scrolled it when it was last seen."""
    recycled: bool
    """Whether it is in a list, which reuses its views for other rows."""
    item: tuple[int, int] | None
    """Row and column of the list item that it is in, if the list reports them."""
    issued_at: float
    weight: int
    plain: int
    """The hash without its turn."""
    turn: int
    """The turn that extends the hash; 0 for none."""
    beside: Hashable = None
    """The words near it, if it must be distinguished from an equal element elsewhere."""
    search: ListSearch | None = None
    """The state of the search for it in its list."""


def content_of(window: int, node: Node, anchor: Node | None) -> Hashable:
    """Return the content that a hash is issued for."""
    return window, signature_of(node), None if anchor is None else signature_of(anchor)


class ForgottenHashes:
    """The hashes that were dropped last. An array, in which a search takes a fifth of a
    millisecond: it is searched only for otherwise unknown hashes, and a set would take 15 times
    the memory."""

    def __init__(self) -> None:
        self._hashes = array("I")
        self._oldest = 0

    def __contains__(self, value: int) -> bool:
        return value in self._hashes

    def add(self, value: int) -> None:
        if len(self._hashes) < FORGOTTEN_LIMIT:
            self._hashes.append(value)
        else:
            self._hashes[self._oldest] = value
            self._oldest = (self._oldest + 1) % FORGOTTEN_LIMIT


class Marked(NamedTuple):
    """The windows that were read last, and the ids of their nodes."""

    windows: Sequence[Window]
    active_only: bool
    changes: int
    """The number of changes that `IssuedRefs` had seen by then."""
    ids: Ids

    def fits(self, windows: Sequence[Window], active_only: bool, changes: int) -> bool:
        """Whether a new read would give the same nodes the same ids."""
        return (
            (self.active_only, self.changes) == (active_only, changes)
            and len(self.windows) == len(windows)
            and all(map(is_, self.windows, windows))
        )


class IssuedScreen(NamedTuple):
    """The refs of the screen that was issued last."""

    ids: Ids
    used: Mapping[Place, Hashable] | None
    changes: int
    refs: Sequence[tuple[int, IssuedRef]]

    def fits(self, ids: Ids, used: Mapping[Place, Hashable] | None, changes: int) -> bool:
        """Whether the hashes still stand for the content to be issued."""
        return self.ids is ids and self.used is used and self.changes == changes


@dataclass(slots=True)
class IssuedRefs:
    """The refs by hash. They outlive a connection: an id issued before the phone was unplugged must
    not be mistaken for one that was never issued."""

    refs: dict[int, IssuedRef] = field(default_factory=dict[int, IssuedRef])
    """In the order of issue."""
    forgotten: ForgottenHashes = field(default_factory=ForgottenHashes)
    """Some of them may have been issued again."""
    extended: ExtendedHashes = field(default_factory=ExtendedHashes)
    """The extended hashes of the refs with a turn."""
    weight: int = 0
    orders: deque[tuple[Hashable, dict[int, int]]] = field(
        default_factory=lambda: deque[tuple[Hashable, dict[int, int]]](maxlen=ORDERS_LIMIT)
    )
    """The rows of lists before and after scrolling, see `row_order`."""
    read: list[tuple[Window, Structure]] = field(default_factory=list[tuple[Window, Structure]])
    """The windows that were read last."""
    changes: int = 0
    """The number of times that a hash gained or lost its meaning."""
    marked: Marked | None = None
    screen: IssuedScreen | None = None

    def structures(self, windows: Sequence[Window]) -> list[Structure]:
        """Return the structures of windows just read. An unchanged screen shares the windows of the
        last read, and so their structures."""
        known = {id(window): structure for window, structure in self.read}
        self.read = [(window, known.get(id(window)) or Structure(window)) for window in windows]
        return [structure for _, structure in self.read]

    def add(self, value: int, ref: IssuedRef) -> None:
        self.changes += 1
        refs = self.refs
        before = refs.pop(value, None)
        if before is not None:
            self.weight -= before.weight
        refs[value] = ref
        self.weight += ref.weight
        if ref.turn:
            content = content_of(ref.window, ref.node, ref.anchor)
            self.extended.add(ref.plain, ref.turn, content, ref.issued_at)

    def trim(self, screen: Screen) -> None:
        """Forget the oldest refs over the limits, after some of this screen were issued."""
        limit = max(REFS_LIMIT, sum(len(window.nodes) for window in screen.windows))
        while len(self.refs) > limit or self.weight > WEIGHT_LIMIT:
            self.forget(next(iter(self.refs)))

    def renew(self, value: int, ref: IssuedRef, now: float) -> None:
        """Issue a hash again for its present meaning."""
        self.refs[value] = self.refs.pop(value)
        ref.issued_at, ref.search = now, None
        if ref.turn:
            content = content_of(ref.window, ref.node, ref.anchor)
            self.extended.add(ref.plain, ref.turn, content, now)

    def drop(self, value: int) -> None:
        self.changes += 1
        ref = self.refs.pop(value, None)
        if ref is not None:
            self.weight -= ref.weight
            if ref.turn:
                self.extended.drop(ref.plain, ref.turn)

    def forget(self, value: int) -> None:
        self.drop(value)
        self.forgotten.add(value)
