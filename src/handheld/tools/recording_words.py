"""What is said of a video of the screen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .listing import Image, Item

if TYPE_CHECKING:
    from ..phone.video.recorder import StoredVideo
    from ..phone.video.recording import VideoRecording


def describe_start(recording: "VideoRecording", seconds: int, stop: str = "stop_recording") -> str:
    """`seconds` are what was asked for."""
    said = [f"Recording started. {stop} ends it and gives the video."]
    if recording.limit < seconds:
        said.append(f"This phone records {recording.limit} s at most.")
    return " ".join([*said, recording.note] if recording.note else said)


def describe_video(kept: "StoredVideo") -> Sequence[Item]:
    lines = [f"Recorded {kept.seconds:.1f} s, {size_text(kept.size)}: {kept.where}", *kept.notes]
    if kept.stills:
        times = ", ".join(f"{still.at:.1f}" for still in kept.stills)
        lines.append(f"Pictures of it at {times} s:")
    return ["\n".join(lines), *(Image(still.data) for still in kept.stills)]


def size_text(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1000:.0f} kB"
