"""An element to act on, and its identification."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ..screen.model import Node


class NodeSignature(NamedTuple):
    """The attributes that identify a node. `text` is None if it is not compared (in an editable
    node)."""

    class_name: str | None
    resource_id: str | None
    description: str | None
    text: str | None
    compare_text: bool = True


@dataclass(frozen=True, slots=True)
class Target:
    """A node to act on: its key and expected signature, and those of its anchor."""

    key: str
    signature: NodeSignature
    anchor_key: str = ""
    anchor: NodeSignature | None = None
    node: Node | None = field(default=None, compare=False)
    """The node as last read, for a driver that has no keys."""


class TargetMissing(Exception):
    """The node is gone, or it or its anchor has another signature. Nothing was done."""

    def __init__(self, gone: bool) -> None:
        super().__init__("gone" if gone else "changed")
        self.gone = gone
