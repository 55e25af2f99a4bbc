"""Pictures of a recorded screen at its changes: a model cannot watch a video."""

from typing import NamedTuple

PAUSE = 0.25
"""The minimum of seconds between two pictures."""
MOST = 240
"""The maximum number of pictures; beyond it, every second one is dropped."""
MOST_BYTES = 48_000_000
STILLS = 6
"""The maximum number of pictures in a reply."""


class VideoFrame(NamedTuple):
    at: float
    """Seconds since the beginning."""
    data: bytes
    """A JPEG."""


class FrameLog:
    def __init__(self) -> None:
        self.frames: list[VideoFrame] = []
        self.pause = PAUSE
        self._size = 0

    def add(self, at: float, data: bytes) -> None:
        """Keep a picture, unless it equals the last one."""
        if self.frames and self.frames[-1].data == data:
            return
        self.frames.append(VideoFrame(at, data))
        self._size += len(data)
        while len(self.frames) > 3 and (len(self.frames) > MOST or self._size > MOST_BYTES):
            # The first and the last stay.
            del self.frames[1:-1:2]
            self._size = sum(len(frame.data) for frame in self.frames)
            self.pause *= 2

    def stills(self) -> list[VideoFrame]:
        """Return the first and the last picture, and evenly spaced ones between them."""
        frames = self.frames
        if len(frames) <= STILLS:
            return list(frames)
        last = len(frames) - 1
        return [frames[round(number * last / (STILLS - 1))] for number in range(STILLS)]
