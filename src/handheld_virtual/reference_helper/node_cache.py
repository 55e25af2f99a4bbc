"""The cache of accessibility nodes that Android's client keeps in the reading process."""

from handheld.screen.model import Window

from ..world import World


class NodeCache:
    """The trees as last read. An event discards them; a change whose event is still delayed is not
    seen unless the cache is cleared first."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._kept: list[Window] | None = None
        self._seq = 0

    def clear(self) -> None:
        self._kept = None

    def windows(self) -> list[Window]:
        seq = self._world.automation.seq
        if self._kept is None or seq != self._seq:
            self._kept, self._seq = self._world.automation.read_windows(), seq
        return self._kept
