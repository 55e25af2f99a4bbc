"""Views of a captured screen, with the bounds and attributes of the dump."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from handheld.screen.model import Bounds, Flag, Node

from ..drawing import theme
from ..drawing.pen import Pen
from ..text import lines
from ..text.fonts import LINE_HEIGHT
from ..view import View
from .dump import DumpNode

if TYPE_CHECKING:
    from ..window import Window

_FLAGS = {
    "checkable": Flag.CHECKABLE,
    "checked": Flag.CHECKED,
    "clickable": Flag.CLICKABLE,
    "editable": Flag.EDITABLE,
    "enabled": Flag.ENABLED,
    "focusable": Flag.FOCUSABLE,
    "focused": Flag.FOCUSED,
    "scrollable": Flag.SCROLLABLE,
    "long-clickable": Flag.LONG_CLICKABLE,
    "password": Flag.PASSWORD,
    "selected": Flag.SELECTED,
    "showing-hint": Flag.SHOWING_HINT,
}
_FIELDS = ("EditText", "AutoCompleteTextView", "AutoComplete")
"""Suffixes of the classes of text fields. A dump has no attribute for a text field, only the class
that a view reports to accessibility: a custom view reports its widget's class, or a class whose
name usually ends like it."""
_COLLECTIONS = ("RecyclerView", "ListView", "GridView")
_TOUCH_CONSUMERS = ("ScrollView", "WebView", "ViewPager", "SeekBar")
"""Classes whose onTouchEvent consumes every touch."""


class CapturedView(View):
    """An immutable view."""

    __slots__ = (
        "_bounds",
        "_on_operation",
        "flags",
        "hidden",
        "index",
        "name",
        "order",
        "package",
        "picture",
        "pictured",
        "words",
    )

    def __init__(
        self,
        node: DumpNode,
        on_operation: Callable[[str, "CapturedView"], object],
        picture: Callable[[Pen], object] | None = None,
        pictured: bool = False,
    ) -> None:
        """`on_operation` is called for every operation. A `pictured` view draws no box, because it
        is visible on the `picture` that the root of the lowest window draws."""
        children = [CapturedView(child, on_operation, None, pictured) for child in node.children]
        attributes = node.attributes
        kind = attributes.get("class") or "android.view.View"
        super().__init__(
            *children, class_name=kind, description=attributes.get("content-desc") or None
        )
        self.index = node.index
        self.name = attributes.get("resource-id") or None
        self.package = attributes.get("package")
        """The app, because a widget on a home screen belongs to another app than the rest."""
        self.words = attributes.get("text") or None
        self.hidden = "false" in (attributes.get("visible-to-user"), attributes.get("displayed"))
        """Whether the dump marks it as not visible."""
        left, top, right, bottom = node.bounds
        self.flags = _flags(attributes, kind)
        if left < right and top < bottom and not self.hidden:
            self.flags |= int(Flag.VISIBLE)
        self._enabled = bool(self.flags & Flag.ENABLED)
        self.clickable = bool(self.flags & Flag.CLICKABLE)
        self.long_clickable = bool(self.flags & Flag.LONG_CLICKABLE)
        self.focusable = False
        self.picture, self.pictured = picture, pictured
        order = attributes.get("drawing-order", "")
        self.order = int(order) if re.fullmatch(r"\d{1,6}", order) else None
        """Its drawing order among its siblings; None if the dump has none."""
        self._bounds = node.bounds
        self._on_operation = on_operation

    @property
    def text(self) -> str | None:
        return self.words

    @property
    def drawn(self) -> list[View]:
        """The children in drawing order, or in the order of the dump."""
        return sorted(self.children, key=_order)

    @property
    def takes_touch(self) -> bool:
        kept = self.flags & (Flag.SCROLLABLE | Flag.EDITABLE | Flag.COLLECTION)
        return super().takes_touch or bool(kept) or self.class_name.endswith(_TOUCH_CONSUMERS)

    def click(self) -> bool:
        return super().click() and self._report("click")

    def long_click(self) -> bool:
        return super().long_click() and self._report("long click")

    def _report(self, operation: str) -> bool:
        self._on_operation(operation, self)
        return True

    def measure(
        self, room_w: int, room_h: int, dp: float, exact_w: bool = False, exact_h: bool = False
    ) -> None:
        """Keep the fixed size."""

    def arrange(self, x: int, y: int, dp: float) -> None:
        if self.stale:
            self.stale = False
            self.place = self._bounds
            for child in self.children:
                child.arrange(x, y, dp)

    def read(self, window: "Window") -> list[Node]:
        """Return the nodes of the view and its descendants, as in the dump."""
        nodes: list[Node] = []
        waiting: list[tuple[CapturedView, int]] = [(self, 0)]
        while waiting:
            view, depth = waiting.pop()
            nodes.append(
                Node(
                    depth,
                    view.index,
                    view.key or window.key_of(view),
                    view.class_name,
                    view.words,
                    view.description,
                    view.name,
                    Bounds(*view._bounds),
                    view.flags,
                    view.order or 0,
                )
            )
            waiting += [
                (child, depth + 1)
                for child in reversed(view.children)
                if isinstance(child, CapturedView)
            ]
        return nodes

    # Drawing

    def draw(self, pen: Pen, dp: float) -> None:
        if self.picture is not None:
            self.picture(pen)
        if self.pictured:
            return
        left, top, right, bottom = box = self.place
        if right <= left or bottom <= top:
            return
        if self.parent is None:
            pen.box(box, theme.SURFACE)
        elif self.clickable or self.flags & (Flag.EDITABLE | Flag.CHECKABLE):
            pen.box(box, theme.SURFACE_HIGH, 6 * dp)
        if self.parent is not None and not self.children and not self._is_only_text:
            pen.outline(box, theme.DISABLED, max(1.0, dp * 0.75), 6 * dp)
        self._write(pen, dp)

    @property
    def _is_only_text(self) -> bool:
        return self.words is not None and not self.clickable

    def _write(self, pen: Pen, dp: float) -> None:
        shown = self.words or (None if self.children else self.description)
        if not shown:
            return
        left, top, right, bottom = box = self.place
        shown = shown[:2000]
        size = min(14 * dp, (bottom - top) / LINE_HEIGHT)
        pad = 0.0 if self._is_only_text else min(6 * dp, (right - left) / 8)
        room = max(1, int(right - left - 2 * pad))
        most = max(1, int((bottom - top) / max(1.0, size * LINE_HEIGHT)))
        across = lines.width(shown, size, "Regular")
        if most == 1 and across > room:
            # The captured text fitted, in another font.
            size = max(size / 2, size * room / across * 0.98)
        if size < 1:
            return
        wrapped = lines.wrap(shown, size, "Regular", room, most)
        y = top + max(0.0, (bottom - top - len(wrapped) * size * LINE_HEIGHT) / 2)
        color = self.ink(theme.ON_SURFACE if self.words else theme.ON_SURFACE_DIM)
        centred = self.class_name.endswith("Button")
        for line in wrapped:
            spare = room - lines.width(line, size, "Regular") if centred else 0
            pen.text(left + pad + max(0, spare) / 2, y, line, size, "Regular", color, box)
            y += size * LINE_HEIGHT


def _order(view: View) -> int:
    return (view.order or 0) if isinstance(view, CapturedView) else 0


def _flags(attributes: dict[str, str], kind: str) -> int:
    flags = int(Flag.ENABLED) if "enabled" not in attributes else 0
    for name, flag in _FLAGS.items():
        if attributes.get(name) == "true":
            flags |= flag
    if kind.endswith(_FIELDS) or flags & Flag.PASSWORD:
        flags |= Flag.EDITABLE
    if kind.endswith(_COLLECTIONS):
        flags |= Flag.COLLECTION
    hint = attributes.get("hint")
    if hint and flags & Flag.EDITABLE and attributes.get("text") == hint:
        flags |= Flag.SHOWING_HINT
    return int(flags)
