"""A screen whose nodes have ids, and the ways to find a node in it again."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..ui.ids import Ids, element_id
from ..ui.model import Flag, Node, Screen, Window
from ..ui.search import Place
from .anchor import containers

_EDITABLE = Flag.EDITABLE.value


@dataclass
class Snapshot:
    screen: Screen
    ids: Ids
    anchors: list[list[int]]
    alone: bool = False
    """One window alone is told of: ids do not name it."""

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

    def container(self, place: Place) -> Place | None:
        """The nearest ancestor that scrolls."""
        number = self._containers[place[0]][place[1]]
        return None if number < 0 else (place[0], number)

    def enclosing(self, place: Place, flag: Flag) -> Place | None:
        """The nearest ancestor that has the flag."""
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
        """What the node's id says."""
        return self.ids.hashes[place[0]][place[1]]

    def plain_hash(self, place: Place) -> int:
        """What it would say if no other node had the same."""
        return self.ids.plain[place[0]][place[1]]

    def id(self, place: Place) -> str:
        window = None if self.alone else self.window(place).id
        return element_id(self.labels[place[0]][place[1]], window)

    def places(self) -> Iterable[Place]:
        for number, window in enumerate(self.screen.windows):
            for node in range(len(window.nodes)):
                yield number, node

    def alike(self, node: Node) -> list[Place]:
        """Where nodes are that look like this one."""
        return self._by_looks.get(looks_of(node), [])

    def hashed(self, value: int) -> list[Place]:
        """Where nodes are whose hash is this one, or would be if no other had it."""
        return self._by_hash.get(value, [])

    def keyed(self, key: str) -> Place | None:
        """Where the view with that key is; None also for the empty key."""
        return self._by_key.get(key) if key else None

    @cached_property
    def _containers(self) -> list[list[int]]:
        return [containers(window) for window in self.screen.windows]

    @cached_property
    def _by_looks(self) -> dict[Hashable, list[Place]]:
        found: dict[Hashable, list[Place]] = {}
        for place in self.places():
            found.setdefault(looks_of(self.node(place)), []).append(place)
        return found

    @cached_property
    def _by_hash(self) -> dict[int, list[Place]]:
        found: dict[int, list[Place]] = {}
        for place in self.places():
            for value in {self.hash(place), self.plain_hash(place)}:
                found.setdefault(value, []).append(place)
        return found

    @cached_property
    def _by_key(self) -> dict[str, Place]:
        return {self.node(place).key: place for place in self.places()}


def looks_of(node: Node) -> Hashable:
    """What a node is known by. The text of a field is what was typed, not what the field is."""
    editable = node.flags & _EDITABLE
    text = None if editable else node.text
    return node.class_name, node.resource_id, node.description, editable, text
