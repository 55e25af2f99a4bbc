"""Text of web pages, folded: a page makes every piece of a sentence a separate node. Consecutive
pieces of one block become one text.

Elements with actions stay unchanged, no text is dropped, and the order stays; targets are still
found among all nodes. Only nodes with a role are folded: only web content has roles.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .model import Flag, Node, WebNode, Window

_INLINE = frozenset(
    {
        "abbr",
        "code",
        "contentDeletion",
        "contentInsertion",
        "emphasis",
        "inlineTextBox",
        "labelText",
        "lineBreak",
        "listMarker",
        "mark",
        "ruby",
        "rubyAnnotation",
        "staticText",
        "strong",
        "subscript",
        "suggestion",
        "superscript",
        "time",
    }
)
"""Chromium's names of roles for inline content. All others are blocks."""
_FLOWING = frozenset(
    {
        "blockquote",
        "caption",
        "cell",
        "columnHeader",
        "definition",
        "descriptionListDetail",
        "descriptionListTerm",
        "figcaption",
        "footnote",
        "gridCell",
        "heading",
        "legend",
        "listItem",
        "note",
        "paragraph",
        "rowHeader",
        "term",
    }
)
"""Roles of blocks whose parts are read in the order of the page, wherever lines break."""
_ACTS = int(
    Flag.CLICKABLE
    | Flag.LONG_CLICKABLE
    | Flag.SCROLLABLE
    | Flag.EDITABLE
    | Flag.CHECKABLE
    | Flag.FOCUSABLE
)
_PLAIN = int(Flag.VISIBLE | Flag.ENABLED)
"""The only flags that a piece of text may have."""
_CLOSING = frozenset(",.;:!?)]}…%’”»")
_OPENING = frozenset("([{“‘«¿¡")


class Folding:
    """The foldable text of one window."""

    def __init__(self, window: Window) -> None:
        self.runs: dict[int, int] = {}
        """The number of the run for each node that is a piece of text. A run's pieces follow one
        another, with nothing between them that is listed."""
        self.blocks: dict[int, int] = {}
        """For each web node with content, or that can be acted on: the position of the block whose
        text flows around it."""
        if window.web:
            self._find(window.nodes, window.web)

    def _find(self, nodes: Sequence[Node], web: Mapping[int, WebNode]) -> None:
        # The path to the current node: depth, the block that its children are in, and the one
        # whose text flows around them.
        trail: list[tuple[int, int, int]] = []
        run, last, flags = 0, -1, 0
        for number, node in enumerate(nodes):
            while trail and trail[-1][0] >= node.depth:
                trail.pop()
            _, block, flow = trail[-1] if trail else (-1, -1, -1)
            told = web.get(number)
            role = None if told is None else told.role
            acts = node.flags & _ACTS
            if role not in _INLINE:
                block = number
                # An element with actions is part of the line of the text around it.
                flow = number if role in _FLOWING else flow if role is not None and acts else -1
            elif acts:
                block = number
            says = node.text or node.description
            if says or node.resource_id or acts:
                if told is not None and flow >= 0:
                    self.blocks[number] = flow
                if told is not None and _is_piece(node):
                    if block != last or node.flags != flags:
                        run += 1
                    self.runs[number] = run
                    last, flags = block, node.flags
                else:
                    last = -1
            trail.append((node.depth, block, flow))


def _is_piece(node: Node) -> bool:
    besides = node.description or node.resource_id or node.flags & ~_PLAIN
    return bool(node.text) and not besides


def split(lengths: Iterable[int], most: int) -> Iterator[range]:
    """Yield the pieces of a run that become one text, without cutting a piece that alone would not
    be cut."""
    start, total, number = 0, 0, -1
    for number, length in enumerate(lengths):
        if number > start and total + 1 + length > most:
            yield range(start, number)
            start, total = number, length
        else:
            total += length + (number > start)
    if number >= start:
        yield range(start, number + 1)


def join(pieces: Iterable[str]) -> str:
    """Join pieces of a sentence: with a space where a piece has one at that end, or where neither
    end is a sign that stands without one."""
    joined: list[str] = []
    last = ""
    for piece in pieces:
        words = piece.strip()
        if not words:
            last = f"{last} "
            continue
        if joined and _is_apart(last, piece):
            joined.append(" ")
        joined.append(words)
        last = piece
    return "".join(joined)


def _is_apart(one: str, other: str) -> bool:
    end, start = one[-1], other[0]
    if end.isspace() or start.isspace():
        return True
    return end not in _OPENING and start not in _CLOSING
