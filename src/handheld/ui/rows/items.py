"""The things on a screen that are printed: targets with their words and state, and plain texts."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from ..model import Bounds, Flag, Node
from .covers import Covers
from .tree import ADAPTER_VIEWS, WEB, Tree, around, short_class
from .words import clean, fold, holds, short_id

_CLICKS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE)
_EDITABLE = Flag.EDITABLE.value
_CHECKABLE = Flag.CHECKABLE.value
_CHECKED = Flag.CHECKED.value
_SCROLLABLE = Flag.SCROLLABLE.value
_ENABLED = Flag.ENABLED.value
_HINT = Flag.SHOWING_HINT.value
_PASSWORD = Flag.PASSWORD.value
_SELECTED = Flag.SELECTED.value
_FOCUSED = Flag.FOCUSED.value

MOST_TEXTS = 8
"""A target with more texts than this is a container: its texts are targets of their own."""
TALL_TEXTS = 4
TALL = 0.45
"""The same for a target higher than this share of the screen, with more than `TALL_TEXTS`."""
MOST_PARTS = 40
MOST_NESTED = 8
"""Scrollers inside one another; the content of deeper ones belongs to the last of these."""
MOST_AROUND = 64
"""Things around a text whose words it may repeat, the nearest first."""

_KINDS = (
    (("Switch", "SwitchCompat", "SwitchMaterial", "ToggleButton"), "switch"),
    (("CheckBox", "CheckedTextView"), "check"),
    (("RadioButton",), "radio"),
    (("SeekBar", "RatingBar", "Slider"), "slider"),
    (("Spinner",), "menu"),
    (("Tab", "TabView"), "tab"),
)
_BUTTONS = ("Button", "ImageButton", "SeekBar", "Spinner")


@dataclass(slots=True)
class Item:
    number: int
    """The position of the node that is acted on."""
    bounds: Bounds
    """Where it is printed: what can be seen of it, or of its words if it holds other targets."""
    target: bool
    kind: str = ""
    pieces: list[str] = field(default_factory=list[str])
    """Its words, each a text of its own, in reading order; cleaned."""
    fallback: str = ""
    """Printed instead of words if there are none: `#id`."""
    states: list[str] = field(default_factory=list[str])
    value: str | None = None
    """The content of a field; None if it is not a field or empty."""
    home: int = -1
    """The position of the scroller it is in; -1 for none."""

    @property
    def key(self) -> str:
        return fold(" ".join(self.pieces))


@dataclass(slots=True)
class Scroller:
    number: int
    bounds: Bounds
    word: str
    """`list`, `strip`, `pages` or `web`."""
    home: int


@dataclass(slots=True)
class Found:
    items: list[Item]
    scrollers: list[Scroller]
    hidden: int
    """Texts that are not visible."""
    more: dict[int, int]
    """Targets with more parts than are listed: how many are left out."""


def find_items(tree: Tree, height: int, covers: Covers) -> Found:
    return _Finder(tree, height, covers).find()


class _Finder:
    def __init__(self, tree: Tree, height: int, covers: Covers) -> None:
        self._tree = tree
        self._height = height
        self._covers = covers
        count = len(tree.nodes)
        self._home = [-1] * count
        """The nearest scroller around each node."""
        self._nesting = [0] * count
        """How many scrollers are around each node."""
        self._scrolling = [False] * count
        self._owner = [-1] * count
        """The target that takes the words of each node."""
        self._marker: dict[int, int] = {}
        """For a target: the node inside it that has its kind and state."""

    def find(self) -> Found:
        tree = self._tree
        scrollers = self._assign()
        words: dict[int, list[int]] = {}
        texts: list[int] = []
        hidden = 0
        for number, node in enumerate(tree.nodes):
            if not (node.text or node.description):
                continue
            if tree.shown[number] is None:
                hidden += 1
            elif self._owner[number] >= 0:
                words.setdefault(self._owner[number], []).append(number)
            else:
                texts.append(number)
        items: list[Item] = []
        more: dict[int, int] = {}
        for number in self._targets:
            own = words.get(number, [])
            if self._is_container(number, own):
                own = [part for part in own if part != number]
                for part in own[:MOST_PARTS]:
                    items.append(self._item(part, [part], target=True))
                if len(own) > MOST_PARTS:
                    more[number] = len(own) - MOST_PARTS
                if not tree.nodes[number].text and not tree.nodes[number].description:
                    continue
                own = [number]
            items.append(self._item(number, own, target=True))
        items += [self._item(number, [number], target=False) for number in texts]
        items = [item for item in items if self._is_printed(item)]
        self._drop_repeated(items)
        self._choose_selected(items)
        return Found(items, scrollers, hidden, more)

    def _is_container(self, number: int, own: list[int]) -> bool:
        shown = self._tree.shown[number]
        assert shown is not None
        tall = shown.bottom - shown.top > TALL * self._height
        return len(own) > (TALL_TEXTS if tall else MOST_TEXTS)

    def _assign(self) -> list[Scroller]:
        tree = self._tree
        scrollers: list[Scroller] = []
        self._targets: list[int] = []
        home, owner = self._home, self._owner
        nesting, scrolling = self._nesting, self._scrolling
        for number, node in enumerate(tree.nodes):
            parent = tree.parents[number]
            if parent >= 0:
                scrolls = scrolling[parent]
                home[number] = parent if scrolls else home[parent]
                nesting[number] = nesting[parent] + scrolls
                owner[number] = -1 if scrolls else owner[parent]
            scrolling[number] = self._scrolls(number)
            shown = tree.shown[number]
            if shown is None:
                continue
            if scrolling[number]:
                scrollers.append(Scroller(number, shown, self._word(number), home[number]))
                owner[number] = -1
            elif self._is_target(number, node):
                outer = owner[number]
                if (
                    outer >= 0
                    and not node.flags & (_CLICKS | _EDITABLE)
                    and self._marks(outer, number, node)
                ):
                    continue
                owner[number] = number
                self._targets.append(number)
        return scrollers

    def _scrolls(self, number: int) -> bool:
        if self._nesting[number] > MOST_NESTED:
            return False
        node = self._tree.nodes[number]
        if node.flags & _SCROLLABLE and not node.flags & _EDITABLE:
            return True
        return short_class(node).endswith(WEB)

    def _is_target(self, number: int, node: Node) -> bool:
        if node.flags & (_CLICKS | _EDITABLE | _CHECKABLE):
            return True
        name = short_class(node)
        if name.endswith(_BUTTONS):
            return self._owner[number] < 0
        parent = self._tree.parents[number]
        return parent >= 0 and short_class(self._tree.nodes[parent]).endswith(ADAPTER_VIEWS)

    def _marks(self, outer: int, number: int, node: Node) -> bool:
        """Whether a node only shows the state of the target around it."""
        if not node.flags & _CHECKABLE or outer in self._marker:
            return False
        self._marker[outer] = number
        return True

    def _word(self, number: int) -> str:
        name = short_class(self._tree.nodes[number])
        if name.endswith(WEB):
            return "web"
        if "Pager" in name:
            return "pages"
        if "Horizontal" in name:
            return "strip"
        rows = [
            part
            for child in self._tree.children(number)
            if (part := self._tree.shown[child]) is not None
        ]
        beside = sum(
            after.left >= before.right and after.top < before.bottom
            for before, after in pairwise(rows)
        )
        below = sum(after.top >= before.bottom for before, after in pairwise(rows))
        return "strip" if beside and not below else "list"

    def _item(self, number: int, own: list[int], *, target: bool) -> Item:
        tree = self._tree
        node, shown = tree.nodes[number], tree.shown[number]
        assert shown is not None
        item = Item(number, shown, target, home=self._home[number])
        mark = tree.nodes[self._marker.get(number, number)]
        if target:
            item.kind = self._kind(number, mark)
        field_value: str | None = None
        if node.flags & _EDITABLE:
            item.kind = "field"
            own = [one for one in own if one != number]
            if node.text and not node.flags & _HINT:
                field_value = node.text
            label = node.text if node.flags & _HINT else None
            item.pieces = _distinct([label, node.description])
        pieces = self._pieces(own)
        if item.pieces:
            said = {fold(piece) for piece in item.pieces}
            pieces = [piece for piece in pieces if fold(piece) not in said]
        item.pieces += pieces
        if not item.pieces and target:
            name = short_id(node.resource_id)
            item.fallback = f"#{name}" if name else ""
        self._state(item, node, mark, field_value)
        if own and self._first_target_inside(number):
            item.bounds = (
                around(
                    part for one in own if (part := tree.shown[one]) is not None and one != number
                )
                or item.bounds
            )
        return item

    def _pieces(self, own: list[int]) -> list[str]:
        """Return the words of several nodes in reading order, without repetitions inside it."""
        nodes, shown = self._tree.nodes, self._tree.shown
        if len(own) == 1:
            node = nodes[own[0]]
            return _distinct([node.text, node.description])
        texts: list[tuple[Bounds, str, int]] = []
        for number in own:
            bounds = shown[number]
            assert bounds is not None
            for piece in _distinct([nodes[number].text, nodes[number].description]):
                texts.append((bounds, piece, number))
        kept: list[tuple[Bounds, str, int]] = []
        folded = [fold(piece) for _, piece, _ in texts]
        for at, (bounds, piece, number) in enumerate(texts):
            if not any(
                holds(other, folded[at])
                and (len(folded[at]) < len(other) or earlier < at)
                and self._same_thing(number, texts[earlier][2])
                for earlier, other in enumerate(folded)
                if earlier != at
            ):
                kept.append((bounds, piece, number))
        return [piece for _, piece, _ in reading_order(kept)]

    def _same_thing(self, one: int, other: int) -> bool:
        """Whether words of one may repeat those of the other: nested, or on the same spot."""
        tree = self._tree
        if tree.is_inside(one, other) or tree.is_inside(other, one):
            return True
        if tree.nodes[one].bounds == tree.nodes[other].bounds:
            return True
        # An icon's description beside the same text.
        return any(
            not tree.nodes[each].text
            and short_class(tree.nodes[each]).endswith(("ImageView", "Image"))
            for each in (one, other)
        )

    def _kind(self, number: int, mark: Node) -> str:
        if kind := _kind_of(short_class(mark)):
            return kind
        for node in self._roles(number):
            if kind := _kind_of(short_class(node)):
                return kind
        return "check" if mark.flags & _CHECKABLE else ""

    def _roles(self, number: int) -> Iterator[Node]:
        """Compose gives the role of a clickable as the class of an empty child."""
        tree = self._tree
        for child in tree.children(number):
            node = tree.nodes[child]
            empty = tree.ends[child] == child + 1 and not (node.text or node.description)
            if empty and not node.flags & _CLICKS:
                yield node

    def _state(self, item: Item, node: Node, mark: Node, content: str | None) -> None:
        flags, states = node.flags, item.states
        if flags & _PASSWORD:
            length = len(content or "")
            states.append(f"secret {length} chars" if length else "empty")
        elif item.kind == "field":
            item.value = content
            if content is None:
                states.append("empty")
        if mark.flags & _CHECKABLE and item.kind != "menu":
            states.append("on" if mark.flags & _CHECKED else "off")
            if item.kind in ("switch", "check"):
                item.pieces = [piece for piece in item.pieces if fold(piece) not in ("on", "off")]
        if (flags | mark.flags) & _SELECTED:
            states.append("selected")
        if flags & _FOCUSED and item.kind == "field":
            states.append("focused")
        if item.target and not flags & _ENABLED:
            states.append("disabled")
        if item.target and self._covers.covered(item.number):
            states.append("covered")

    def _is_printed(self, item: Item) -> bool:
        if item.pieces or item.kind:
            return True
        if not item.target:
            return False
        return not self._first_target_inside(item.number)

    def _first_target_inside(self, number: int) -> int | None:
        at = bisect_right(self._targets, number)
        if at < len(self._targets) and self._targets[at] < self._tree.ends[number]:
            return self._targets[at]
        return None

    def _drop_repeated(self, items: list[Item]) -> None:
        """Drop a plain text that repeats the words of what surrounds it or lies on its spot."""
        spots: dict[tuple[Bounds, str], int] = {}
        for item in items:
            if item.target and item.pieces:
                spots[item.bounds, item.key] = item.number
        said = {item.number: item for item in items}
        around = [-1] * len(self._tree.nodes)
        """The nearest node around each that is printed."""
        for number, parent in enumerate(self._tree.parents):
            if parent >= 0:
                around[number] = parent if parent in said else around[parent]

        def repeats(item: Item) -> bool:
            if item.target or item.states:
                return False
            key, outer = item.key, around[item.number]
            if (item.bounds, key) in spots:
                return True
            for _ in range(MOST_AROUND):
                if outer < 0:
                    break
                if holds(said[outer].key, key):
                    return True
                outer = around[outer]
            return False

        items[:] = [item for item in items if not repeats(item)]

    def _choose_selected(self, items: list[Item]) -> None:
        """Where everything is selected, nothing is said by it."""
        chosen = [item for item in items if "selected" in item.states]
        if len(chosen) > 1 and len(chosen) == len([item for item in items if item.target]):
            for item in chosen:
                item.states.remove("selected")


@lru_cache(maxsize=1024)
def _kind_of(class_name: str) -> str:
    return next((kind for names, kind in _KINDS if class_name.endswith(names)), "")


def _distinct(texts: list[str | None]) -> list[str]:
    """Return cleaned texts; one that is part of another is dropped."""
    found: list[str] = []
    for text in texts:
        words = clean(text) if text else ""
        if not words:
            continue
        if not found:
            found.append(words)
            continue
        key = fold(words)
        if any(holds(fold(other), key) for other in found):
            continue
        found = [other for other in found if not holds(key, fold(other))]
        found.append(words)
    return found


def reading_order(texts: list[tuple[Bounds, str, int]]) -> list[tuple[Bounds, str, int]]:
    """Sort by rows, then from left to right."""
    left = sorted(texts, key=lambda text: (text[0].top, text[0].left))
    rows: list[list[tuple[Bounds, str, int]]] = []
    for text in left:
        if rows and text[0].top < (rows[-1][0][0].top + rows[-1][0][0].bottom) / 2:
            rows[-1].append(text)
        else:
            rows.append([text])
    return [text for row in rows for text in sorted(row, key=lambda text: text[0].left)]
