"""The tap point of an element, checked against a model of Android's touch dispatch."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver import InputRefused, NodeSignature, Target
from handheld.driver.by_shell import hit_test as aim_module
from handheld.driver.by_shell.driver import ShellDriver
from handheld.driver.by_shell.hit_test import Covered, Undecided, find_area, find_point
from handheld.driver.reading.uiautomator import DumpedWindow, read_dump
from handheld.screen.model import Bounds, Flag, Node, Screen, Window
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.scenes.captured import install_captured, load_captured
from harness.phones import link_to

CLICK = int(Flag.CLICKABLE)
SCROLL = int(Flag.SCROLLABLE)
APP = Bounds(0, 0, 1000, 2000)


def view(
    box: tuple[int, int, int, int],
    flags: int = 0,
    depth: int = 1,
    order: int = 0,
    class_name: str = "android.widget.FrameLayout",
) -> Node:
    visible = int(Flag.VISIBLE | Flag.ENABLED)
    flags |= visible
    return Node(depth, 0, "", class_name, None, None, None, Bounds(*box), flags, order)


def screen(*windows: Window) -> Screen:
    return Screen(1000, 2000, 160, 0, list(windows))


def app(*nodes: Node, focused: bool = True) -> Window:
    return Window(1, "APPLICATION", "p", "t", 0, focused, [view((0, 0, 1000, 2000), 0, 0), *nodes])


def aim(node: Node, *nodes: Node) -> tuple[int, int]:
    """Find a point for one of an app's nodes."""
    return find_point(screen(app(*nodes)), [APP], node)


def test_tap_point_is_the_centre() -> None:
    button = view((100, 100, 201, 301), CLICK)
    assert aim(button, button) == (150, 200)


@pytest.mark.matrix
def test_many_small_elements_are_handled_in_bounded_time() -> None:
    """The app decides how many there are: the number of pieces must not be their product."""
    page = view((0, 0, 1000, 2000), CLICK)
    upright = [view((2 * x + 1, 0, 2 * x + 2, 2000), CLICK, 2) for x in range(490)]
    across = [view((0, 2 * y + 1, 1000, 2 * y + 2), CLICK, 2) for y in range(500)]
    overlaps = [one.bounds for one in (*upright, *across)]
    assert len(aim_module.free_pieces(APP, overlaps)) <= aim_module.MOST_PIECES
    x, y = aim(page, page, *upright, *across)
    assert not any(one.left <= x < one.right and one.top <= y < one.bottom for one in overlaps)


def test_point_avoids_clickable_children() -> None:
    row, switch = view((0, 100, 1000, 200), CLICK), view((400, 100, 1000, 200), CLICK, 2)
    assert aim(row, row, switch) == (187, 149)  # 24 dp around the switch belong to it
    wide = view((10, 100, 1000, 200), CLICK, 2)
    assert aim(row, row, wide) == (4, 149)  # as a last resort
    with pytest.raises(Covered):
        aim(row, row, view((0, 0, 1000, 2000), CLICK, 2))


@pytest.mark.parametrize(
    "inside",
    [
        view((0, 100, 1000, 200), SCROLL, 2),
        view((0, 100, 1000, 200), int(Flag.COLLECTION), 2),
        view((0, 100, 1000, 200), int(Flag.EDITABLE), 2),
        view((0, 100, 1000, 200), 0, 2, class_name="android.widget.ScrollView"),
        view((0, 100, 1000, 200), 0, 2, class_name="android.webkit.WebView"),
    ],
)
def test_point_avoids_views_that_keep_touches(inside: Node) -> None:
    row = view((0, 100, 1000, 200), CLICK)
    with pytest.raises(Covered):
        aim(row, row, inside)


def test_views_that_take_no_touches_are_ignored() -> None:
    row, words = view((0, 100, 1000, 200), CLICK, order=1), view((0, 0, 1000, 900), order=2)
    inside = view((0, 100, 1000, 200), 0, 2, class_name="android.widget.TextView")
    assert aim(row, row, inside, words) == (499, 149)


@pytest.mark.parametrize("first", [True, False])
def test_sibling_drawn_last_wins_in_any_reading_order(
    first: bool,
) -> None:
    low = view((0, 0, 1000, 2000), CLICK, order=1)
    high = view((300, 300, 600, 1900), CLICK, order=2)
    nodes = [low, high] if first else [high, low]
    assert aim(high, *nodes) == (449, 1099)
    x, y = aim(low, *nodes)
    assert not (300 <= x < 600 and 300 <= y < 1900)
    wide = view((0, 0, 1000, 2000), CLICK, order=2)
    with pytest.raises(Covered):
        aim(low, *([low, wide] if first else [wide, low]))


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 2), (2, 0), (2, 2)])
def test_unknown_drawing_order_avoids_both_or_is_undecided(low: int, high: int) -> None:
    row = view((0, 100, 1000, 200), CLICK, order=low)
    badge = view((400, 100, 1000, 200), CLICK, order=high)
    for nodes in ([row, badge], [badge, row]):
        assert aim(row, *nodes) == (187, 149)
        with pytest.raises(Undecided):
            aim(badge, *nodes)


def test_drawing_order_counts_at_the_common_ancestor() -> None:
    """Not the order among the elements' own siblings."""
    low = [view((0, 0, 1000, 2000), order=1), view((0, 0, 500, 500), CLICK, 2, order=9)]
    high = [view((0, 0, 1000, 2000), order=2), view((0, 0, 500, 500), CLICK, 2, order=1)]
    for nodes in (low + high, high + low):
        assert aim(high[1], *nodes) == (249, 249)
        with pytest.raises(Covered):
            aim(low[1], *nodes)


def test_compose_siblings_are_in_drawing_order() -> None:
    around = view(
        (0, 0, 1000, 2000), order=1, class_name="androidx.compose.ui.platform.ComposeView"
    )
    inner = view((0, 0, 1000, 2000), 0, 2, class_name="android.view.View")
    card = view((0, 0, 1000, 2000), CLICK, 3, class_name="android.view.View")
    button = view((400, 400, 600, 600), CLICK, 3, class_name="android.view.View")
    assert aim(button, around, inner, card, button) == (499, 499)
    with pytest.raises(Covered):
        aim(button, around, inner, button, card)
    # A custom view in Compose lists its children like other views, and so does a web page.
    for name in ("android.widget.FrameLayout", "android.webkit.WebView"):
        inner.class_name = name
        with pytest.raises(Undecided):
            aim(button, around, inner, card, button)
    page = view((0, 0, 1000, 2000), 0, 2, class_name="android.webkit.WebView")
    part = view((0, 0, 1000, 2000), 0, 3, class_name="android.view.View")
    card.depth = button.depth = 4
    with pytest.raises(Undecided):
        aim(button, around, page, part, card, button)


def test_point_lies_within_all_ancestors() -> None:
    shelf, book = view((0, 100, 1000, 300)), view((100, 0, 200, 200), CLICK, 2)
    assert aim(book, shelf, book) == (149, 149)
    with pytest.raises(Covered):
        aim(book, view((0, 300, 1000, 400)), book)


def test_web_content_may_be_outside_its_ancestors() -> None:
    page = view((0, 0, 1000, 500), class_name="android.webkit.WebView")
    around, link = view((0, 0, 0, 0), depth=2), view((100, 400, 200, 600), CLICK, 3)
    assert aim(link, page, around, link) == (149, 449)


def test_point_avoids_windows_above() -> None:
    button = view((0, 1000, 1000, 2000), CLICK)
    keyboard = Window(2, "INPUT_METHOD", "k", None, 1, False, [])
    box = Bounds(0, 1400, 1000, 2000)
    _, y = find_point(screen(keyboard, app(button)), [box, APP], button)
    assert 1000 <= y < 1400
    overlay = Window(3, "ACCESSIBILITY_OVERLAY", "k", None, 2, False, [])
    assert find_point(screen(overlay, app(button)), [APP, APP], button) == (499, 1499)
    with pytest.raises(Covered):
        find_point(screen(keyboard, app(button)), [APP, APP], button)


def test_point_avoids_windows_above_without_content() -> None:
    button = view((0, 1000, 1000, 2000), CLICK)
    ball = DumpedWindow("SYSTEM", "Ball", Bounds(0, 1400, 1000, 2000), 5)
    _, y = find_point(screen(app(button)), [APP], button, [ball])
    assert 1000 <= y < 1400
    ball.layer = -1
    assert find_point(screen(app(button)), [APP], button, [ball]) == (499, 1499)


@pytest.mark.parametrize("kind", ["APPLICATION", "SYSTEM"])
def test_elements_beside_a_dialog_are_covered(kind: str) -> None:
    """Of an app, or of the system, as that about an app that keeps stopping."""
    button = view((0, 0, 100, 100), CLICK)
    dialog = Window(2, kind, "p", "d", 1, True, [view((200, 500, 800, 900))])
    boxes = [Bounds(200, 500, 800, 900), APP]
    with pytest.raises(Covered):
        find_point(screen(dialog, app(button, focused=False)), boxes, button)


def test_invisible_elements_are_covered() -> None:
    button = view((0, 2000, 100, 2100), CLICK)
    with pytest.raises(Covered):
        aim(button, button)
    with pytest.raises(Covered):
        aim(button)


def test_pathological_screens_are_handled_in_bounded_time() -> None:
    card = view((0, 0, 1000, 2000), CLICK)
    dots = [
        view((x, y, x + 4, y + 9), CLICK, 2) for x in range(0, 1000, 10) for y in range(0, 2000, 10)
    ]
    with pytest.raises(Covered):
        aim(card, card, *dots, view((490, 990, 510, 1010), CLICK, 2))


def test_scroll_area_avoids_other_windows() -> None:
    rows, row = view((0, 500, 1000, 2000), SCROLL), view((0, 500, 1000, 900), CLICK, 2)
    shown = screen(app(rows, row))
    keyboard = DumpedWindow("INPUT_METHOD", None, Bounds(0, 1400, 1000, 2000), 5)
    assert find_area(shown, [APP], rows) == (0, 500, 1000, 2000)
    assert find_area(shown, [APP], rows, [keyboard]) == (0, 500, 1000, 1400)
    keyboard.bounds = APP
    with pytest.raises(Covered):
        find_area(shown, [APP], rows, [keyboard])
    gone = view((0, 2000, 1000, 2100), SCROLL)
    with pytest.raises(Covered):
        find_area(screen(app(gone)), [APP], gone)


# Android's dispatch, for trees of any shape.

SIDE = 16
WHOLE = Bounds(0, 0, SIDE, SIDE)


@dataclass(eq=False)
class Box:
    """A view inside its app."""

    place: Bounds
    """Screen coordinates. It may exceed its parent, where it is neither visible nor touchable."""
    takes: bool
    children: "list[Box]"
    """From the first drawn to the last."""

    def holds(self, x: int, y: int) -> bool:
        left, top, right, bottom = self.place
        return left <= x < right and top <= y < bottom

    def leads_to(self, other: "Box") -> bool:
        return self is other or any(child.leads_to(other) for child in self.children)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> Box:
    place = WHOLE
    if depth:
        left, top = draw(st.integers(-4, SIDE - 1)), draw(st.integers(-4, SIDE - 1))
        wide, high = draw(st.integers(1, SIDE)), draw(st.integers(1, SIDE))
        place = Bounds(left, top, left + wide, top + high)
    below = draw(st.lists(trees(depth + 1), max_size=3)) if depth < 3 else []
    return Box(place, draw(st.booleans()), below)


def find_taker(box: Box, x: int, y: int) -> Box | None:
    """As `ViewGroup.dispatchTouchEvent` does: the children that are there are asked from the last
    drawn to the first, then the view itself."""
    if not box.holds(x, y):
        return None
    for child in reversed(box.children):
        taker = find_taker(child, x, y)
        if taker is not None:
            return taker
    return box if box.takes else None


def find_places(root: Box, target: Box) -> set[tuple[int, int]]:
    """Return every pixel whose touch reaches the target."""
    return {
        (x, y)
        for x in range(SIDE)
        for y in range(SIDE)
        if target.holds(x, y) and find_taker(root, x, y) is target
    }


def put(box: Box, target: Box, *, last: bool) -> Box:
    """The same views, drawn so that everything that leads to the target comes first, or last."""
    return (
        box
        if box is target
        else Box(
            box.place,
            box.takes,
            sorted(
                (put(child, target, last=last) for child in box.children),
                key=lambda child: child.leads_to(target) is last,
            ),
        )
    )


def dump(
    box: Box, chance: random.Random, clip: Bounds | None = WHOLE, depth: int = 0, order: int = 0
) -> Iterator[tuple[Box, Node]]:
    """As `View.onInitializeAccessibilityNodeInfo` tells of views: bounds end where those of all
    parents do, children are read in another order than they are drawn in, and what cannot be seen
    is left out. Without a `clip`, as what is no view tells of itself, in whole bounds."""
    left, top, right, bottom = place = box.place
    if clip is not None:
        left, top = max(left, clip.left), max(top, clip.top)
        right, bottom = min(right, clip.right), min(bottom, clip.bottom)
        place = clip = Bounds(left, top, right, bottom)
    if left >= right or top >= bottom:
        return
    yield box, view(place, CLICK if box.takes else 0, depth, order)
    children = list(enumerate(box.children, 1))
    chance.shuffle(children)
    for number, child in children:
        yield from dump(child, chance, clip, depth + 1, number)


def aim_at(pairs: list[tuple[Box, Node]], node: Node) -> tuple[int, int]:
    window = Window(1, "APPLICATION", "p", "t", 0, True, [one for _, one in pairs])
    return find_point(Screen(SIDE, SIDE, 16, 0, [window]), [WHOLE], node)


@given(trees(), st.randoms(use_true_random=False))
def test_tap_reaches_the_element_whenever_possible(root: Box, chance: random.Random) -> None:
    pairs = list(dump(root, chance))
    for box, node in pairs:
        if box.takes:
            places = find_places(root, box)
            if places:
                assert aim_at(pairs, node) in places
            else:
                with pytest.raises(Covered):
                    aim_at(pairs, node)


@given(trees(), st.randoms(use_true_random=False))
def test_tap_reaches_the_element_in_any_drawing_order_if_it_is_unknown(
    root: Box, chance: random.Random
) -> None:
    pairs = list(dump(root, chance))
    for _, node in pairs:
        node.drawing_order = 0
    for box, node in pairs:
        if box.takes:
            sure = find_places(put(root, box, last=False), box)
            if sure:
                assert aim_at(pairs, node) in sure
            else:
                possible = find_places(put(root, box, last=True), box)
                with pytest.raises(Undecided if possible else Covered):
                    aim_at(pairs, node)


@given(trees(), st.randoms(use_true_random=False))
def test_element_that_exceeds_its_ancestors_is_tapped_within_them(
    root: Box, chance: random.Random
) -> None:
    pairs = list(dump(root, chance, None))
    for box, node in pairs:
        if box.takes:
            try:
                point = aim_at(pairs, node)
            except Covered:
                continue
            assert point in find_places(root, box)


# The same through the commands of a phone.


def write(pairs: list[tuple[Box, Node]], scale: int) -> str:
    """The dump as Android writes it, each element with its number for a text."""
    parts: list[str] = []
    depths: list[int] = []
    for number, (_, node) in enumerate(pairs):
        while depths and depths[-1] >= node.depth:
            parts.append("</node>")
            depths.pop()
        depths.append(node.depth)
        left, top, right, bottom = (edge * scale for edge in node.bounds)
        parts.append(
            f'<node index="{number}" text="{number}" class="android.widget.FrameLayout"'
            f' package="org.example.boxes" enabled="true"'
            f' clickable="{"true" if node.flags & CLICK else "false"}"'
            f' bounds="[{left},{top}][{right},{bottom}]" drawing-order="{node.drawing_order}">'
        )
    return f"<hierarchy>{''.join(parts)}{'</node>' * len(depths)}</hierarchy>"


@pytest.mark.matrix
@pytest.mark.parametrize("api", [28, 34, 35])
async def test_click_reaches_the_element_or_is_refused_on_every_android(
    tmp_path: Path, api: int
) -> None:
    file = tmp_path / "boxes.xml"
    clicked = refused = 0
    async with (
        VirtualPhone(api=api, width=SIDE * 60, height=SIDE * 60, density=160) as device,
        link_to(device) as link,
    ):
        driver = ShellDriver(link)
        for seed in range(5):
            chance = random.Random(seed)
            root = grow(chance)
            pairs = list(dump(root, chance))
            file.write_text(write(pairs, 60), encoding="utf-8")
            install_captured(device.world, [load_captured(file)])
            read = await driver.read_screen()
            shown = {node.text: node for window in read.windows for node in window.nodes}
            for number, (box, _) in enumerate(pairs):
                if not box.takes:
                    continue
                node = shown[str(number)]
                device.world.events.clear()
                signature = NodeSignature(node.class_name, node.resource_id, None, None, False)
                try:
                    await driver.act(Target("", signature, node=node), "click")
                except InputRefused:
                    refused += 1
                    assert api < 35 or not find_places(root, box)
                    continue
                clicked += 1
                heard = [event.details for event in device.world.events if event.kind == "captured"]
                assert [(operation[1], operation[4]) for operation in heard] == [
                    ("click", str(number))
                ]
    assert clicked
    assert refused


def grow(chance: random.Random, depth: int = 0) -> Box:
    """One of `trees`, of a good size."""
    place = WHOLE
    if depth:
        left, top = chance.randrange(-4, SIDE - 4), chance.randrange(-4, SIDE - 4)
        wide, high = chance.randrange(4, SIDE), chance.randrange(4, SIDE)
        place = Bounds(left, top, left + wide, top + high)
    below = [grow(chance, depth + 1) for _ in range(3)] if depth < 2 else []
    return Box(place, chance.random() < 0.6, below)


def test_recorded_screens_define_the_drawing_order() -> None:
    [window] = read_dump(fixtures.text("screens/pages-over-one-another-api35.xml")).windows
    named = {node.resource_id: node for node in window.nodes}
    here = Screen(1080, 2400, 420, 0, [Window(1, "APPLICATION", "p", "t", 0, True, window.nodes)])

    def point(name: str) -> tuple[int, int]:
        return find_point(here, [None], named[f"org.example.notes:id/{name}"])

    assert point("new_note") == (729, 2129)
    assert point("row_7") == (188, 2149)  # beside the button over it
    assert point("done") == (539, 1299)
    for name in ("row_3", "row_4"):
        with pytest.raises(Covered):
            point(name)
