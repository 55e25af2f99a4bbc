"""The volume of each audio stream: a preference, and Android's range for it."""

from dataclasses import dataclass

from .preferences import Preferences

SPEAKER = "_speaker"
"""Android keeps a volume for each output device; this phone has only its speaker."""


@dataclass(frozen=True, slots=True)
class Stream:
    number: int
    """AudioManager's number of the stream."""
    name: str
    setting: str
    least: int
    most: int
    first: int


STREAMS = (
    Stream(0, "STREAM_VOICE_CALL", "volume_voice", 1, 5, 4),
    Stream(1, "STREAM_SYSTEM", "volume_system", 0, 7, 5),
    Stream(2, "STREAM_RING", "volume_ring", 0, 7, 5),
    Stream(3, "STREAM_MUSIC", "volume_music", 0, 15, 5),
    Stream(4, "STREAM_ALARM", "volume_alarm", 1, 7, 6),
    Stream(5, "STREAM_NOTIFICATION", "volume_notification", 0, 7, 5),
)


class Volumes:
    """The volumes. A stream has two preferences, and a change of one changes the other."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self.fixed: set[int] = set()
        """Streams whose volume a device policy, or do not disturb, fixes."""
        for stream in STREAMS:
            for name, other in (
                (stream.setting, stream.setting + SPEAKER),
                (stream.setting + SPEAKER, stream.setting),
            ):
                preferences.watch(
                    "system", name, lambda value, other=other: self._follow(other, value)
                )

    def _follow(self, other: str, value: str | None) -> None:
        if value is not None:
            self._preferences.put("system", other, value)

    def __getitem__(self, stream: Stream) -> int:
        level = self._preferences.number("system", stream.setting, stream.first)
        return max(stream.least, min(level, stream.most))

    def set(self, stream: Stream, level: int) -> None:
        if stream.number not in self.fixed:
            kept = max(stream.least, min(level, stream.most))
            self._preferences.put("system", stream.setting, str(kept))


def find_stream(number: int) -> Stream | None:
    return next((stream for stream in STREAMS if stream.number == number), None)
