"""The state that the commands of the reference helper share."""

from collections.abc import Mapping
from typing import Any

from ..files.tree import FileTree
from ..system.timers import Timer
from ..world import World
from .node_cache import NodeCache
from .protocol.hold import AutomationHold


class Helper:
    """The shared state of one run."""

    def __init__(self, world: World, files: FileTree, holder: Mapping[str, Any]) -> None:
        self.world = world
        self.files = files
        self.hold = AutomationHold(world, holder)
        self.cache = NodeCache(world)
        self.scan_hangs = False
        """Whether a scan of the media index has not finished."""
        self.repeating: Timer | None = None
        """Repeats the mocked location for apps."""
        self.killed = False
        """Whether the process was killed; it may have been in the middle of an operation."""

    def stop_repeating(self) -> None:
        if self.repeating is not None:
            self.repeating.cancel()
            self.repeating = None
