"""Short refs for elements, as models use them: `k4` for an element id.

A ref stays with its element over reads, scrolling and rotation, and is never used for another one:
it follows an element only where an id would, and numbers are not used again.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..ui.model import Flag
from ..ui.search import Place
from .ref_letters import RefLetters
from .snapshot import Snapshot, signature_of

MOST_REFS = 4_000
"""Kept; older ones are gone."""
MOST_OF_LETTER = 999

_EDITABLE = Flag.EDITABLE.value


class Identity(NamedTuple):
    """What makes an element the same one on two screens."""

    window: int
    signature: Hashable
    anchor: Hashable
    distinct: bool
    """More than its class is known."""
    item: tuple[Hashable, tuple[int, int]] | None = None
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
    letters: RefLetters = field(default_factory=RefLetters)
    count: int = 0
    """Of the last letter."""
    _own: str = ""
    """The letters of this phone in this start, the last one at the end; another one when 999 refs
    are used."""
    _refs: dict[str, Ref] = field(default_factory=dict[str, Ref])
    _by_hash: dict[int, Ref] = field(default_factory=dict[int, Ref])
    _by_identity: dict[Identity, dict[str, Ref]] = field(
        default_factory=dict[Identity, dict[str, Ref]]
    )
    """By name."""
    _by_key: dict[tuple[Identity, str], Ref] = field(
        default_factory=dict[tuple[Identity, str], Ref]
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
        """Whether it may have been issued before this start, or for another phone."""
        return name[:1] not in self._own and self.letters.was_taken_earlier(name[:1])

    def assign(self, snapshot: Snapshot, place: Place) -> Ref:
        """Return the ref of an element: the one that it has, or a new one."""
        identity = _identity(snapshot, place)
        value, node = snapshot.hash(place), snapshot.node(place)
        known = self._by_hash.get(value)
        if known is None or known.identity != identity:
            known = self._moved(snapshot, place, identity, node.key)
        if known is None:
            known = self._new(identity)
        if known.hash != value or known.key != node.key:
            self._unplace(known)
            known.id, known.hash, known.key = snapshot.id(place), value, node.key
            if node.key:
                self._by_key[identity, node.key] = known
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
        self._by_key.clear()

    def _moved(self, snapshot: Snapshot, place: Place, identity: Identity, key: str) -> Ref | None:
        """Return the ref of an element that was elsewhere before; None if that is not certain."""
        if key:
            same = self._by_key.get((identity, key))
            # A list shows a row that comes back in any of its views.
            if same is not None or identity.item is None:
                return same
        refs = self._by_identity.get(identity, {})
        if len(refs) != 1 or not identity.distinct:
            return None
        alike = [
            other
            for other in snapshot.alike(snapshot.node(place))
            if _identity(snapshot, other) == identity
        ]
        return next(iter(refs.values())) if alike == [place] else None

    def _new(self, identity: Identity) -> Ref:
        if not self._own or self.count == MOST_OF_LETTER:
            self._begin_letter(self.letters.take())
        self.count += 1
        ref = Ref(f"{self._own[-1]}{self.count}", "", -1, "", identity, "")
        self._by_identity.setdefault(identity, {})[ref.name] = ref
        return ref

    def _begin_letter(self, letter: str) -> None:
        # All letters have been used since it was this phone's.
        for ref in [ref for ref in self._refs.values() if ref.name[0] == letter]:
            self._drop(ref)
        self._own = self._own.replace(letter, "") + letter
        self.count = 0

    def _drop(self, ref: Ref) -> None:
        del self._refs[ref.name]
        self._unplace(ref)
        others = self._by_identity[ref.identity]
        del others[ref.name]
        if not others:
            del self._by_identity[ref.identity]

    def _unplace(self, ref: Ref) -> None:
        """The element is not known any more to be where it was."""
        if self._by_hash.get(ref.hash) is ref:
            del self._by_hash[ref.hash]
        if self._by_key.get((ref.identity, ref.key)) is ref:
            del self._by_key[ref.identity, ref.key]


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


def _item(snapshot: Snapshot, place: Place) -> tuple[Hashable, tuple[int, int]] | None:
    container, item = snapshot.container(place), snapshot.item(place)
    if container is None or item is None:
        return None
    node = snapshot.node(container)
    return node.key or signature_of(node), item
