"""Short refs of elements for models: `k4` for an element id.

A ref stays with its element across reads, scrolling and rotation, and is never used for another
one: it follows an element only if an id would, and numbers are not reused.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from ...screen.ids import element_id
from ...screen.model import Flag, Range
from ...screen.search import Place
from .ref_letters import RefLetters
from .snapshot import Snapshot, signature_of

MOST_REFS = 1_000
"""The maximum number of refs, as for ids; older ones are dropped."""
MOST_OF_LETTER = 999
MOST_ALIKE = 64
"""Among more equal elements, one that has moved is not found again."""

_EDITABLE = Flag.EDITABLE.value
_VALUE = re.compile(r"(.*?)(\d{1,9}(?:\.\d{1,6})?)([\s%]{0,2})", re.DOTALL)
"""The last number of a description, and a percent sign."""


class RefIdentity(NamedTuple):
    """The properties that identify an element across screens."""

    window: int
    signature: Hashable
    anchor: Hashable
    distinct: bool
    """Whether more than its class is known."""
    item: tuple[Hashable, tuple[int, int]] | None = None
    """Its list, and its row and column there, if Android reports them: rows may have the same
    words."""


@dataclass(slots=True)
class Ref:
    name: str
    hash: int
    """The hash in the element's id when it was last shown."""
    key: str
    identity: RefIdentity
    beside: Hashable
    """The words near it."""
    words: str
    """Its text without the ref, for messages."""
    scale: Hashable = None
    """The identity of a slider apart from its value, if its description contains the value."""

    @property
    def id(self) -> str:
        """The element's id when it was last shown."""
        return element_id(f"{self.hash:x}", self.identity.window)


@dataclass(slots=True)
class Refs:
    letters: RefLetters = field(default_factory=RefLetters)
    count: int = 0
    """The number of refs with the last letter."""
    _own: str = ""
    """The letters of this phone in this run, the last one at the end; after 999 refs comes another
    letter."""
    _refs: dict[str, Ref] = field(default_factory=dict[str, Ref])
    _by_hash: dict[int, Ref] = field(default_factory=dict[int, Ref])
    _by_key: dict[str, Ref] = field(default_factory=dict[str, Ref])
    _by_identity: dict[RefIdentity, dict[str, Ref]] = field(
        default_factory=dict[RefIdentity, dict[str, Ref]]
    )

    def get(self, name: str) -> Ref | None:
        return self._refs.get(name)

    def was_used(self, name: str) -> bool:
        """Whether a ref with this name was issued and has been dropped since."""
        letter, digits = name[:1], name[1:]
        if letter not in self._own or not digits.isdigit():
            return False
        return letter != self._own[-1] or int(digits) <= self.count

    def was_earlier(self, name: str) -> bool:
        """Whether it may have been issued before this run, or for another phone."""
        return name[:1] not in self._own and self.letters.was_taken_earlier(name[:1])

    def assign(self, snapshot: Snapshot, place: Place) -> Ref:
        """Return an element's existing ref, or a new one."""
        identity = _identity(snapshot, place)
        beside = snapshot.beside(place) if identity.anchor is None else None
        value, key = snapshot.hash(place), snapshot.node(place).key
        scale = _scale(snapshot, place)
        known = self._same_view(key, identity, scale)
        if known is None:
            known = self._replaced(snapshot, place, identity, beside)
        if known is None:
            known = self._new(identity)
        else:
            self._unlink(known)
        known.hash, known.key = value, key
        known.identity, known.beside, known.scale = identity, beside, scale
        self._by_hash[value] = known
        if key:
            self._by_key[key] = known
        self._by_identity.setdefault(identity, {})[known.name] = known
        # The least recently used ref is dropped first.
        self._refs[known.name] = self._refs.pop(known.name, known)
        if len(self._refs) > MOST_REFS:
            oldest = next(iter(self._refs.values()))
            self._drop(oldest)
        return known

    def is_double(self, ref: Ref, name: str) -> bool:
        """Whether another ref stands for a row that differs only by its position."""
        other = self._refs.get(name)
        if other is None or None in (ref.identity.item, other.identity.item):
            return False
        return other is not ref and other.identity[:-1] == ref.identity[:-1]

    def forget(self) -> None:
        """Invalidate all refs. New refs get another letter, so an old ref cannot be mistaken for a
        new one."""
        self.count = MOST_OF_LETTER
        self._refs.clear()
        self._by_hash.clear()
        self._by_key.clear()
        self._by_identity.clear()

    def _same_view(self, key: str, identity: RefIdentity, scale: Hashable) -> Ref | None:
        """Return the ref of the view itself, unless the view is used for another element now."""
        known = self._by_key.get(key) if key else None
        if known is None or known.identity.window != identity.window:
            return None
        if known.identity.signature != identity.signature and (
            scale is None or known.scale != scale
        ):
            return None
        if known.identity.item != identity.item:
            return None
        then, now = known.identity.anchor, identity.anchor
        # A view with a unique signature needs no anchor.
        return known if then == now or then is None or now is None else None

    def _replaced(
        self, snapshot: Snapshot, place: Place, identity: RefIdentity, beside: Hashable
    ) -> Ref | None:
        """Return the ref of an element whose view was replaced, or which has moved if views have no
        keys; None if that is uncertain."""
        refs = self._by_identity.get(identity)
        if refs is None:
            return None

        def is_gone(ref: Ref) -> bool:
            if identity.item is not None:
                # A list may show a returning row in any of its views.
                now = snapshot.keyed(ref.key)
                return now in (None, place) or _identity(snapshot, now) != identity
            told_apart = identity.anchor is not None or not ref.key or ref.beside == beside
            return told_apart and snapshot.keyed(ref.key) is None

        known = self._by_hash.get(snapshot.hash(place))
        if known is not None and known.identity == identity and is_gone(known):
            return known
        if not identity.distinct or len(refs) > MOST_ALIKE:
            return None
        gone = [ref for ref in refs.values() if is_gone(ref)]
        if len(gone) != 1:
            return None
        alike = [
            other
            for other in snapshot.alike(snapshot.node(place))
            if _identity(snapshot, other) == identity
        ]
        return gone[0] if alike == [place] else None

    def _new(self, identity: RefIdentity) -> Ref:
        if not self._own or self.count == MOST_OF_LETTER:
            self._begin_letter(self.letters.take())
        self.count += 1
        return Ref(f"{self._own[-1]}{self.count}", -1, "", identity, None, "")

    def _begin_letter(self, letter: str) -> None:
        # All letters have been used since this phone had this one.
        for ref in [ref for ref in self._refs.values() if ref.name[0] == letter]:
            self._drop(ref)
        self._own = self._own.replace(letter, "") + letter
        self.count = 0

    def _drop(self, ref: Ref) -> None:
        self._unlink(ref)
        del self._refs[ref.name]

    def _unlink(self, ref: Ref) -> None:
        if self._by_hash.get(ref.hash) is ref:
            del self._by_hash[ref.hash]
        if self._by_key.get(ref.key) is ref:
            del self._by_key[ref.key]
        others = self._by_identity[ref.identity]
        del others[ref.name]
        if not others:
            del self._by_identity[ref.identity]


def _identity(snapshot: Snapshot, place: Place) -> RefIdentity:
    number, position = place
    window = snapshot.screen.windows[number]
    node = window.nodes[position]
    # On a page only elements with an equal need an anchor: a page becomes scrollable, and its views
    # get anchors, when the keyboard opens.
    needed = snapshot.is_in_list(place) or not snapshot.is_unique(place)
    anchor = snapshot.anchor_signature(place) if needed else None
    has_words = bool(
        node.resource_id or node.description or (node.text and not node.flags & _EDITABLE)
    )
    return RefIdentity(
        window.id,
        snapshot.signature(place),
        anchor,
        has_words or anchor is not None,
        _item(snapshot, place) if window.items else None,
    )


def _scale(snapshot: Snapshot, place: Place) -> Hashable:
    """Return the identity of a slider apart from its value; None if its description does not end
    with the value, or in a list, which reuses its views for other rows."""
    details = snapshot.screen.windows[place[0]].details.get(place[1])
    node = snapshot.node(place)
    if details is None or details.range is None or snapshot.is_in_list(place):
        return None
    found = _VALUE.fullmatch(node.description or "")
    if found is None or not _is_value(float(found[2]), details.range):
        return None
    return node.class_name, node.resource_id, found[1], found[3], node.text


def _is_value(number: float, shown: Range) -> bool:
    span = shown.most - shown.least
    share = 100 * (shown.now - shown.least) / span if span > 0 else shown.now
    return number == shown.now or abs(number - share) <= 1


def _item(snapshot: Snapshot, place: Place) -> tuple[Hashable, tuple[int, int]] | None:
    item = snapshot.item(place)
    container = None if item is None else snapshot.container(place)
    if container is None or item is None:
        return None
    node = snapshot.node(container)
    return node.key or signature_of(node), item
