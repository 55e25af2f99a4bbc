"""Photos and videos by the phone's cameras, and storing them."""

import io
import re
from typing import TYPE_CHECKING

from ...driver.cameras import Camera, CameraVideo, FlashMode, Photo, Size
from ...driver.files import AdbError
from ...errors import ActionFailed, InvalidParams
from ...progress import report
from ...screen.text import brief
from .movie import BadMovie, read_movie

if TYPE_CHECKING:
    from ..phone import Phone

DEFAULT_SIZE = 1280, 720
LARGEST_SHOWN = 1920, 1080
"""The largest size of a photo in a reply."""
_SIZE = re.compile(r"([^x]*)[xX](.*)", re.DOTALL)
_WHOLE = re.compile(r"-?[0-9]{1,6}", re.ASCII)


def read_size(text: str | None) -> Size:
    """Read `1280x720`. Raises InvalidParams."""
    if text is None:
        return DEFAULT_SIZE
    parts = _SIZE.fullmatch(text.strip())
    if parts is None or not (parts[1] and parts[2]):
        raise InvalidParams(
            "Parameter 'resolution' must be in 'WIDTHxHEIGHT' format (e.g., '1280x720'), got:"
            f" '{brief(text)}'"
        )
    return _side("width", parts[1]), _side("height", parts[2])


def _side(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise InvalidParams(
            f"Parameter 'resolution' {name} must be a positive integer, got: '{brief(text)}'"
        )
    if int(text) <= 0:
        raise InvalidParams(f"Parameter 'resolution' {name} must be positive, got: {int(text)}")
    return int(text)


async def find_camera(phone: "Phone", name: str) -> Camera:
    """Find a camera by its id or its facing. Raises InvalidParams."""
    cameras = await phone.driver.cameras()
    for camera in cameras:
        if name in (camera.id, camera.facing):
            return camera
    known = ", ".join(f"{each.id} ({each.facing})" for each in cameras) or "none"
    raise InvalidParams(f"Camera not found: '{brief(name)}'. This phone has: {known}.")


async def take_photo(
    phone: "Phone", camera: str, resolution: str | None, quality: int, flash: FlashMode
) -> Photo:
    """Take a photo that fits into a reply."""
    size = read_size(resolution)
    if size[0] > LARGEST_SHOWN[0] or size[1] > LARGEST_SHOWN[1]:
        width, height = LARGEST_SHOWN
        raise InvalidParams(
            f"Parameter 'resolution' must not exceed {width}x{height}, got: {size[0]}x{size[1]}."
            " save_camera_photo can take larger photos."
        )
    return await phone.driver.take_photo(camera, size, quality, flash, most=LARGEST_SHOWN)


async def save_photo(
    phone: "Phone",
    camera: str,
    place: tuple[str, str],
    resolution: str | None,
    quality: int,
    flash: FlashMode,
) -> tuple[str, int]:
    """Return the path in the storage location, and the size in bytes. `place`: the location and the
    path in it."""
    size = read_size(resolution)
    phone.files.check_writable(*place)
    photo = await phone.driver.take_photo(camera, size, quality, flash, most=None)
    return await phone.files.put(*place, photo.data), len(photo.data)


async def save_video(
    phone: "Phone",
    camera: str,
    place: tuple[str, str],
    seconds: int,
    resolution: str | None,
    flash: FlashMode,
    *,
    audio: bool,
) -> tuple[str, CameraVideo]:
    """The video goes through this computer: the helper may not write into storage locations."""
    size = read_size(resolution)
    phone.files.check_writable(*place)
    driver = phone.driver
    report(0, seconds, "Recording the video")
    video = await driver.record_video(camera, size, seconds * 1000, flash, audio=audio)
    try:
        report(0, video.size, "Copying the video from the phone")
        try:
            data = await driver.pull(video.path, limit=phone.files.size_limit)
        except AdbError as problem:
            said = f"The video was recorded and could not be fetched: {problem}"
            raise ActionFailed(said) from problem
        video = _measured(video, data)
        return await phone.files.put(*place, data), video
    finally:
        await driver.remove_recording(video.path)


def _measured(video: CameraVideo, data: bytes) -> CameraVideo:
    """Add the file's own measures: an app that takes the camera ends a video early. Raises
    ActionFailed."""
    try:
        movie = read_movie(io.BytesIO(data))
    except BadMovie as problem:
        raise ActionFailed(
            f"The phone made a video that cannot be played: {problem}. Nothing was saved."
        ) from problem
    if not movie.frames:
        raise ActionFailed("The camera gave no pictures. Nothing was saved.")
    return video._replace(size=len(data), duration_ms=round(movie.seconds * 1000))
