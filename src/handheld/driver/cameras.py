"""Cameras: the protocol and its values."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

FlashMode = Literal["off", "on", "auto"]
Size = tuple[int, int]
"""Width and height, in the sensor's orientation."""


class Camera(NamedTuple):
    id: str
    facing: str
    """`front`, `back`, `external` or `unknown`."""
    flash: bool
    photo_sizes: Sequence[Size]
    """The largest first."""
    video_sizes: Sequence[Size]


class Photo(NamedTuple):
    data: bytes
    """JPEG."""
    width: int
    height: int


class CameraVideo(NamedTuple):
    path: str
    """The file's path on the phone. The caller removes it."""
    size: int
    duration_ms: int
    thumbnail: bytes
    """JPEG; empty if there is none."""


class CameraDriver(Protocol):
    async def cameras(self) -> list[Camera]: ...

    async def take_photo(
        self, camera: str, size: Size, quality: int, flash: FlashMode, *, most: Size | None
    ) -> Photo:
        """Take a photo of the size nearest to `size` and, if `most` is given, not larger than
        `most`."""
        ...

    async def record_video(
        self, camera: str, size: Size, duration_ms: int, flash: FlashMode, *, audio: bool
    ) -> CameraVideo: ...

    async def remove_recording(self, path: str) -> None:
        """Remove a file that `record_video` left."""
        ...
