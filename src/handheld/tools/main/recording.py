"""Videos of the screen."""

from ...phone.phone import Phone
from ..recording import Secret
from ..recording_words import describe_start, describe_video
from ..tool import SCREEN_TOOL, Reply, Toolset
from .files import overwrites
from .params import VideoLocation, VideoPath, VideoSeconds, VideoSize

recording = Toolset("recording")

# Others may use the phone during a recording, which shows their work.


@recording.tool(
    title="Start recording",
    abilities=("start_recording", SCREEN_TOOL),  # it shows the screen's content
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
)
async def start_recording(
    phone: Phone, max_seconds: VideoSeconds = 180, max_size: VideoSize = 1280
) -> str:
    """Records the screen as a video, without sound, until `android_stop_recording` is called or
    the time is over."""
    begun = await phone.recorder.start(phone, max_seconds, max_size)
    return describe_start(begun, max_seconds)


@recording.tool(
    title="Stop recording",
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
    destroys=overwrites,
)
async def stop_recording(
    phone: Phone, location_id: VideoLocation = None, path: VideoPath = None
) -> Reply:
    """Ends the recording and keeps the video in a storage location of the phone, or on the
    computer that Handheld runs on. The reply also has pictures of its start, its changes and its
    end."""
    return describe_video(await phone.recorder.stop(phone, location_id, path))
