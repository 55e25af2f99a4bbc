"""Views, the nodes of the tree that is measured, laid out, drawn, touched and read.

Constructors take lengths in dp; after layout, a view's place is in pixels of the screen.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from handheld.screen.model import Details, WebNode

from .drawing import theme
from .drawing.pen import Box, Pen
from .drawing.theme import Color
from .host import Host
from .options import Action, Sides, sides
from .reading.events import Changed
from .sizes import MATCH as MATCH
from .sizes import UNBOUNDED as UNBOUNDED
from .sizes import WRAP, align, resolve

HTML_ID = "#"
"""The prefix of a web page element's id, which has no package."""


@dataclass(slots=True)
class Told(Details):
    """An app's further information about a view for accessibility services: state, error, pane
    title."""

    heading: bool = False
    labeled_by: "View | None" = None
    """The view that labels it, with android:labelFor."""
    web: WebNode | None = None
    """The properties of a web page element."""


class View:
    """A rectangle with children. All content of the screen consists of views."""

    kind = "android.view.View"
    """The Android class; a constructor's `class_name` overrides it."""
    scrollable = False
    """Whether drags scroll it; `can_scroll` is whether it can scroll now."""
    draggable = False
    """Whether it uses drags for another purpose; `takes_drag` is whether it takes one now."""
    collection = False
    editable = False
    keeps_focus = False
    """Whether it is focusable in touch mode: it keeps the focus when a finger touches the
    screen."""
    checkable = False
    partly_checked = False
    password = False
    detailed = False
    """Whether its class gives accessibility services more information: `node_info.details_of`."""

    __slots__ = (
        "_description",
        "_enabled",
        "_shown",
        "asked",
        "background",
        "children",
        "class_name",
        "clickable",
        "content_gravity",
        "expanded",
        "focusable",
        "gravity",
        "height",
        "host",
        "id",
        "key",
        "long_clickable",
        "margin",
        "measured",
        "number",
        "on_click",
        "on_double_tap",
        "on_long_click",
        "on_touch",
        "padding",
        "parent",
        "place",
        "radius",
        "selected",
        "stale",
        "told",
        "virtual",
        "weight",
        "width",
    )

    def __init__(
        self,
        *children: "View",
        id: str | None = None,
        width: float = WRAP,
        height: float = WRAP,
        weight: float = 0,
        gravity: str = "",
        content_gravity: str = "",
        margin: Sides = 0,
        padding: Sides = 0,
        background: Color | None = None,
        radius: float = 0,
        description: str | None = None,
        enabled: bool = True,
        shown: bool = True,
        clickable: bool | None = None,
        focusable: bool | None = None,
        on_click: Action | None = None,
        on_long_click: Action | None = None,
        on_double_tap: Action | None = None,
        on_touch: Callable[[str, int, float, float], object] | None = None,
        class_name: str | None = None,
    ) -> None:
        self.id = id
        """`name` for an id of the window's package, or a full `package:id/name`."""
        self.width, self.height = width, height
        self.weight = weight
        """Its share of the remaining space in a row or column."""
        self.gravity = gravity
        """Its position in the parent, made of left, right, top, bottom and center."""
        self.content_gravity = content_gravity
        """The gravity of children without their own."""
        self.margin, self.padding = sides(margin), sides(padding)
        self.background, self.radius = background, radius
        self._description, self._enabled, self._shown = description, enabled, shown
        self.clickable = on_click is not None if clickable is None else clickable
        self.long_clickable = on_long_click is not None
        self.focusable = self.clickable if focusable is None else focusable
        self.selected = False
        self.expanded: bool | None = None
        """Whether a collapsible view, such as a list group, is expanded; None for others."""
        self.told: Told | None = None
        self.on_click, self.on_long_click = on_click, on_long_click
        self.on_double_tap, self.on_touch = on_double_tap, on_touch
        self.class_name = class_name or self.kind
        self.number = 0
        """The number that the window assigns when it first reads the view; 0 before."""
        self.key = ""
        self.virtual = -1
        """The id of a virtual view, which another view draws, as calendars and web pages do."""
        self.host: Host | None = None
        self.parent: View | None = None
        self.stale = True
        """Whether it or a descendant has changed since the last layout."""
        self.asked: tuple[int, int, float, bool, bool] | None = None
        """The arguments of the last measurement."""
        self.measured = (0, 0)
        self.place: Box = (0, 0, 0, 0)
        """Its position on the screen, not clipped."""
        self.children: list[View] = []
        for child in children:
            self.adopt(child)

    # The tree

    def adopt(self, child: "View") -> None:
        """Add a child without notifying the host, while the tree is being built."""
        child.parent = self
        self.children.append(child)

    def add(self, *children: "View") -> None:
        for child in children:
            self.adopt(child)
        self.changed()

    def remove(self, *children: "View") -> None:
        for child in children:
            self.children.remove(child)
            child.parent = None
        self.changed()

    def replace(self, *children: "View") -> None:
        """Replace all children."""
        for child in self.children:
            if child.parent is self:  # it may have moved to another parent
                child.parent = None
        self.children = []
        self.add(*children)

    def walk(self) -> "Iterator[View]":
        yield self
        for child in self.children:
            yield from child.walk()

    def ancestors(self) -> "Iterator[View]":
        """The view itself first, the root last."""
        view: View | None = self
        while view is not None:
            yield view
            view = view.parent

    def root_host(self) -> Host | None:
        view = self
        while view.parent is not None:
            view = view.parent
        return view.host

    def changed(self, changes: int = Changed.SUBTREE) -> None:
        """Mark the view as changed, and send an event. Instead of a container that is not important
        for accessibility, its nearest important ancestor sends it."""
        if (host := self.invalidate()) is not None:
            source = self
            while changes == Changed.SUBTREE and source.parent and not source.important:
                source = source.parent
            host.tree_changed(source, changes)

    def invalidate(self) -> Host | None:
        """Mark the view as changed; return its host, which lays it out again."""
        view = self
        view.stale = True
        while view.parent is not None:
            view = view.parent
            view.stale = True
        if view.host is not None:
            view.host.tree_dirty()
        return view.host

    def send(self, kind: str, changes: int = 0, **details: Any) -> None:
        """Send an accessibility event."""
        if (host := self.root_host()) is not None:
            host.send(kind, self, changes, **details)

    def event_details(self, kind: str) -> dict[str, Any]:
        """The properties of the view in a delayed event."""
        return {}

    # State that apps change

    @property
    def text(self) -> str | None:
        return None

    @property
    def showing_hint(self) -> bool:
        return False

    @property
    def checked(self) -> bool:
        return False

    @property
    def description(self) -> str | None:
        return self._description

    @description.setter
    def description(self, value: str | None) -> None:
        if value != self._description:
            self._description = value
            self.changed(Changed.DESCRIPTION)

    @property
    def enabled(self) -> bool:
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if value != self._enabled:
            self._enabled = value
            host = self.root_host()
            if host is not None and host.focus is self:
                host.drop_focus()
            self.changed(Changed.UNDEFINED)
            if host is not None and host.android.enabled_changes:
                self.changed(Changed.ENABLED)

    @property
    def shown(self) -> bool:
        """Whether it is shown. If not, it is GONE: it takes no space and is not in the tree."""
        return self._shown

    @shown.setter
    def shown(self, value: bool) -> None:
        if value != self._shown:
            self._shown = value
            host = self.invalidate()
            if value:
                self.changed()
                self.changed(Changed.UNDEFINED)
            elif host is not None and host.android.hidden_views_reported:
                (self.parent or self).changed()

    @property
    def focused(self) -> bool:
        host = self.root_host()
        return host is not None and host.focus is self

    @property
    def important(self) -> bool:
        """View.isImportantForAccessibility(): whether it is more than a layout."""
        acts = self.clickable or self.long_clickable or self.focusable
        return acts or self.collection or self.text is not None or self.description is not None

    @property
    def drawn(self) -> "list[View]":
        """The children in drawing order; the last gets touches first."""
        return self.children

    @property
    def takes_touch(self) -> bool:
        """Whether it consumes a touch that no child takes."""
        wants = self.clickable or self.long_clickable or self.scrollable or self.draggable
        return wants or self.on_touch is not None

    def mark(self, flags: int, old: bool) -> int:
        """The flags that the drawing view gives to a virtual view; `old` means up to Android 10."""
        return flags

    # Actions

    def click(self) -> bool:
        """Click the view; return False if it takes no clicks now."""
        if not (self.clickable and self._enabled):
            return False
        if self.on_click is not None:
            self.on_click()
        self.send("VIEW_CLICKED")
        return True

    def long_click(self) -> bool:
        if not (self.long_clickable and self._enabled):
            return False
        self.send("VIEW_LONG_CLICKED")
        if self.on_long_click is not None:
            self.on_long_click()
        return True

    def take_focus(self) -> bool:
        host = self.root_host()
        return bool(self.focusable and self._enabled and host is not None and host.focus_view(self))

    def leave_focus(self) -> None:
        """Called when another view gets the focus."""

    def can_scroll(self, forward: bool | None = None) -> bool:
        """Return whether it can scroll in a direction; None means any direction."""
        return False

    def scroll_page(self, forward: bool) -> bool:
        return False

    def item_place(self, index: int) -> tuple[int, int] | None:
        """Return the row and column of the child with this index, if the children are items of a
        list."""
        return None

    def scroll_to_item(self, row: int, column: int) -> bool:
        """Scroll to an item; return False if the view does not offer the action."""
        return False

    # Drags by one finger; right and down are positive

    def takes_drag(self, across: bool) -> bool:
        """Return whether it takes a drag, which is horizontal if `across`."""
        return False

    def drag_by(self, pixels: int) -> None:
        """Move the finger."""

    def drag_end(self, speed: float, dp: float) -> None:
        """Lift the finger, at a speed in pixels per second."""

    def drag_cancel(self) -> None:
        """Cancel the drag, which then has no effect."""

    # Layout

    def measure(
        self, room_w: int, room_h: int, dp: float, exact_w: bool = False, exact_h: bool = False
    ) -> None:
        """Measure the view in the given space; `exact_w` and `exact_h` mean to fill it. `dp` is
        pixels per dp."""
        asked = (room_w, room_h, dp, exact_w, exact_h)
        if not self.stale and asked == self.asked:
            return
        self.asked, self.stale = asked, True
        exact_w, room_w = resolve(self.width, room_w, dp, exact_w)
        exact_h, room_h = resolve(self.height, room_h, dp, exact_h)
        left, top, right, bottom = self.padding
        across, down = round((left + right) * dp), round((top + bottom) * dp)
        width, height = self.measure_content(
            max(0, room_w - across), max(0, room_h - down), dp, exact_w, exact_h
        )
        self.measured = (
            room_w if exact_w else min(room_w, width + across),
            room_h if exact_h else min(room_h, height + down),
        )

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        """Measure the children and return the content's size. The base class stacks the
        children."""
        most_w = most_h = 0
        for child in self.children:
            if child.shown:
                left, top, right, bottom = child.margin
                across, down = round((left + right) * dp), round((top + bottom) * dp)
                child.measure(max(0, room_w - across), max(0, room_h - down), dp)
                most_w = max(most_w, child.measured[0] + across)
                most_h = max(most_h, child.measured[1] + down)
        return most_w, most_h

    def arrange(self, x: int, y: int, dp: float) -> None:
        place = (x, y, x + self.measured[0], y + self.measured[1])
        if not self.stale and place == self.place:
            return
        self.place, self.stale = place, False
        if self.children:
            self.arrange_children(dp)

    def arrange_children(self, dp: float) -> None:
        box = self.inner(dp)
        for child in self.children:
            if child.shown:
                child.arrange_in(box, child.gravity or self.content_gravity, dp)

    def arrange_in(self, box: Box, gravity: str, dp: float) -> None:
        """Place the view in the box according to the gravity, inside its margins."""
        left, top, right, bottom = (round(side * dp) for side in self.margin)
        x = align(box[0] + left, box[2] - right, self.measured[0], gravity, "left", "right")
        y = align(box[1] + top, box[3] - bottom, self.measured[1], gravity, "top", "bottom")
        self.arrange(x, y, dp)

    def inner(self, dp: float) -> Box:
        """Return its place without the padding."""
        left, top, right, bottom = self.padding
        return (
            self.place[0] + round(left * dp),
            self.place[1] + round(top * dp),
            self.place[2] - round(right * dp),
            self.place[3] - round(bottom * dp),
        )

    # Drawing

    def draw(self, pen: Pen, dp: float) -> None:
        """Draw the view without its children, which follow."""
        if self.background is not None:
            pen.box(self.place, self.background, self.radius * dp)

    def ink(self, color: Color) -> Color:
        """Return the colour, or grey if the view is disabled."""
        return color if self._enabled else theme.DISABLED
