"""The printed things on a screen: targets with their words and state, and plain texts."""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

from ..model import Bounds, Flag, Node
from .covers import Covers
from .extents import items_by_list, print_extent
from .kinds import is_choice, is_singled_out, kind_of, kind_of_range
from .labels import ViewLabels
from .states import TELLING, print_error, states_of
from .tree import Tree, around, reading_order
from .web_items import fold_items
from .words import cut, fold, holds, short_id, words_of

_CLICKS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE)
_TARGETS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.EDITABLE | Flag.CHECKABLE)
_EDITABLE = Flag.EDITABLE.value
_CHECKABLE = Flag.CHECKABLE.value
_SELECTED = Flag.SELECTED.value
_SCROLLABLE = Flag.SCROLLABLE.value
_SCROLLS = int(Flag.SCROLLABLE | Flag.EDITABLE)
_ENABLED = Flag.ENABLED.value
_PASSWORD = Flag.PASSWORD.value
_HINT = Flag.SHOWING_HINT.value
_ACROSS = int(Flag.SCROLLS_LEFT | Flag.SCROLLS_RIGHT)
_UPRIGHT = int(Flag.SCROLLS_UP | Flag.SCROLLS_DOWN)

_OWN_STATES = frozenset({"disabled", "selected", "expanded", "collapsed"})

MOST_TEXTS = 8
"""A target with more texts than this is a container: its texts become targets themselves."""
TALL_TEXTS = 4
TALL = 0.45
"""The limit for a target higher than this share of the screen, with more than `TALL_TEXTS`."""
MOST_PARTS = 40
MOST_LIFTED = 3
"""The most things inside a target whose state it shows."""
HINT_LIMIT = 100
MOST_NESTED = 8
"""The most scrollers inside one another; the content of deeper ones belongs to the last of
these."""
MOST_AROUND = 64
"""The most things around a text whose words it may repeat, the nearest first."""


@dataclass(slots=True)
class Item:
    number: int
    """The position of the node for actions."""
    bounds: Bounds
    """The place that orders it: its visible part, or that of its words if it contains other
    targets."""
    words: Bounds
    """The place of its words, or of all of it if it has none."""
    target: bool
    kind: str = ""
    pieces: list[str] = field(default_factory=list[str])
    """Its words, each a separate text, in reading order; cleaned."""
    fallback: str = ""
    """Printed instead of words if there are none: `#id`."""
    states: list[str] = field(default_factory=list[str])
    text: str = ""
    """The text shown in addition to a description, which may be the only printed one."""
    value: str | None = None
    """The content of a field; None if it is not a field or empty."""
    hint: str = ""
    """The text of an empty field, if that is not its name; cleaned."""
    home: int = -1
    """The position of the scroller it is in; -1 for none."""
    parts: list[int] = field(default_factory=list[int])
    """For texts below one another that are printed as one: the position of the node of each of the
    `pieces`, of which `number` is the first."""
    folded: bool = False
    """Whether its words come from several nodes, of which `number` is the first."""

    @property
    def key(self) -> str:
        return _key(self.pieces)


def _key(pieces: list[str]) -> str:
    """Return words in the form in which they are compared."""
    return fold(" ".join(pieces))


@dataclass(slots=True)
class Scroller:
    number: int
    bounds: Bounds
    word: str
    """`list`, `strip`, `pages` or `web`."""
    home: int
    target: bool
    """Whether it takes clicks itself."""
    extent: str = ""
    """The printed text about its visible part and its state."""


@dataclass(slots=True)
class Found:
    items: list[Item]
    scrollers: list[Scroller]
    hidden: int
    """The number of invisible texts."""
    more: dict[int, list[Item]]
    """Targets with more parts than are listed; the others are left out."""


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
        """The number of scrollers around each node."""
        self._scrolling = [False] * count
        self._owner = [-1] * count
        """The target that takes the words of each node."""
        self._marker: dict[int, int] = {}
        """For a target: the node inside it that has its kind and state."""
        self._lifted: dict[int, list[int]] = {}
        """For a target: the nodes inside it that have words and are not targets."""
        self._opened: set[int] = set()
        """Targets whose texts are targets themselves."""
        self._tells_selected = True
        """False if everything is selected, which has no meaning."""
        self._labels = ViewLabels(tree)

    def find(self) -> Found:
        tree = self._tree
        scrollers = self._assign()
        acting = [*self._targets, *self._marker.values()]
        acting += [each.number for each in scrollers if each.target]
        self._tells_selected = len(acting) < 2 or any(
            not tree.nodes[number].flags & _SELECTED for number in acting
        )
        listed = items_by_list(tree)
        for each in scrollers:
            flags = tree.nodes[each.number].flags
            each.extent = print_extent(tree, each.number, each.word, listed.get(each.number, []))
            if each.target:
                each.extent += "" if flags & _ENABLED else ", disabled"
                each.extent += ", selected" * bool(flags & _SELECTED and self._tells_selected)
        words: dict[int, list[int]] = {}
        texts: list[int] = []
        hidden = 0
        owners = self._owner
        for number, node in enumerate(tree.nodes):
            if not (node.text or node.description):
                if number in tree.details and owners[number] < 0 and self._is_progress(number):
                    texts.append(number)
            elif tree.shown[number] is None:
                hidden += 1
            elif owners[number] >= 0:
                words.setdefault(owners[number], []).append(number)
            else:
                texts.append(number)
        items: list[Item] = []
        more: dict[int, list[Item]] = {}
        for number in self._targets:
            own = words.get(number, [])
            if self._is_container(number, own):
                own = [part for part in own if part != number]
                for part in own[:MOST_PARTS]:
                    items.append(self._item(part, [part], target=True))
                if len(own) > MOST_PARTS:
                    left = own[MOST_PARTS:]
                    more[number] = [self._item(part, [part], target=False) for part in left]
                own = [number] if tree.nodes[number].text or tree.nodes[number].description else []
                self._opened.add(number)
            item = self._item(number, own, target=True)
            if self._is_printed(item):
                items.append(item)
            else:
                texts += filter(self._is_progress, self._lifted.get(number, ()))
        items += [self._item(number, [number], target=False) for number in texts]
        items = [
            item
            for item in items
            if self._is_printed(item)
            and (item.target or item.states or not self._labels.is_said(item.number))
        ]
        self._drop_repeated(items)
        if tree.folding is not None:
            items = fold_items(items, tree.folding)
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
        classes, parents, details = tree.classes, tree.parents, tree.details
        for number, (node, shown) in enumerate(zip(tree.nodes, tree.shown, strict=True)):
            parent, flags = parents[number], node.flags
            if parent >= 0:
                nesting[number] = nesting[parent]
                if scrolling[parent]:
                    home[number] = parent
                    nesting[number] += 1
                else:
                    home[number] = home[parent]
                    owner[number] = owner[parent]
            # The entries of a menu are in its popup.
            if (flags & _SCROLLS == _SCROLLABLE and classes[number].kind != "menu") or classes[
                number
            ].is_web:
                scrolling[number] = nesting[number] <= MOST_NESTED
            if shown is None:
                continue
            if scrolling[number]:
                target = bool(flags & _CLICKS) or self._is_in_adapter(number)
                word = self._word(number)
                scrollers.append(Scroller(number, shown, word, home[number], target))
                owner[number] = -1
                continue
            outer = owner[number]
            if flags & _TARGETS or self._is_target(number, node):
                if (
                    outer >= 0
                    and not flags & (_CLICKS | _EDITABLE)
                    and self._marks(outer, number, node)
                ):
                    if number in details:
                        self._lift(outer, number)
                    continue
                owner[number] = number
                self._targets.append(number)
            elif outer >= 0 and number in details:
                self._lift(outer, number)
        return scrollers

    def _lift(self, outer: int, number: int) -> None:
        inside = self._lifted.setdefault(outer, [])
        if len(inside) < MOST_LIFTED:
            inside.append(number)

    def _is_progress(self, number: int) -> bool:
        told = self._tree.details.get(number)
        return told is not None and told.range is not None and self._tree.shown[number] is not None

    def _is_target(self, number: int, node: Node) -> bool:
        """Whether its class makes it a target; its flags may do so, too."""
        if self._tree.classes[number].is_button:
            if self._owner[number] < 0:
                return True
            # A disabled one is still a separate target; one without words is a role.
            return not node.flags & _ENABLED and bool(node.text or node.description)
        return self._is_in_adapter(number) or (
            self._owner[number] < 0 and is_choice(self._tree, number)
        )

    def _is_in_adapter(self, number: int) -> bool:
        parent = self._tree.parents[number]
        return parent >= 0 and self._tree.classes[parent].is_adapter

    def _marks(self, outer: int, number: int, node: Node) -> bool:
        """Whether a node only shows the state of the target around it."""
        if not node.flags & _CHECKABLE or outer in self._marker:
            return False
        self._marker[outer] = number
        return True

    def _word(self, number: int) -> str:
        own = self._tree.classes[number]
        if own.is_web:
            return "web"
        if "Pager" in own.name:
            return "pages"
        flags = self._tree.nodes[number].flags
        if "Horizontal" in own.name or (flags & _ACROSS and not flags & _UPRIGHT):
            return "strip"
        if flags & _UPRIGHT:
            return "list"
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
        flags = node.flags
        marker = self._marker.get(number, number)
        mark = tree.nodes[marker]
        own_told = tree.details.get(number)
        told = [] if own_told is None else [own_told]
        kind = ""
        if target:
            told += [tree.details[one] for one in self._lifted.get(number, ())]
            kind = kind_of(tree, number, marker)
        kind = kind or kind_of_range(node, own_told)
        pieces: list[str] = []
        text = fallback = hint = ""
        content: str | None = None
        if node.text and node.description and not flags & (_EDITABLE | _PASSWORD):
            text = node.text[:HINT_LIMIT]
        if flags & _EDITABLE:
            kind = "field"
            own = [one for one in own if one != number]
            if node.text and not flags & _HINT:
                content = node.text
            pieces = words_of(None, node.description) or self._labels.name(marker)
            hints = words_of(node.text if flags & _HINT else own_told and own_told.hint, None)
            if not pieces:
                pieces = hints
            elif content is None and hints and not holds(_key(pieces), fold(hints[0])):
                hint = hints[0]
        if pieces:
            said = {fold(piece) for piece in pieces}
            pieces += [piece for piece in pieces_of(tree, own) if fold(piece) not in said]
        else:
            pieces = pieces_of(tree, own) or (self._labels.name(marker) if target else [])
        if not pieces and (target or kind):
            name = short_id(node.resource_id)
            fallback = f"#{name}" if name else ""
        if kind in ("switch", "check") and mark.flags & _CHECKABLE:
            pieces = [piece for piece in pieces if fold(piece) not in ("on", "off")]
        states: list[str] = []
        if told or kind == "field" or (flags | mark.flags) & TELLING:
            states = states_of(node, mark, kind, _key(pieces) if told else "", content, told)
        if not self._tells_selected:
            states = [state for state in states if state != "selected"]
        elif "selected" not in states and any(is_singled_out(tree, one) for one in own):
            states.append("selected")
        if target and not flags & mark.flags & _ENABLED:
            states.append("disabled")
        if target and self._covers.covered(number):
            states.append("covered")
        if told:
            states += print_error(told)
        if hint:
            states.append(f'hint "{cut(hint, HINT_LIMIT)}"')
        bounds, words = self._places(number, own, shown)
        value = None if flags & _PASSWORD else content
        return Item(
            number,
            bounds,
            words,
            target,
            kind,
            pieces,
            fallback,
            states,
            text,
            value,
            hint,
            self._home[number],
        )

    def _places(self, number: int, own: list[int], shown: Bounds) -> tuple[Bounds, Bounds]:
        """Return the place where a finger hits the item and none of the targets in it, and the
        place of its words."""
        if not own or own == [number]:
            return shown, shown
        parts = self._tree.shown
        words = around([part for one in own if (part := parts[one])]) or shown
        if not self._holds_target(number):
            return shown, words
        inner = [part for one in own if one != number and (part := parts[one])]
        return around(inner) or shown, words

    def _is_printed(self, item: Item) -> bool:
        if item.pieces or item.kind:
            return True
        if not item.target:
            return False
        # Around other targets, only its own state is worth saying.
        return not self._holds_target(item.number) or not _OWN_STATES.isdisjoint(item.states)

    def _holds_target(self, number: int) -> bool:
        if number in self._opened:
            return True
        at = bisect_right(self._targets, number)
        return at < len(self._targets) and self._targets[at] < self._tree.ends[number]

    def _own_key(self, number: int) -> str:
        """The words of the view itself; the words of its parts are at other places."""
        node = self._tree.nodes[number]
        return _key(words_of(node.text, node.description))

    def _drop_repeated(self, items: list[Item]) -> None:
        """Drop a plain text that repeats the words of an element around it or at the same place."""
        places = {item.bounds for item in items if not item.target}
        if not places:
            return
        spots = {
            (item.bounds, item.key)
            for item in items
            if item.target and item.pieces and item.bounds in places
        }
        said = {item.number: item for item in items}
        around = [-1] * len(self._tree.nodes)
        """The nearest node around each that is printed."""
        for number, parent in enumerate(self._tree.parents):
            if parent >= 0:
                around[number] = parent if parent in said else around[parent]

        repeated: set[int] = set()
        for item in items:
            if item.target or item.states not in ([], ["heading"]):
                continue
            key, outer = item.key, around[item.number]
            if (item.bounds, key) in spots:
                repeated.add(item.number)
                continue
            for _ in range(MOST_AROUND):
                if outer < 0:
                    break
                other = said[outer]
                if holds(other.key, key) and holds(self._own_key(outer), key):
                    # Of two equal texts the inner one is at the place of the words: the other may
                    # be a page with its title.
                    is_title = other.key == key and not other.target and not other.states
                    repeated.add(outer if is_title else item.number)
                    if not is_title:
                        break
                outer = around[outer]
        items[:] = [item for item in items if item.target or item.number not in repeated]


def pieces_of(tree: Tree, own: list[int]) -> list[str]:
    """Return the words of several nodes in reading order, without repetitions."""
    nodes, shown = tree.nodes, tree.shown
    if len(own) == 1:
        node = nodes[own[0]]
        return words_of(node.text, node.description)
    texts: list[tuple[Bounds, str]] = []
    numbers: list[int] = []
    for number in own:
        bounds = shown[number]
        assert bounds is not None
        for piece in words_of(nodes[number].text, nodes[number].description):
            texts.append((bounds, piece))
            numbers.append(number)
    folded = [fold(piece) for _, piece in texts]
    repeated = [
        at
        for at, words in enumerate(folded)
        for earlier, other in enumerate(folded)
        if words in other
        and earlier != at
        and (len(words) < len(other) or earlier < at)
        and holds(other, words)
        and _is_same_thing(tree, numbers[at], numbers[earlier])
    ]
    if repeated:
        texts = [text for at, text in enumerate(texts) if at not in repeated]
    return reading_order(texts)


def _is_same_thing(tree: Tree, one: int, other: int) -> bool:
    """Whether the words of one may repeat the other's: they are nested, at the same place, or an
    icon beside the same text."""
    if tree.is_inside(one, other) or tree.is_inside(other, one):
        return True
    if tree.nodes[one].bounds == tree.nodes[other].bounds:
        return True
    return _is_icon(tree, one) != _is_icon(tree, other)


def _is_icon(tree: Tree, number: int) -> bool:
    return tree.classes[number].is_image and not tree.nodes[number].text
