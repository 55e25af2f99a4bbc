"""Draw docs/architecture.svg from the table of layers in tests/test_layers.py.

Each row is one layer. The bold arrows follow one tool call from the client to the phone.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

CALL_PATH = ("server", "calls", "tools", "phone", "driver", "helper", "adb")
"""The packages that a tool call passes, in order. They form the middle column."""
ENTRANCES = {
    "library": ("Program", "Python"),
    "cli": ("Person", "terminal"),
    "console": ("Person", "browser"),
    "server": ("MCP client", "HTTP or stdio"),
}
"""Who uses a package from outside, and through what."""

WIDTH, MARGIN = 1120, 20
ACTOR, PHONE = 150, 180
"""Widths of the columns at the left and the right of the packages."""
ROWS_LEFT, ROWS_RIGHT = ACTOR + 2 * MARGIN, WIDTH - PHONE - 2 * MARGIN
MIDDLE = (ROWS_LEFT + ROWS_RIGHT) / 2
BOX, GAP, STEP = 34, 14, 54
TOP = 24

STYLE = """
  text { font: 14px system-ui, "Segoe UI", Roboto, Arial, sans-serif; fill: #1f2328; }
  .name { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  .small { font-size: 12px; fill: #59636e; }
  .page { fill: #ffffff; }
  .row { fill: #f3f5f8; }
  .box { fill: #ffffff; stroke: #8c959f; }
  .path { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.5; }
  .outside { fill: none; stroke: #8c959f; stroke-dasharray: 4 3; }
  .arrow { stroke: #0969da; stroke-width: 2.5; fill: none; marker-end: url(#head); }
  .down { stroke: #8c959f; stroke-width: 1.5; fill: none; marker-end: url(#grey); }
  #head path { fill: #0969da; }
  #grey path { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .page { fill: #0d1117; }
    .row { fill: #161b22; }
    .box { fill: #0d1117; stroke: #6e7681; }
    .path { fill: #0c2d4d; stroke: #58a6ff; }
    .outside { stroke: #6e7681; }
    .arrow { stroke: #58a6ff; }
    #head path { fill: #58a6ff; }
  }
"""


class Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float = BOX

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def x(self) -> float:
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        return self.top + self.height / 2


def place(layers: Sequence[Sequence[str]]) -> dict[str, Box]:
    """Where each package is drawn. The call path is vertical, and no box stands in its way."""
    ranks = {name: rank for rank, row in enumerate(layers) for name in row}
    first, last = ranks[CALL_PATH[0]], ranks[CALL_PATH[-1]]
    boxes: dict[str, Box] = {}
    for rank, row in enumerate(layers):
        top = TOP + rank * STEP + (STEP - BOX) / 2
        centre = [name for name in row if name in CALL_PATH]
        others = [name for name in row if name not in CALL_PATH]
        if not first <= rank <= last:
            boxes |= _in_line(row, MIDDLE - _length(row) / 2, top)
            continue
        boxes |= _in_line(centre, MIDDLE - _length(centre) / 2, top)
        # A client's arrow arrives from the left, so a lone neighbour goes to the other side.
        enters = any(name in ENTRANCES for name in row)
        left, right = others[enters::2], others[1 - enters :: 2]
        half = _length(centre) / 2 if centre else GAP
        boxes |= _in_line(left, MIDDLE - half - GAP - _length(left), top)
        boxes |= _in_line(right, MIDDLE + half + GAP, top)
    return boxes


def _width(name: str) -> float:
    return 8.6 * len(name) + 26


def _length(names: Sequence[str]) -> float:
    return sum(map(_width, names)) + GAP * max(0, len(names) - 1)


def _in_line(names: Iterable[str], left: float, top: float) -> Iterator[tuple[str, Box]]:
    for name in names:
        yield name, Box(left, top, _width(name))
        left += _width(name) + GAP


def _rect(box: Box, style: str) -> str:
    return (
        f'<rect class="{style}" x="{box.left:.0f}" y="{box.top:.0f}" width="{box.width:.0f}"'
        f' height="{box.height:.0f}" rx="6"/>'
    )


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "middle") -> str:
    return f'<text class="{style}" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>'


def _arrow(x1: float, y1: float, x2: float, y2: float, style: str = "arrow") -> str:
    return f'<path class="{style}" d="M{x1:.0f} {y1:.0f} L{x2:.0f} {y2:.0f}"/>'


def _head(name: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9"'
        ' markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z"/></marker>'
    )


def draw(layers: Sequence[Sequence[str]], shared: Iterable[str]) -> str:
    """The whole picture. `shared` are the modules that the virtual phone has in common with us."""
    boxes = place(layers)
    height = TOP + len(layers) * STEP + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' aria-label="The packages of Handheld in layers, and the path of a tool call">',
        f"<style>{STYLE}</style>",
        f"<defs>{_head('head')}{_head('grey')}</defs>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="8"/>',
    ]
    for rank in range(len(layers)):
        band = Box(ROWS_LEFT, TOP + rank * STEP + 4, ROWS_RIGHT - ROWS_LEFT, STEP - 8)
        parts.append(_rect(band, "row"))
    for name, (who, through) in ENTRANCES.items():
        box = boxes[name]
        actor = Box(MARGIN, box.y - 21, ACTOR, 42)
        parts += [
            _rect(actor, "outside"),
            _text(actor.x, actor.y - 3, who),
            _text(actor.x, actor.y + 13, through, "small"),
            _arrow(actor.right, box.y, box.left - 2, box.y),
        ]
    for above, below in pairwise(CALL_PATH):
        parts.append(_arrow(MIDDLE, boxes[above].bottom, MIDDLE, boxes[below].top - 2))
    for name, box in boxes.items():
        parts.append(_rect(box, "path" if name in CALL_PATH else "box"))
        parts.append(_text(box.x, box.y + 5, name, "name"))
    parts += _phones(boxes[CALL_PATH[-1]], shared)
    note = boxes[CALL_PATH[1]].bottom + 60
    parts.append(_arrow(MARGIN + 8, note - 14, MARGIN + 8, note + 66, "down"))
    for number, line in enumerate(("A package imports", "only packages in", "rows below its own.")):
        parts.append(_text(MARGIN + 24, note + 8 + 20 * number, line, "small", "start"))
    return "\n".join([*parts, "</svg>\n"])


def _phones(adb: Box, shared: Iterable[str]) -> Iterator[str]:
    """The two kinds of phone, at the right of adb."""
    names = sorted(shared)
    left = ROWS_RIGHT + MARGIN
    real = Box(left, adb.y - 34, PHONE, 68)
    height = 106 + 17 * len(names)
    virtual = Box(left, real.top - 20 - height, PHONE, height)
    yield _rect(real, "outside")
    yield _text(real.x, real.top + 28, "Android phone")
    yield _text(real.x, real.top + 47, "adbd, helper (Java)", "small")
    yield _arrow(adb.right, adb.y, real.left - 2, adb.y)
    yield _rect(virtual, "outside")
    yield _text(virtual.x, virtual.top + 26, "virtual", "name")
    lines = ("the virtual phone, a", "process of its own;", "shares only these:")
    for number, line in enumerate(lines):
        yield _text(virtual.x, virtual.top + 46 + 16 * number, line, "small")
    for number, name in enumerate(names):
        yield _text(virtual.x, virtual.top + 100 + 17 * number, name, "name small")
    branch = real.left - 12
    yield f'<path class="arrow" d="M{branch:.0f} {adb.y:.0f} V{virtual.y:.0f} H{left - 2:.0f}"/>'
