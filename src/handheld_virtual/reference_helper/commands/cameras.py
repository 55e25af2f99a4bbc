"""The commands `cameras`, `photo` and `video`."""

import io
import re
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import VIDEO_LIMIT_MS, Code, Happened, HelperFailure

from ..protocol.command import Answer, bad, check_keys, check_text

if TYPE_CHECKING:
    from PIL import Image

    from ...system.cameras import Camera
    from ..helper import Helper
    from ..protocol.job import Job

TOO_OLD = "The camera of this phone cannot be used over adb: Android 12 or newer is needed."
LARGEST = 20_000
OPENING_MS = 300.0
THUMBNAIL = 640
"""The longer side of a thumbnail in pixels."""
_FLASHES = ("off", "on", "auto")
_PATH = re.compile(r"/data/local/tmp/handheld-[0-9a-f]{16}\.mp4")


def _check_size(value: Any, name: str) -> None:
    sides = cast("list[Any]", value) if isinstance(value, list) else []
    if len(sides) != 2 or not all(type(each) is int and 1 <= each <= LARGEST for each in sides):
        raise bad(f"`{name}` is not a width and a height from 1 to {LARGEST}.")


def _check_camera(arguments: dict[str, Any]) -> None:
    check_text(arguments["camera"], "camera")
    _check_size(arguments["size"], "size")
    if arguments["flash"] not in _FLASHES:
        raise bad(f"`flash` is not one of {', '.join(_FLASHES)}.")


def check_photo(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "camera", "size", "most", "quality", "flash")
    _check_camera(arguments)
    if arguments["most"] is not None:
        _check_size(arguments["most"], "most")
    quality = arguments["quality"]
    if type(quality) is not int or not 1 <= quality <= 100:
        raise bad("`quality` is not 1 to 100.")


def check_video(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "camera", "size", "duration_ms", "flash", "audio", "path")
    _check_camera(arguments)
    duration = arguments["duration_ms"]
    if type(duration) is not int or not 1 <= duration <= VIDEO_LIMIT_MS:
        raise bad(f"`duration_ms` is not 1 to {VIDEO_LIMIT_MS}.")
    if type(arguments["audio"]) is not bool:
        raise bad("`audio` is not true or false.")
    if not isinstance(arguments["path"], str) or not _PATH.fullmatch(arguments["path"]):
        raise bad("`path` is not that of a temporary video.")


def check_release(helper: "Helper") -> None:
    if not helper.world.android.shell_uses_cameras:
        raise HelperFailure(Code.FAILED, TOO_OLD)


async def cameras(helper: "Helper", job: "Job") -> Answer:
    check_release(helper)
    return Answer({"cameras": [describe(camera) for camera in helper.world.cameras.all]})


def describe(camera: "Camera") -> dict[str, Any]:
    return {
        "id": camera.id,
        "facing": camera.facing,
        "flash": camera.flash,
        "photo": [list(size) for size in camera.sizes],
        "video": [list(size) for size in camera.video_sizes],
    }


def open_camera(helper: "Helper", id: str) -> "Camera":
    """Find a camera that can be opened. Raises HelperFailure."""
    check_release(helper)
    found = helper.world.cameras.find(id)
    if found is None:
        raise HelperFailure(Code.FAILED, f"Camera not found: '{id}'.")
    if helper.world.cameras.forbidden:
        raise HelperFailure(Code.FAILED, "A policy of this phone forbids its cameras.")
    if found.in_use:
        raise HelperFailure(Code.FAILED, "The camera is in use.")
    return found


def nearest(
    sizes: list[tuple[int, int]], size: tuple[int, int], most: tuple[int, int] | None
) -> tuple[int, int]:
    """Of the sizes up to `most`, the one whose sides differ least; if there is none, the smallest
    size. Raises HelperFailure."""

    def fits(each: tuple[int, int]) -> bool:
        return most is None or (each[0] <= most[0] and each[1] <= most[1])

    if not sizes:
        raise HelperFailure(Code.FAILED, "This camera does not do that.")
    fitting = list(filter(fits, sizes))
    if not fitting:
        return min(sizes, key=lambda each: each[0] * each[1])
    return min(fitting, key=lambda each: abs(each[0] - size[0]) + abs(each[1] - size[1]))


async def photo(helper: "Helper", job: "Job") -> Answer:
    arguments = job.arguments
    camera = open_camera(helper, arguments["camera"])
    most = None if arguments["most"] is None else tuple(arguments["most"])
    size = nearest(list(camera.sizes), tuple(arguments["size"]), cast("tuple[int, int]", most))
    job.happened = Happened.MAYBE
    await job.wait(helper.world.clock.sleep(OPENING_MS))
    data = draw(helper, camera, size, arguments["quality"], arguments["flash"])
    return Answer({"width": size[0], "height": size[1]}, data)


def draw(
    helper: "Helper", camera: "Camera", size: tuple[int, int], quality: int, flash: str
) -> bytes:
    """Take a photo; return its JPEG. Raises HelperFailure."""
    if camera.fails:
        raise HelperFailure(Code.FAILED, "The camera failed to take the photo.", Happened.MAYBE)
    helper.world.record("photo", camera.id, size, flash)
    return _write_jpeg(_show(camera, size), quality)


def _show(camera: "Camera", size: tuple[int, int]) -> "Image.Image":
    from PIL import Image

    from ...views.drawing.photos import photo as seen

    return seen(camera.sees).resize(size, Image.Resampling.BILINEAR).convert("RGB")


def _write_jpeg(picture: "Image.Image", quality: int) -> bytes:
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=quality)
    return data.getvalue()


async def video(helper: "Helper", job: "Job") -> Answer:
    arguments = job.arguments
    camera = open_camera(helper, arguments["camera"])
    size = nearest(camera.video_sizes, tuple(arguments["size"]), None)
    job.happened = Happened.MAYBE
    await job.wait(helper.world.clock.sleep(OPENING_MS))
    film(helper, camera, size, arguments["flash"])
    await job.wait(helper.world.clock.sleep(arguments["duration_ms"]))
    count, thumbnail = write_video(
        helper, camera, size, arguments["path"], arguments["duration_ms"]
    )
    return Answer({"bytes": count, "duration_ms": arguments["duration_ms"]}, thumbnail)


def film(helper: "Helper", camera: "Camera", size: tuple[int, int], flash: str) -> None:
    helper.world.record("video", camera.id, size, flash)


def write_video(
    helper: "Helper", camera: "Camera", size: tuple[int, int], path: str, ms: float
) -> tuple[int, bytes]:
    """Write a video; return its size and one of its frames. The picture does not move, and there is
    no sound. Raises HelperFailure."""
    from ...video.h264 import Encoder
    from ...video.mp4 import Mp4Writer

    picture = _show(camera, size)
    encoder = Encoder(*size)
    unit = encoder.encode(picture)
    assert unit is not None, "the first picture is always one"
    writer = Mp4Writer(encoder)
    data = writer.begin() + writer.add(unit, 0) + writer.end(ms)
    try:
        helper.files.write(path, data, 0o600)
    except OSError as problem:
        said = f"The video cannot be written: {problem.strerror}"
        raise HelperFailure(Code.FAILED, said) from problem
    picture.thumbnail((THUMBNAIL, THUMBNAIL))
    return len(data), _write_jpeg(picture, 80)
