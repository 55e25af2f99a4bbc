"""The phone's cameras, where the owner allows them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut
from ..listing import CAMERA_TOOLSET
from ..parameter import Param
from ..recording import Secret
from ..tool import Image, Reply, Toolset
from .data_tools import split_path
from .elements.actions import camera_actions

camera_tools = Toolset(CAMERA_TOOLSET)

QUALITY = 80


async def _overwrites(phone: Phone, arguments: Mapping[str, Any]) -> bool:
    path = arguments.get("path")
    if not path or arguments["action"] == "look":
        return False
    return await phone.files.exists(*split_path(phone, str(path)))


def _sound(phone: Phone, arguments: Mapping[str, Any]) -> str:
    return "a video with sound" if arguments.get("action") == "video" else ""


@camera_tools.tool(
    name="phone_camera",
    title="Camera",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    actions=camera_actions,
    destroys=_overwrites,
    subject=_sound,
)
async def camera(
    phone: Phone,
    action: Annotated[
        Literal["look", "photo", "video"], Param("look shows a photo, the others save one")
    ],
    camera: Annotated[str, Param("back, front or an id", secret=Secret.NO)] = "back",
    path: Annotated[str | None, Param("as phone_read files prints it", secret=Secret.NO)] = None,
    seconds: Annotated[int, Param("of a video", 1, 30)] = 5,
) -> Reply:
    """Use a camera of the phone."""
    from ...phone.video.cameras import find_camera, save_photo, save_video, take_photo

    if action != "look" and not path:
        raise InvalidParams(f"phone_camera {action} needs path.")
    place = split_path(phone, path or "") if action != "look" else ("", "")
    used = (await find_camera(phone, camera.strip())).id
    if action == "look":
        photo = await take_photo(phone, used, None, QUALITY, "auto")
        return Image(photo.data, pixels=(photo.width, photo.height))
    shown = cut(clean(path or ""), 200)
    if action == "photo":
        _, size = await save_photo(phone, used, place, None, QUALITY, "auto")
        return f"Saved a photo of {size} bytes to {shown}."
    _, video = await save_video(phone, used, place, seconds, None, "off", audio=True)
    said = f"Saved a video of {video.duration_ms / 1000:.1f} s, {video.size} bytes to {shown}."
    return [said, Image(video.thumbnail)] if video.thumbnail else said
