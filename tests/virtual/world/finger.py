"""A finger for tests, which finds and touches nodes on the screen."""

from handheld.screen.model import Node
from handheld_virtual.world import World


class Finger:
    """Finds nodes by the last part of their id or by their text, and taps them."""

    def __init__(self, world: World) -> None:
        self.world = world

    def nodes(self) -> list[Node]:
        return [node for window in self.world.automation.read_windows() for node in window.nodes]

    def find(self, name: str) -> Node:
        found = [
            node
            for node in self.nodes()
            if (node.resource_id or "").endswith(f"/{name}") or node.text == name
        ]
        assert found, f"{name} is not on the screen"
        return found[0]

    def text(self, name: str) -> str | None:
        return self.find(name).text

    def texts(self) -> list[str]:
        return [node.text for node in self.nodes() if node.text]

    def tap(self, *names: str) -> None:
        for name in names:
            self.tap_at(*centre(self.find(name)))

    def tap_at(self, x: float, y: float) -> None:
        self.world.touch("down", 0, x, y)
        self.world.touch("up", 0, x, y)

    def drag(self, x: float, start: float, end: float) -> None:
        """Drag without a fling, because all events are at the same time."""
        self.world.touch("down", 0, x, start)
        for step in range(1, 11):
            self.world.touch("move", 0, x, start + (end - start) * step / 10)
        self.world.touch("up", 0, x, end)


def centre(node: Node) -> tuple[float, float]:
    left, top, right, bottom = node.bounds
    return (left + right) / 2, (top + bottom) / 2
