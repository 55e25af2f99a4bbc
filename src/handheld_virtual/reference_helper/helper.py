"""What the commands of the reference helper work on."""

from collections.abc import Mapping
from typing import Any

from ..files.tree import FileTree
from ..system.timers import Timer
from ..world import World
from .node_cache import NodeCache
from .protocol.hold import AutomationHold


class Helper:
    """The state of one run that its commands share."""

    def __init__(self, world: World, files: FileTree, holder: Mapping[str, Any]) -> None:
        self.world = world
        self.files = files
        self.hold = AutomationHold(world, holder)
        self.cache = NodeCache(world)
        self.scan_hangs = False
        """The media index was asked and has not answered."""
        self.repeating: Timer | None = None
        """Tells apps the pretended location again and again."""
        self.killed = False
        """The process was killed in the middle of its work."""

    def stop_repeating(self) -> None:
        if self.repeating is not None:
            self.repeating.cancel()
            self.repeating = None
