"""Screens that nobody drew: trees of every kind of view, with words that occur once."""

from itertools import count
from random import Random
from xml.sax.saxutils import quoteattr

from bench.economy.captures import Capture, read_screen
from hypothesis import strategies as st

WIDTH, HEIGHT = 1080, 2400
_GROUPS = ("android.widget.FrameLayout", "android.view.View", "android.app.Dialog")
_SCROLLERS = (
    "android.widget.ScrollView",
    "androidx.recyclerview.widget.RecyclerView",
    "android.widget.HorizontalScrollView",
    "androidx.viewpager.widget.ViewPager",
    "android.widget.ListView",
)
_LEAVES = (
    "android.widget.TextView",
    "android.widget.Button",
    "android.widget.ImageView",
    "android.widget.EditText",
    "android.widget.CheckBox",
    "android.view.View",
)
_STRAY = (
    (0, 0, 0, 0),
    (300, 500, 300, 400),
    (-400, -900, -10, -20),
    (-200, 100, 500, 300),
    (900, 2300, 1400, 2900),
    (1080, 0, 2160, 2400),
    (0, 2400, 1080, 3000),
)
"""Empty, inverted, negative and off the screen."""
DEEPEST = 6

Box = tuple[int, int, int, int]


def grown_screens() -> st.SearchStrategy[Capture]:
    """By a number: a tree of this size drawn by hypothesis takes a hundred times as long."""
    return st.integers(0, 2**32).map(grow_screen)


def grow_screen(seed: int) -> Capture:
    """Return a screen as its dump. Its layers lie over one another anywhere, and scrollers are
    inside one another."""
    xml = f'<hierarchy rotation="0">{_Growth(seed).grow(0, (0, 0, WIDTH, HEIGHT), 0)}</hierarchy>'
    return Capture(str(seed), xml, read_screen(xml))


class _Growth:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._numbers = count()
        self._letter = "מ" if self._seldom(4) else "w"
        self._ordered = self._seldom(2)

    def _seldom(self, of: int) -> bool:
        return self._random.randrange(of) == 0

    def grow(self, depth: int, around: Box, index: int) -> str:
        is_group = depth < DEEPEST and (depth == 0 or not self._seldom(2))
        scrolls = is_group and self._seldom(3)
        name = self._random.choice(_SCROLLERS if scrolls else _GROUPS if is_group else _LEAVES)
        if scrolls and self._seldom(6):
            name = "android.webkit.WebView"
        box = self._box(around) if depth else around
        says = self._random.randrange(12 if is_group else 3)
        attributes: dict[str, object] = {
            "index": index,
            "class": name,
            "package": "com.example",
            "text": self._word() if says == 1 else "",
            "content-desc": self._word() if says == 2 else "",
            "resource-id": "",
            "clickable": self._seldom(3),
            "long-clickable": self._seldom(12),
            "checkable": name.endswith("CheckBox"),
            "checked": name.endswith("CheckBox") and self._seldom(2),
            "selected": self._seldom(8),
            "enabled": not self._seldom(10),
            "focused": self._seldom(20),
            "scrollable": scrolls,
            "visible-to-user": not self._seldom(20),
            "drawing-order": self._random.randint(1, 4) if self._ordered else 0,
            "bounds": f"[{box[0]},{box[1]}][{box[2]},{box[3]}]",
        }
        printed = " ".join(f"{key}={quoteattr(_print(each))}" for key, each in attributes.items())
        inner = range(self._random.randrange(5)) if is_group else ()
        return f"<node {printed}>{''.join(self.grow(depth + 1, box, at) for at in inner)}</node>"

    def _word(self) -> str:
        return f"{self._letter}{next(self._numbers)}"

    def _box(self, around: Box) -> Box:
        """Mostly inside of what is around it: the whole of it, or a part on a grid."""
        if self._seldom(4):
            return around
        if self._seldom(10):
            return self._random.choice(_STRAY)
        left, top, right, bottom = around
        xs = sorted(left + (right - left) * self._random.randint(0, 12) // 12 for _ in range(2))
        ys = sorted(top + (bottom - top) * self._random.randint(0, 12) // 12 for _ in range(2))
        return xs[0], ys[0], xs[1], ys[1]


def _print(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
