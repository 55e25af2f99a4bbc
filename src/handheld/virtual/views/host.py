"""What a tree of views asks of its owner."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .view import View


class Host(Protocol):
    """The owner of a tree of views."""

    focus: "View | None"
    font_scale: float
    """The user's font scale."""

    def now(self) -> float:
        """The phone's time in milliseconds."""
        ...

    def tree_changed(self) -> None: ...

    def focus_view(self, view: "View | None") -> bool: ...

    def text_pressed(self, field: "View") -> None:
        """A text field was pressed long."""
        ...
