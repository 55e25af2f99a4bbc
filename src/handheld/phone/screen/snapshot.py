"""A screen whose nodes have ids, and lookups to find a node again."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from ...screen.ids import Ids, element_id
from ...screen.model import Flag, Node, Screen, Window
from ...screen.search import Place
from ...screen.shift import below
from ...screen.text import is_kept, join_tables, window_table
from .anchor import Structure
from .signature import signature_of as signature_of


@dataclass
class Snapshot:
    screen: Screen
    ids: Ids
    structures: list[Structure]
    """For each window, like the ids."""
    active_only: bool = False
    """Whether only the active window is listed: then ids do not include the window."""

    @cached_property
    def labels(self) -> list[list[str]]:
        return self.ids.labels

    @property
    def text(self) -> str:
        """The screen as text."""
        return self.write()

    def write(self, *, folded: bool = False) -> str:
        """Return the screen as text, with the text of web pages `folded`. The texts of unchanged
        windows with the same ids are reused."""
        tables: list[str] = []
        for number, structure in enumerate(self.structures):
            hashes, window = self.ids.hashes[number], self.screen.windows[number]
            folds = folded and bool(window.web)
            known = structure.table
            if known is None or known[0] is not hashes or known[1] is not folds:
                text = window_table(window, self.labels[number], folded=folds)
                known = structure.table = hashes, folds, text
            tables.append(known[2])
        return join_tables(self.screen, tables)

    @property
    def listed(self) -> list[Place]:
        """The places of the nodes that the text lists."""
        return [
            (number, position)
            for number, window in enumerate(self.screen.windows)
            for position, node in enumerate(window.nodes)
            if is_kept(node)
        ]

    def node(self, place: Place) -> Node:
        return self.screen.windows[place[0]].nodes[place[1]]

    def window(self, place: Place) -> Window:
        return self.screen.windows[place[0]]

    def anchor(self, place: Place) -> Node | None:
        number = self.structures[place[0]].anchors[place[1]]
        return None if number < 0 else self.screen.windows[place[0]].nodes[number]

    def beside(self, place: Place) -> Hashable:
        """Return the words near a node, which distinguish it if its view is replaced."""
        return self.structures[place[0]].outline.beside(place[1])

    def container(self, place: Place) -> Place | None:
        """Return the nearest ancestor that scrolls."""
        number = self.structures[place[0]].containers[place[1]]
        return None if number < 0 else (place[0], number)

    def item(self, place: Place) -> tuple[int, int] | None:
        """Return the row and column of the node's list item."""
        window, number = place
        return self.structures[window].items[number] if self.screen.windows[window].items else None

    def inside(self, place: Place) -> Iterable[Place]:
        """Yield the places of the nodes below."""
        window, number = place
        for offset in range(len(below(self.screen.windows[window].nodes, number))):
            yield window, number + 1 + offset

    def is_in_list(self, place: Place) -> bool:
        """Whether the node is in a list, which reuses its views for other rows. A short list does
        not scroll."""
        return self.structures[place[0]].listed[place[1]]

    def enclosing(self, place: Place, flag: Flag) -> Place | None:
        """Return the nearest ancestor with the flag."""
        window, number = place
        nodes = self.screen.windows[window].nodes
        depth, wanted = nodes[number].depth, flag.value
        while number and depth:
            number -= 1
            node = nodes[number]
            if node.depth < depth:
                depth = node.depth
                if node.flags & wanted:
                    return window, number
        return None

    def hash(self, place: Place) -> int:
        """Return the hash in the node's id."""
        return self.ids.hashes[place[0]][place[1]]

    def plain_hash(self, place: Place) -> int:
        """Return the hash before any collision was resolved."""
        return self.ids.plain[place[0]][place[1]]

    def id(self, place: Place) -> str:
        window = None if self.active_only else self.window(place).id
        return element_id(f"{self.hash(place):x}", window)

    def places(self) -> Iterable[Place]:
        for number, window in enumerate(self.screen.windows):
            for node in range(len(window.nodes)):
                yield number, node

    def signature(self, place: Place) -> Hashable:
        return self._signatures[place[0]][place[1]]

    def anchor_signature(self, place: Place) -> Hashable:
        """Return the signature of the node's anchor; None without one."""
        number = self.structures[place[0]].anchors[place[1]]
        return None if number < 0 else self._signatures[place[0]][number]

    def is_unique(self, place: Place) -> bool:
        """Whether no other node has its signature."""
        return self._counts[self._signatures[place[0]][place[1]]] == 1

    def alike(self, node: Node) -> list[Place]:
        """Return the places of nodes with the signature of `node`."""
        return self._by_signature.get(signature_of(node), [])

    def hashed(self, value: int) -> list[Place]:
        """Return the places of nodes with this hash, before or after collisions were resolved."""
        return self._by_hash.get(value, [])

    def again(self, then: Node) -> list[Place]:
        """Return the possible places of an earlier read's view: by its key, or else all nodes with
        its signature."""
        now = self.keyed(then.key)
        return self.alike(then) if now is None else [now]

    def keyed(self, key: str) -> Place | None:
        """Return the place of the view with that key; None also for the empty key."""
        return self._by_key.get(key) if key else None

    @cached_property
    def _by_signature(self) -> dict[Hashable, list[Place]]:
        found: dict[Hashable, list[Place]] = {}
        for number, signatures in enumerate(self._signatures):
            for position, signature in enumerate(signatures):
                found.setdefault(signature, []).append((number, position))
        return found

    @cached_property
    def _counts(self) -> Counter[Hashable]:
        """The number of nodes with each signature: `_by_signature` is rarely needed."""
        return Counter(chain.from_iterable(self._signatures))

    @cached_property
    def _signatures(self) -> list[list[Hashable]]:
        return [list(map(signature_of, window.nodes)) for window in self.screen.windows]

    @cached_property
    def _by_hash(self) -> dict[int, list[Place]]:
        found: dict[int, list[Place]] = {}
        for place in self.places():
            for value in {self.hash(place), self.plain_hash(place)}:
                found.setdefault(value, []).append(place)
        return found

    @cached_property
    def _by_key(self) -> dict[str, Place]:
        return {
            node.key: (number, position)
            for number, window in enumerate(self.screen.windows)
            for position, node in enumerate(window.nodes)
        }
