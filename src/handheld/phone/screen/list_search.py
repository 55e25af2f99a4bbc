"""A list that is searched for a row, over several calls of a tool."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ...screen.model import Node


@dataclass(slots=True)
class ListSearch:
    """How far a list has been searched. Once it was followed to one end and from there to the
    other, every row has been seen."""

    container: Node
    forward: bool = True
    ends: set[bool] = field(default_factory=set[bool])
    """The ends that were reached: True for the last row, False for the first."""
    pages: int = 0
    jumped: bool = False
    """It was at the row's position before."""
    left: frozenset[Hashable] = frozenset()
    """What the list showed when the last call ended. If nothing of it is there, something else has
    scrolled the list, and the search begins anew."""
