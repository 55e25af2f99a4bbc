"""What ids were printed for."""

from dataclasses import dataclass, field

from ..ui.model import Node

HANDLES = 10_000
WEIGHT = 16_000_000
"""Characters that all handles together keep: a screen may hold novels."""
FORGOTTEN = 50_000
"""Ids whose handle was dropped: they were printed, so they are not unknown, and act no more."""


@dataclass(slots=True)
class IssuedRef:
    """What an id stood for when it was last printed."""

    window: int
    package: str
    """Of the window."""
    node: Node
    anchor: Node | None
    container: Node | None
    """What scrolled it when it was last seen."""
    recycled: bool
    """In a list, whose views show one row after another."""
    printed: float
    weight: int


@dataclass(slots=True)
class IssuedRefs:
    """What ids were printed for. It outlives a connection: an id that was printed before the phone
    was unplugged must not be taken for one that was never printed."""

    handles: dict[int, IssuedRef] = field(default_factory=dict[int, IssuedRef])
    """In the order of printing."""
    forgotten: dict[int, None] = field(default_factory=dict[int, None])
    weight: int = 0

    def add(self, value: int, handle: IssuedRef) -> None:
        self.drop(value)
        self.forgotten.pop(value, None)
        self.handles[value] = handle
        self.weight += handle.weight
        while len(self.handles) > HANDLES or self.weight > WEIGHT:
            self.forget(next(iter(self.handles)))

    def drop(self, value: int) -> None:
        handle = self.handles.pop(value, None)
        if handle is not None:
            self.weight -= handle.weight

    def forget(self, value: int) -> None:
        self.drop(value)
        self.forgotten[value] = None
        if len(self.forgotten) > FORGOTTEN:
            del self.forgotten[next(iter(self.forgotten))]
