"""Compares a printed screen with what the XML says is there."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handheld.screen.search import Place

from .facts import Element
from .printed import Item, Line, Reading, cut, seen

NOWHERE = (-1, -1)
_SWITCH_WORDS = ("on", "off")
_IMAGES = ("ImageView", "Image")


@dataclass(slots=True)
class Findings:
    """What is wrong with one printed screen; the lists name each case."""

    texts: int = 0
    targets: int = 0
    states: int = 0
    items: int = 0
    lost_texts: list[str] = field(default_factory=list[str])
    lost_targets: list[str] = field(default_factory=list[str])
    lost_states: list[str] = field(default_factory=list[str])
    alike: list[str] = field(default_factory=list[str])
    disordered: list[str] = field(default_factory=list[str])
    leaked: list[str] = field(default_factory=list[str])
    """Contents of password fields."""


def check(elements: Sequence[Element], reading: Reading, places: dict[str, Place]) -> Findings:
    return _Check(elements, reading, places).run()


class _Check:
    def __init__(
        self, elements: Sequence[Element], reading: Reading, places: dict[str, Place]
    ) -> None:
        self._elements = elements
        self._reading = reading
        self._refs = {tuple(place): ref for ref, place in places.items()}
        self._places = places
        self._item_of = {ref: item for item in reading.items for ref in item.refs}
        self._blocks = {line.ref: line.text for line in reading.lines if line.ref}
        self._at = {element.place: element for element in elements}
        self._found = Findings(items=sum(1 for item in reading.items if item.refs))
        self._said: defaultdict[str, list[Element]] = defaultdict(list)
        """Where each text stands."""
        for element in elements:
            for words in element.texts:
                self._found.texts += 1
                if key := seen(words):
                    self._said[key].append(element)

    def run(self) -> Findings:
        self._check_texts()
        self._check_targets()
        self._check_states()
        self._check_alike()
        self._check_order()
        return self._found

    def _item(self, element: Element) -> Item | None:
        """The item that an element was printed as, or as a part of."""
        for each in (element, *element.around):
            item = self._item_of.get(self._refs.get(each.place, ""))
            if item is not None:
                return item
            if each.is_scroller:
                return None  # its words are its own
        return None

    # Texts

    def _check_texts(self) -> None:
        printed: list[tuple[str, int]] = []
        begun: list[tuple[str, int]] = []
        for item in self._reading.items:
            for words in [*item.pieces, *([item.value] if item.value is not None else [])]:
                if part := cut(words):
                    begun.append((seen(part[0]), part[1]))
                else:
                    printed.append((seen(words), item.times))
        left_out = sum(self._reading.left_out.values())
        for words, elements in self._said.items():
            if words in _SWITCH_WORDS and any(
                each.is_set("checkable") for one in elements for each in (one, *one.around)
            ):
                continue
            whole = _whole(words)
            count = sum(len(whole.findall(text)) * times for text, times in printed)
            count += sum(words.startswith(text) and len(text) >= 100 for text, _ in begun)
            count += sum(words in text for text, _ in begun)
            missing = _places(elements) - count
            taken = min(left_out, max(0, missing))
            left_out -= taken
            self._found.lost_texts += [words] * (missing - taken)

    # Targets

    def _check_targets(self) -> None:
        left_out = sum(self._reading.left_out.values())
        for element in self._elements:
            if not element.is_target:
                continue
            self._found.targets += 1
            if not self._is_reachable(element):
                if left_out and any(
                    self._refs.get(each.place) in self._reading.left_out for each in element.around
                ):
                    left_out -= 1
                    continue
                self._found.lost_targets.append(_name(element))

    def _is_reachable(self, element: Element) -> bool:
        ref = self._refs.get(element.place, "")
        if ref in self._item_of or ref in self._blocks:
            return True
        if not element.clicks and not element.is_field and self._item(element) is not None:
            return True  # it shows the state of the row around it
        if element.texts:
            # Plain text is tapped by its words; a block's words are those of its rows.
            return element.is_scroller and self._text_items(element) != []
        # Something around other targets, without words of its own; or each part has a ref.
        inner = [each for each in element.within if each.shown is not None]
        printed = {each for each in inner if self._refs.get(each.place, "") in self._item_of}
        own = [
            each
            for each in inner
            if each.texts
            and each not in printed
            and not any(outer.is_target or outer.is_scroller for outer in _between(each, element))
        ]
        return bool(printed) and (not own or element.is_scroller)

    def _text_items(self, element: Element) -> list[Item]:
        words = [seen(text) for text in element.texts]
        return [
            item
            for item in self._reading.items
            if any(word in map(seen, item.pieces) for word in words)
        ]

    # States

    def _check_states(self) -> None:
        targets = [each for each in self._elements if each.is_target]
        all_selected = bool(targets) and all(each.is_set("selected") for each in targets)
        for element in self._elements:
            item = self._item(element)
            if element.is_set("checkable") and not element.kind.endswith("Spinner"):
                self._demand(element, item, "on" if element.is_set("checked") else "off")
            if element.is_target and element.attributes.get("enabled") == "false":
                self._demand(element, item, "disabled")
            if element.is_field and element.is_set("focused"):
                self._demand(element, item, "focused")
            if element.is_set("selected") and not all_selected:
                self._check_selected(element, item)
            if element.is_field and element.is_set("password"):
                self._demand(element, item, "secret" if item and item.has("secret") else "empty")
                if item is not None and item.value is not None:
                    self._found.leaked.append(_name(element))

    def _check_selected(self, element: Element, item: Item | None) -> None:
        if not element.texts and not element.is_target:
            return
        if item is None:
            item = next((each for each in self._text_items(element) if each.has("selected")), None)
        elif not element.is_target and not _stands_out(element):
            return
        self._demand(element, item, "selected")

    def _demand(self, element: Element, item: Item | None, state: str) -> None:
        if item is None and not self._is_reachable(element):
            return  # it is counted as a target that is lost
        self._found.states += 1
        block = self._blocks.get(self._refs.get(element.place, ""), "")
        if f", {state}" not in block and (item is None or not item.has(state)):
            self._found.lost_states.append(f"{state}: {_name(element)}")

    # What cannot be told apart

    def _check_alike(self) -> None:
        counts = Counter(
            (item.plain, line.text)
            for line in self._reading.lines
            for item in line.items
            if item.refs
        )
        for (plain, _), count in counts.items():
            if count > 1:
                self._found.alike += [plain] * count

    # Order

    def _check_order(self) -> None:
        """A line that lies wholly above the line before it, in the same block."""
        before: dict[int, tuple[int, int]] = {}
        for line in self._reading.lines:
            for depth in [depth for depth in before if depth > line.depth]:
                del before[depth]
            if line.heads and not line.ref:
                before = {}
                continue
            span = self._span(line)
            last = before.get(line.depth)
            if span is not None:
                if last is not None and span[1] <= last[0]:
                    self._found.disordered.append(line.text)
                before[line.depth] = span

    def _span(self, line: Line) -> tuple[int, int] | None:
        """The top and the bottom of what is printed on a line, as far as its place is known."""
        spans: list[tuple[int, int]] = []
        for item in line.items:
            words = [seen(piece) for piece in item.pieces]
            holders = [self._at.get(self._places.get(ref, NOWHERE)) for ref in item.refs]
            boxes = [
                each.shown
                for holder in holders
                if holder is not None
                for each in (holder, *holder.within)
                if each.shown is not None and any(seen(text) in words for text in each.texts)
            ]
            if not item.refs:
                found = [each for word in words for each in self._said.get(word, ())]
                boxes = [found[0].shown] if len(found) == 1 else []
            if not boxes:
                boxes = [each.shown for each in holders if each is not None]
            spans += [(box[1], box[3]) for box in boxes if box is not None]
        if (
            line.ref
            and (block := self._at.get(self._places.get(line.ref, NOWHERE)))
            and block.shown
        ):
            spans.append((block.shown[1], block.shown[3]))
        if not spans:
            return None
        return min(top for top, _ in spans), max(bottom for _, bottom in spans)


def _whole(words: str) -> re.Pattern[str]:
    """Letters are not told by a word that they are a part of, such as a key "C" by "clear". Digits
    are: those of a clock stand in its description."""
    if words.isascii() and words.isalpha():
        return re.compile(rf"(?<![a-z]){words}(?![a-z])")
    return re.compile(re.escape(words))


def _name(element: Element) -> str:
    words = " | ".join(element.texts) or element.attributes.get("resource-id") or element.bounds
    return f"{element.kind} {words[:60]}"


def _places(elements: Sequence[Element]) -> int:
    """How many times a text is seen: once for elements inside one another or on the same spot, and
    for an icon's description beside the same text."""
    kept: list[Element] = []
    for element in elements:
        if not any(_is_same(element, other) for other in kept):
            kept.append(element)
    return len(kept)


def _is_same(one: Element, other: Element) -> bool:
    if one in other.around or other in one.around or one is other or one.shown == other.shown:
        return True
    icon = any(
        not each.attributes.get("text") and each.kind.endswith(_IMAGES) for each in (one, other)
    )
    return icon and _owner(one) is _owner(other)


def _between(element: Element, outer: Element) -> Iterator[Element]:
    """The element, and what is around it up to `outer`."""
    while element is not outer and element.parent is not None:
        yield element
        element = element.parent


def _stands_out(element: Element) -> bool:
    """Whether something selected has a neighbour of its kind that is not."""
    top = element
    while top.parent is not None and top.parent.is_set("selected"):
        top = top.parent
    beside = () if top.parent is None else top.parent.inside
    return any(each.kind == top.kind and not each.is_set("selected") for each in beside)


def _owner(element: Element) -> Element | None:
    return next((each for each in element.around if each.is_target or each.is_scroller), None)
