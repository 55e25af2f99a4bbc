"""Pictures of the screen at its changes, while it is recorded: a model cannot watch a video."""

from typing import NamedTuple

PAUSE = 0.25
"""Seconds between two pictures."""
MOST = 240
"""So many are kept; beyond that every second one is dropped."""
MOST_BYTES = 48_000_000
STILLS = 6
"""In a reply."""


class Frame(NamedTuple):
    at: float
    """Seconds since the begin."""
    data: bytes
    """A JPEG."""


class FrameLog:
    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.pause = PAUSE
        self._size = 0

    def add(self, at: float, data: bytes) -> None:
        """Keep a picture, unless it is the last one again."""
        if self.frames and self.frames[-1].data == data:
            return
        self.frames.append(Frame(at, data))
        self._size += len(data)
        while len(self.frames) > 3 and (len(self.frames) > MOST or self._size > MOST_BYTES):
            # The first and the last stay.
            del self.frames[1:-1:2]
            self._size = sum(len(frame.data) for frame in self.frames)
            self.pause *= 2

    def stills(self) -> list[Frame]:
        """The begin, the end, and what is between them, evenly."""
        frames = self.frames
        if len(frames) <= STILLS:
            return list(frames)
        last = len(frames) - 1
        return [frames[round(number * last / (STILLS - 1))] for number in range(STILLS)]
