"""The phone's cameras, which show generated photos."""

from dataclasses import dataclass


@dataclass(slots=True)
class Camera:
    id: str
    facing: str
    flash: bool
    sees: str
    """The name of the generated photo that the camera shows."""
    sizes: tuple[tuple[int, int], ...] = ((4000, 3000), (1920, 1080), (1280, 720), (640, 480))
    in_use: bool = False
    """Whether an app uses it."""
    fails: bool = False
    """Set by a test: the camera opens but takes no photo."""

    @property
    def video_sizes(self) -> list[tuple[int, int]]:
        return [size for size in self.sizes if size[1] <= 1080]


class Cameras:
    def __init__(self) -> None:
        self.all = [
            Camera("0", "back", True, "mountains"),
            Camera("1", "front", False, "city", ((2592, 1944), (1280, 720), (640, 480))),
        ]
        self.forbidden = False
        """Set by a test: whether a policy disables all cameras."""

    def find(self, id: str) -> Camera | None:
        return next((camera for camera in self.all if camera.id == id), None)
