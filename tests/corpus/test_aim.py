"""Touch points on captured screens, checked against Android's dispatch of touches to views."""

from collections.abc import Iterator

from handheld.driver.by_shell.hit_test import Covered, Undecided, find_point
from handheld.driver.reading.uiautomator import BadDump, read_dump
from handheld.screen.model import Flag, Node, Screen, Window

from .files import found

_KEEPS = Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.SCROLLABLE | Flag.EDITABLE | Flag.COLLECTION
_KEEPERS = ("ScrollView", "WebView", "ViewPager", "SeekBar")
_STEPS = 25


class View:
    def __init__(self, node: Node, parent: "View | None") -> None:
        self.node = node
        self.children: list[View] = []
        name = node.class_name or ""
        self.in_compose = name.endswith("ComposeView") or (
            parent is not None and parent.in_compose and parent.is_composed
        )
        self.is_composed = self.in_compose and name.endswith(("View", "ComposeView"))
        if parent is not None:
            parent.children.append(self)

    def take(self, x: int, y: int) -> "Node | None":
        left, top, right, bottom = self.node.bounds
        if not (left <= x < right and top <= y < bottom):
            return None
        drawn = self.children
        if not self.is_composed:
            drawn = sorted(drawn, key=lambda child: child.node.drawing_order)
        for child in reversed(drawn):
            taker = child.take(x, y)
            if taker is not None:
                return taker
        name = self.node.class_name or ""
        return self.node if self.node.flags & _KEEPS or name.endswith(_KEEPERS) else None


def grow(nodes: list[Node]) -> View:
    way: list[View] = []
    for node in nodes:
        del way[node.depth :]
        way.append(View(node, way[-1] if way else None))
    return way[0]


def screens(*, ordered: bool) -> Iterator[Screen]:
    for path in found("screens/*.xml"):
        output = path.read_bytes().decode("utf-8", "replace")
        try:
            dump = read_dump(output)
        except BadDump:
            continue
        if ("drawing-order" in output) is ordered:
            for window in dump.windows:
                edges = window.nodes[0].bounds
                nodes = window.nodes
                shown = Window(1, "APPLICATION", window.package, None, 0, True, nodes)
                yield Screen(edges.right, edges.bottom, 420, 0, [shown])


def clickable(screen: Screen) -> Iterator[Node]:
    wanted = Flag.CLICKABLE | Flag.VISIBLE
    yield from (node for node in screen.windows[0].nodes if node.flags & wanted == wanted)


def test_with_a_drawing_order_a_tap_reaches_the_element_and_few_are_rejected() -> None:
    tapped = covered = undecided = 0
    for screen in screens(ordered=True):
        root = grow(screen.windows[0].nodes)
        for node in clickable(screen):
            try:
                x, y = find_point(screen, [None], node)
            except Undecided:
                undecided += 1
            except Covered:
                covered += 1
                left, top, right, bottom = node.bounds
                for step in range(_STEPS * _STEPS):
                    x = left + (right - left) * (step % _STEPS) // _STEPS
                    y = top + (bottom - top) * (step // _STEPS) // _STEPS
                    assert root.take(x, y) is not node, (node, x, y)
            else:
                tapped += 1
                assert root.take(x, y) is node, (node, x, y)
    assert tapped > 700
    assert covered + undecided < tapped * 0.06


def test_without_a_drawing_order_most_elements_can_be_tapped() -> None:
    """Overlapping elements are ambiguous: about one in six."""
    tapped = refused = 0
    for screen in screens(ordered=False):
        for node in clickable(screen):
            try:
                find_point(screen, [None], node)
            except (Covered, Undecided):
                refused += 1
            else:
                tapped += 1
    assert tapped > 1400
    assert refused < (tapped + refused) * 0.19
