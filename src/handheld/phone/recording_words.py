"""What is said of a video of the screen."""

from collections.abc import Sequence

from ..toolkit.listing import Image, Item
from .recorder import Kept


def describe_start(limit: int, seconds: int, stop: str = "stop_recording") -> str:
    """`limit` is when the phone ends it, `seconds` what was asked for."""
    said = f"Recording started. {stop} ends it and gives the video."
    return said if limit >= seconds else f"{said} This phone records {limit} s at most."


def describe_video(kept: Kept) -> Sequence[Item]:
    lines = [f"Recorded {kept.seconds:.1f} s, {size_text(kept.size)}: {kept.where}", *kept.notes]
    if kept.stills:
        times = ", ".join(f"{still.at:.1f}" for still in kept.stills)
        lines.append(f"Pictures of it at {times} s:")
    return ["\n".join(lines), *(Image(still.data) for still in kept.stills)]


def size_text(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1000:.0f} kB"
