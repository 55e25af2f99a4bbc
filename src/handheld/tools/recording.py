"""Videos of the screen."""

from collections.abc import Mapping
from typing import Any

from ..phone import Phone
from ..phone.recorder import Kept, Target
from ..toolkit.recording import Secret
from ..toolkit.tool import Image, Reply, Toolset
from .params import VideoLocation, VideoPath, VideoSeconds, VideoSize

recording = Toolset("recording")

# Others may use the phone meanwhile: that is what is recorded.


@recording.tool(title="Start recording", open_world=True, exclusive=False, secret_reply=Secret.NO)
async def start_recording(
    phone: Phone, max_seconds: VideoSeconds = 180, max_size: VideoSize = 1280
) -> str:
    """Records the screen as a video, without sound, until `android_stop_recording` is called or
    the time is over."""
    return describe_start(await begin_recording(phone, max_seconds, max_size), max_seconds)


async def begin_recording(phone: Phone, seconds: int, max_size: int) -> int:
    """Return after how many seconds the phone ends it."""
    return (await phone.recorder.start(phone, seconds, max_size)).limit


def describe_start(limit: int, seconds: int, stop: str = "stop_recording") -> str:
    said = f"Recording started. {stop} ends it and gives the video."
    return said if limit >= seconds else f"{said} This phone records {limit} s at most."


async def overwrites_video(phone: Phone, arguments: Mapping[str, Any]) -> bool:
    location, path = arguments.get("location_id"), arguments.get("path")
    if not isinstance(location, str) or not isinstance(path, str):
        return False
    return await phone.files.exists(location, path)


@recording.tool(
    title="Stop recording",
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
    destroys=overwrites_video,
)
async def stop_recording(
    phone: Phone, location_id: VideoLocation = None, path: VideoPath = None
) -> Reply:
    """Ends the recording and keeps the video in a storage location of the phone, or on the
    computer that Handheld runs on. The reply also has pictures of its begin, its changes and its
    end."""
    return describe_video(await phone.recorder.stop(phone, Target(location_id, path)))


def describe_video(kept: Kept) -> Reply:
    lines = [f"Recorded {kept.seconds:.1f} s, {size_text(kept.size)}: {kept.where}", *kept.notes]
    if kept.stills:
        times = ", ".join(f"{still.at:.1f}" for still in kept.stills)
        lines.append(f"Pictures of it at {times} s:")
    return ["\n".join(lines), *(Image(still.data) for still in kept.stills)]


def size_text(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1000:.0f} kB"
