"""The interface between a tree of views and the window that shows it."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..system.android import Android
    from .view import View


class Host(Protocol):
    """The owner of a tree of views."""

    focus: "View | None"
    font_scale: float
    """The user's font scale."""

    android: "Android"

    def now(self) -> float:
        """The phone's time in milliseconds."""
        ...

    def tree_changed(self, source: "View", changes: int) -> None:
        """Lay out the tree and send an event, because the content changed."""
        ...

    def tree_dirty(self) -> None:
        """Lay out the tree without an event."""
        ...

    def send(self, kind: str, source: "View", changes: int = 0, **details: Any) -> None: ...

    def send_later(
        self, kind: str, source: "View", ms: float, changes: int = 0, *, postpone: bool = False
    ) -> None: ...

    def focus_view(self, view: "View | None") -> bool: ...

    def drop_focus(self) -> None: ...

    def text_pressed(self, field: "View") -> None:
        """Handle a long press on a text field."""
        ...
