"""Short refs for elements, as models use them: `k4` for an element id.

A ref stays with its element over reads, scrolling and rotation, and is never used for another one:
it follows an element only where an id would, and numbers are not used again.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..ui.model import Flag
from ..ui.search import Place
from .snapshot import Snapshot, signature_of

LETTERS = "abcdefghjkmnqrtuvwxyz"
"""i, l and o look like digits; p and s begin the ids of pictures and screens."""
MOST_REFS = 4_000
"""Kept; older ones are gone."""


_EDITABLE = Flag.EDITABLE.value


class Identity(NamedTuple):
    """What makes an element the same one on two screens."""

    window: int
    signature: Hashable
    anchor: Hashable
    distinct: bool
    """More than its class is known."""
    item: Hashable = None
    """The list that it is in, and its row and column there, where Android says so: rows may have
    the same words."""


@dataclass(slots=True)
class Ref:
    name: str
    id: str
    """The element's id when it was last shown."""
    hash: int
    key: str
    identity: Identity
    words: str
    """How it was shown, without the ref: for messages."""


@dataclass(slots=True)
class Refs:
    letter: str = "a"
    """Of the refs of this start; the next one when 999 are used."""
    count: int = 0
    _refs: dict[str, Ref] = field(default_factory=dict[str, Ref])
    _by_hash: dict[int, Ref] = field(default_factory=dict[int, Ref])
    _by_identity: dict[Identity, list[Ref]] = field(default_factory=dict[Identity, list[Ref]])

    def get(self, name: str) -> Ref | None:
        return self._refs.get(name)

    def was_used(self, name: str) -> bool:
        """Whether a ref with this name was issued and has been dropped since."""
        return name[:1] == self.letter and name[1:].isdigit() and int(name[1:]) <= self.count

    def assign(self, snapshot: Snapshot, place: Place) -> Ref:
        """Return the ref of an element: the one that it has, or a new one."""
        identity = _identity(snapshot, place)
        value, node = snapshot.hash(place), snapshot.node(place)
        known = self._by_hash.get(value)
        if known is None or known.identity != identity:
            known = self._moved(snapshot, place, identity, node.key)
        if known is None:
            known = self._new(identity)
        elif self._by_hash.get(known.hash) is known:
            del self._by_hash[known.hash]
        known.id, known.hash, known.key = snapshot.id(place), value, node.key
        self._by_hash[value] = known
        # Last used, last dropped.
        self._refs[known.name] = self._refs.pop(known.name, known)
        if len(self._refs) > MOST_REFS:
            self._drop(next(iter(self._refs.values())))
        return known

    def is_double(self, ref: Ref, name: str) -> bool:
        """Whether another ref stands for a row that differs by its position alone."""
        other = self._refs.get(name)
        if other is None or None in (ref.identity.item, other.identity.item):
            return False
        return other is not ref and other.identity[:-1] == ref.identity[:-1]

    def forget(self) -> None:
        """The phone was rebooted: nothing that was shown exists any more."""
        self._refs.clear()
        self._by_hash.clear()
        self._by_identity.clear()

    def _moved(self, snapshot: Snapshot, place: Place, identity: Identity, key: str) -> Ref | None:
        """Return the ref of an element that was elsewhere before; None if that is not certain."""
        refs = self._by_identity.get(identity, [])
        if key:
            same = next((ref for ref in refs if ref.key == key), None)
            # A list shows a row that comes back in any of its views.
            if same is not None or identity.item is None:
                return same
        if len(refs) != 1 or not identity.distinct:
            return None
        alike = [
            other
            for other in snapshot.alike(snapshot.node(place))
            if _identity(snapshot, other) == identity
        ]
        return refs[0] if alike == [place] else None

    def _new(self, identity: Identity) -> Ref:
        if self.count == 999:
            self.letter = next_letter(self.letter)
            self.count = 0
        self.count += 1
        ref = Ref(f"{self.letter}{self.count}", "", -1, "", identity, "")
        self._by_identity.setdefault(identity, []).append(ref)
        return ref

    def _drop(self, ref: Ref) -> None:
        del self._refs[ref.name]
        if self._by_hash.get(ref.hash) is ref:
            del self._by_hash[ref.hash]
        others = self._by_identity[ref.identity]
        others.remove(ref)
        if not others:
            del self._by_identity[ref.identity]


def next_letter(letter: str) -> str:
    return LETTERS[(LETTERS.find(letter) + 1) % len(LETTERS)]


def _identity(snapshot: Snapshot, place: Place) -> Identity:
    node = snapshot.node(place)
    # Only lists use their views for other rows. A page becomes scrollable when the keyboard opens.
    anchor = snapshot.anchor(place) if snapshot.is_in_list(place) else None
    has_words = bool(
        node.resource_id or node.description or (node.text and not node.flags & _EDITABLE)
    )
    return Identity(
        snapshot.window(place).id,
        signature_of(node),
        None if anchor is None else signature_of(anchor),
        has_words or anchor is not None,
        _item(snapshot, place),
    )


def _item(snapshot: Snapshot, place: Place) -> Hashable:
    container, item = snapshot.container(place), snapshot.item(place)
    if container is None or item is None:
        return None
    node = snapshot.node(container)
    return node.key or signature_of(node), item
