"""The phone's cameras."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ...phone.phone import Phone
from ..listing import CAMERA_TOOLSET
from ..parameter import Param
from ..recording import Secret
from ..tool import Image, Reply, Toolset, json_text
from .files import overwrites
from .params import LocationId, TargetPath

camera = Toolset(CAMERA_TOOLSET)

CameraId = Annotated[
    str,
    Param("A camera_id of list_cameras", empty="must not be empty", secret=Secret.NO),
]
Resolution = Annotated[
    str | None, Param("WIDTHxHEIGHT (e.g., 1280x720); the nearest size is used", secret=Secret.NO)
]
Quality = Annotated[
    int,
    Param(
        "JPEG quality (1-100)",
        1,
        100,
        beyond="Parameter 'quality' must be between 1 and 100, got: {value}",
    ),
]
Flash = Annotated[
    Literal["off", "on", "auto"],
    Param("Flash", unknown="Parameter 'flash_mode' must be one of: {choices}, got: '{value}'"),
]
Seconds = Annotated[
    int,
    Param(
        "Seconds to record (1-30)",
        1,
        30,
        beyond="Parameter 'duration' must be between 1 and 30 seconds, got: {value}",
    ),
]
Audio = Annotated[bool, Param("Whether to record sound")]


@camera.tool(title="List cameras", read_only=True, idempotent=True, secret_reply=Secret.NO)
async def list_cameras(phone: Phone) -> str:
    """Lists the cameras of the device (Android 12 or newer)."""
    return json_text(
        [
            {
                "camera_id": each.id,
                "facing": each.facing,
                "has_flash": each.flash,
                "supports_photo": bool(each.photo_sizes),
                "supports_video": bool(each.video_sizes),
                "photo_resolutions": _sizes(each.photo_sizes),
                "video_resolutions": _sizes(each.video_sizes),
            }
            for each in await phone.driver.cameras()
        ]
    )


def _sizes(sizes: Any) -> list[str]:
    return [f"{width}x{height}" for width, height in sizes]


@camera.tool(title="Take camera photo", open_world=True, secret_reply=Secret.NO)
async def take_camera_photo(
    phone: Phone,
    camera_id: CameraId,
    resolution: Resolution = None,
    quality: Quality = 80,
    flash_mode: Flash = "auto",
) -> Image:
    """Takes a photo with a camera of the device, of at most 1920x1080."""
    from ...phone.video.cameras import take_photo  # few sessions need it

    photo = await take_photo(phone, camera_id, resolution, quality, flash_mode)
    return Image(photo.data, pixels=(photo.width, photo.height))


@camera.tool(
    title="Save camera photo",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    destroys=overwrites,
)
async def save_camera_photo(
    phone: Phone,
    camera_id: CameraId,
    location_id: LocationId,
    path: TargetPath,
    resolution: Resolution = None,
    quality: Quality = 80,
    flash_mode: Flash = "auto",
) -> str:
    """Takes a photo with a camera of the device and saves it in a storage location."""
    from ...phone.video.cameras import save_photo

    place = location_id, path
    taken, size = await save_photo(phone, camera_id, place, resolution, quality, flash_mode)
    return f"Photo saved successfully: {taken} ({size} bytes)"


def _sound(phone: Phone, arguments: Mapping[str, Any]) -> str:
    """Describe the recording for a question to a person, including the default for sound."""
    silent = str(arguments.get("audio")).strip().lower() == "false"
    return f"a video {'without' if silent else 'with'} sound"


@camera.tool(
    title="Save camera video",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    destroys=overwrites,
    subject=_sound,
)
async def save_camera_video(
    phone: Phone,
    camera_id: CameraId,
    location_id: LocationId,
    path: TargetPath,
    duration: Seconds,
    resolution: Resolution = None,
    audio: Audio = True,
    flash_mode: Flash = "auto",
) -> Reply:
    """Records a video with a camera of the device and saves it in a storage location."""
    from ...phone.video.cameras import save_video

    taken, video = await save_video(
        phone, camera_id, (location_id, path), duration, resolution, flash_mode, audio=audio
    )
    said = f"Video saved successfully: {taken} ({video.size} bytes, {video.duration_ms}ms)"
    return [said, Image(video.thumbnail)] if video.thumbnail else said
