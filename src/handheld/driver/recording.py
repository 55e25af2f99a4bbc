"""Videos of the screen: the protocol and its values."""

from typing import BinaryIO, NamedTuple, Protocol


class VideoRequest(NamedTuple):
    seconds: int
    """After which the phone ends it by itself; older phones end each after 180."""
    width: int
    height: int
    bit_rate: int


class RecordedVideo(NamedTuple):
    """What the phone has made."""

    size: int
    said: str
    """What the program that made it complained of; "" for nothing."""
    by_itself: bool = False
    """Whether it had ended before it was stopped."""


class Video(Protocol):
    """A video that the phone makes. It ends with its connection, whatever ends that, and then
    nothing of it is left on the phone."""

    @property
    def limit(self) -> int:
        """Seconds after which the phone ends it by itself."""
        ...

    async def wait_end(self) -> None:
        """Until the phone has ended it by itself, or is gone."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the connection to it is lost, and the video with it."""
        ...

    async def stop(self) -> RecordedVideo:
        """End it, if the phone has not. Raises ToolError."""
        ...

    async def pull_to(self, target: BinaryIO, *, limit: int) -> int:
        """Write it to `target`, at most `limit` bytes; return its size. Raises ToolError."""
        ...

    async def aclose(self) -> None:
        """End it, if it has not ended, and remove it from the phone."""
        ...


class RecordingDriver(Protocol):
    async def record(self, request: VideoRequest) -> Video:
        """Begin a video, and return when the phone makes it. Raises ToolError."""
        ...
