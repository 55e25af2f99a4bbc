"""Videos of the screen: the protocol and its values."""

from typing import BinaryIO, NamedTuple, Protocol


class VideoRequest(NamedTuple):
    seconds: int
    """The phone ends the video after this time; older phones end every video after 180 s."""
    width: int
    height: int
    bit_rate: int


class RecordedVideo(NamedTuple):
    """A finished video on the phone."""

    size: int
    said: str
    """The error output of the recording program; "" if there is none."""
    by_itself: bool = False
    """Whether the phone ended it before it was stopped."""


class Video(Protocol):
    """A video that the phone records. When its connection ends, for any reason, the recording ends
    and the phone removes it."""

    @property
    def limit(self) -> int:
        """Seconds after which the phone ends the video."""
        ...

    async def wait_end(self) -> None:
        """Wait until the phone ends the video, or the connection is lost."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the connection is lost, and the video with it."""
        ...

    async def stop(self) -> RecordedVideo:
        """End the video unless the phone already has. Raises ToolError."""
        ...

    async def pull_to(self, target: BinaryIO, *, limit: int) -> int:
        """Write the video to `target`, at most `limit` bytes; return its size. Raises ToolError."""
        ...

    async def aclose(self) -> None:
        """End the video if it still runs, and remove it from the phone."""
        ...


class RecordingDriver(Protocol):
    async def record(self, request: VideoRequest) -> Video:
        """Start a video, and return once the phone is recording. Raises ToolError."""
        ...
