"""The state of a search for a row in a list, over several calls of a tool."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ...screen.model import Node


@dataclass(slots=True)
class ListSearch:
    """The progress of a search. Once the list was scrolled to one end and from there to the other,
    every row has been seen."""

    container: Node
    forward: bool = True
    ends: set[bool] = field(default_factory=set[bool])
    """The reached ends: True for the last row, False for the first."""
    pages: int = 0
    jumped: bool = False
    """Whether the list was at the row's last position before."""
    left: frozenset[Hashable] = frozenset()
    """The list's content at the end of the last call. If none of it is visible, something else has
    scrolled the list, and the search starts again."""
