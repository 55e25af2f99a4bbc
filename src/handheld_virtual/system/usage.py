"""The resource usage of apps: memory, frames and CPU. Tests and apps set it; it is not measured."""

from dataclasses import dataclass, field

HEAP_LIMIT = 262_144
"""An app's limit of Java heap, in kilobytes."""


def _usual_frames() -> dict[int, int]:
    return {5: 52, 8: 30, 12: 9, 16: 5, 24: 3, 48: 1}


@dataclass(slots=True)
class Usage:
    """The usage of one process. Memory is in kilobytes."""

    java_heap: int = 9_216
    native_heap: int = 14_336
    code: int = 20_480
    stack: int = 720
    graphics: int = 12_288
    private_other: int = 2_048
    system: int = 6_144
    swapped: int = 84
    frames: dict[int, int] = field(default_factory=_usual_frames)
    """The number of frames by duration in milliseconds; empty for an app that does its own
    rendering."""
    missed_vsyncs: int = 2
    user_permille: int = 0
    kernel_permille: int = 0
    """The CPU share since it was last read."""

    @property
    def pss(self) -> int:
        return self.code + self.private_other + self.system + self.own

    @property
    def own(self) -> int:
        return self.java_heap + self.native_heap + self.stack + self.graphics

    @property
    def rss(self) -> int:
        return 2 * self.pss

    @property
    def rendered(self) -> int:
        return sum(self.frames.values())

    @property
    def janky(self) -> int:
        """The number of frames that took longer than 1/60 s."""
        return sum(count for ms, count in self.frames.items() if ms > 16)

    def percentile(self, percent: int) -> int:
        """The shortest time within which that percentage of the frames was drawn."""
        wanted, drawn = self.rendered * percent / 100, 0
        for ms in sorted(self.frames):
            drawn += self.frames[ms]
            if drawn >= wanted:
                return ms
        return 0


class Usages:
    """The usage of each package while its process runs."""

    def __init__(self) -> None:
        self._of: dict[str, Usage] = {}

    def of(self, package: str) -> Usage:
        return self._of.setdefault(package, Usage())

    def forget(self, package: str) -> None:
        self._of.pop(package, None)
