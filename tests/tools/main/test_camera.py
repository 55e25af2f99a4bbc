"""The phone's cameras."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pictures

from handheld.access.request_scope import RequestScope
from handheld.access.takeover import ALL, TakenOver, Takeover
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.by_shell.unsupported import Unsupported
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.settings.groups import PolicySettings
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.tool import Image
from handheld_virtual.reference_helper.commands.commands import cameras as reference_cameras
from handheld_virtual.reference_helper.helper import Helper
from handheld_virtual.system.cameras import Camera
from harness.polling import HANG
from harness.video_reader import difference, make_video, read_video

from .conftest import Bench
from .test_intents import make_own_gate

pytestmark = pytest.mark.needs(Unsupported.CAMERA)
every_release = pytest.mark.parametrize("api", [26, 28, 29, 30, 33, 34, 36], indirect=True)
PICTURES = "com.android.externalstorage.documents/primary:Pictures"
DOCUMENTS = "com.android.externalstorage.documents/primary:Documents"
SHORT = make_video(1500)
TOO_OLD = "The camera of this phone cannot be used over adb: Android 12 or newer is needed."


@pytest.fixture
def album(bench: Bench, tmp_path: Path) -> Bench:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(PICTURES, allow_write=True)
    storage.put(DOCUMENTS)
    rules = DownloadRules(1)
    bench.phone.files = Files(bench.phone.driver, bench.phone.clock, storage, ["virtual"], rules)
    return bench


def photos(bench: Bench) -> list[tuple[object, ...]]:
    return [event[1:] for event in bench.events() if event[0] == "photo"]


async def take(bench: Bench, **arguments: object) -> tuple[int, int]:
    [image] = await bench.passing(bench.items("take_camera_photo", **arguments))
    assert isinstance(image, Image)
    assert image.mime_type == "image/jpeg"
    with Pictures.open(io.BytesIO(image.data)) as picture:
        assert picture.format == "JPEG"
        return picture.size


@every_release
async def test_photos_are_taken_since_android_12(bench: Bench) -> None:
    if bench.world.android.shell_uses_cameras:
        assert await take(bench, camera_id="0") == (1280, 720)
        assert photos(bench) == [("0", (1280, 720), "auto")]
        return
    for name in ("list_cameras", "take_camera_photo"):
        failure = await bench.failure(
            name, **({} if name == "list_cameras" else {"camera_id": "0"})
        )
        assert isinstance(failure, ActionFailed)
        assert failure.message.startswith(TOO_OLD)
    assert photos(bench) == []


async def test_cameras_are_listed(bench: Bench) -> None:
    back, front = json.loads(await bench.call("list_cameras"))
    assert back == {
        "camera_id": "0",
        "facing": "back",
        "has_flash": True,
        "supports_photo": True,
        "supports_video": True,
        "photo_resolutions": ["4000x3000", "1920x1080", "1280x720", "640x480"],
        "video_resolutions": ["1920x1080", "1280x720", "640x480"],
    }
    assert front["facing"] == "front"


async def test_the_size_and_the_flash_are_as_asked(bench: Bench) -> None:
    """As behaviour 121 states."""
    assert await take(bench, camera_id="1", resolution="600x500", flash_mode="off") == (640, 480)
    assert photos(bench) == [("1", (640, 480), "off")]


@pytest.mark.slow
async def test_a_photo_is_saved_in_a_storage_location(album: Bench) -> None:
    arguments = {"camera_id": "0", "location_id": PICTURES, "path": "a/door.jpg"}
    said = await album.passing(
        album.call("save_camera_photo", **arguments, resolution="640x480", quality=50)
    )
    data = album.world.files.read("/storage/emulated/0/Pictures/a/door.jpg")
    assert said == f"Photo saved successfully: a/door.jpg ({len(data)} bytes)"
    with Pictures.open(io.BytesIO(data)) as picture:
        assert picture.size == (640, 480)
    assert "/storage/emulated/0/Pictures/a/door.jpg" in album.world.media.rows


async def test_no_photo_is_taken_that_could_not_be_saved(album: Bench) -> None:
    """As behaviour 121 states."""
    await album.call("list_cameras")  # by the shell there are none
    arguments = {"camera_id": "0", "location_id": DOCUMENTS, "path": "door.jpg"}
    failure = await album.failure("save_camera_photo", **arguments)
    assert isinstance(failure, PermissionDenied)
    failure = await album.failure("save_camera_photo", **{**arguments, "path": ""})
    assert isinstance(failure, InvalidParams)
    assert photos(album) == []


@pytest.mark.matrix
async def test_a_photo_over_the_limit_of_files_is_not_saved(album: Bench) -> None:
    arguments = {"camera_id": "0", "location_id": PICTURES, "path": "x.jpg"}
    album.world.cameras.all[0].sizes = ((8000, 5000),)
    failed = album.failure("save_camera_photo", **arguments, quality=100)
    failure = await album.passing(failed)
    assert failure.message == "Content size exceeds the configured file size limit of 1 MB."


def temporary_videos(bench: Bench) -> list[str]:
    return [name for name in bench.world.files.list("/data/local/tmp") if name.endswith(".mp4")]


async def test_a_video_is_saved_and_nothing_else_is_left(album: Bench) -> None:
    arguments = {"camera_id": "1", "location_id": PICTURES, "path": "a/door.mp4", "duration": 3}
    said, image = await album.passing(
        album.items("save_camera_video", **arguments, resolution="640x480", flash_mode="off")
    )
    data = album.world.files.read("/storage/emulated/0/Pictures/a/door.mp4")
    assert said == f"Video saved successfully: a/door.mp4 ({len(data)} bytes, 3000ms)"
    assert isinstance(image, Image)
    video = read_video(data)
    assert (video.width, video.height, video.seconds) == (640, 480, 3.0)
    with Pictures.open(io.BytesIO(image.data)) as picture:
        assert difference(picture.convert("RGB"), video.pictures[0]) < 10
    assert temporary_videos(album) == []
    assert [event[1:] for event in album.events() if event[0] == "video"] == [
        ("1", (640, 480), "off")
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (SHORT, "Video saved successfully: a.mp4 ({size} bytes, 1500ms)"),
        (
            SHORT[:-20],
            "The phone made a video that cannot be played: a box is longer than the file. Nothing"
            " was saved.",
        ),
        (
            b"",
            "The phone made a video that cannot be played: it is not an MP4 file. Nothing was "
            "saved.",
        ),
    ],
    ids=["shorter", "broken off", "empty"],
)
async def test_what_is_said_of_a_video_is_what_its_file_tells(
    album: Bench, monkeypatch: pytest.MonkeyPatch, data: bytes, said: str
) -> None:
    def write(helper: Helper, camera: Camera, size: object, path: str, ms: float) -> Any:
        helper.files.write(path, data, 0o600)
        return 10**6, b""

    monkeypatch.setattr(reference_cameras, "write_video", write)
    arguments = {"camera_id": "1", "location_id": PICTURES, "path": "a.mp4", "duration": 3}
    if data is SHORT:
        assert await album.passing(album.call("save_camera_video", **arguments)) == said.format(
            size=len(SHORT)
        )
        return
    failure = await album.passing(album.failure("save_camera_video", **arguments))
    assert (type(failure), failure.message) == (ActionFailed, said)
    assert not album.world.files.exists("/storage/emulated/0/Pictures/a.mp4")
    assert temporary_videos(album) == []


async def test_a_video_that_a_killed_server_left_goes_with_the_next(album: Bench) -> None:
    for name in ("handheld-0123456789abcdef.mp4", "handheld-recording-01234567.mp4", "mine.mp4"):
        album.world.files.write(f"/data/local/tmp/{name}", b"left")
    arguments = {"camera_id": "1", "location_id": PICTURES, "path": "a.mp4", "duration": 1}
    await album.passing(album.items("save_camera_video", **arguments, resolution="640x480"))
    assert temporary_videos(album) == ["handheld-recording-01234567.mp4", "mine.mp4"]


@pytest.mark.slow
async def test_a_video_that_is_too_large_is_not_saved(album: Bench) -> None:
    arguments = {"camera_id": "0", "location_id": PICTURES, "path": "x.mp4", "duration": 1}
    failure = await album.passing(
        album.failure("save_camera_video", **arguments, resolution="1920x1080")
    )
    assert isinstance(failure, ActionFailed)
    assert failure.message.startswith("The video was recorded and could not be fetched: ")
    assert temporary_videos(album) == []
    assert not album.world.files.exists("/storage/emulated/0/Pictures/x.mp4")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"resolution": "big"},
            "Parameter 'resolution' must be in 'WIDTHxHEIGHT' format (e.g., '1280x720'), got:"
            " 'big'",
        ),
        (
            {"resolution": "ax720"},
            "Parameter 'resolution' width must be a positive integer, got: 'a'",
        ),
        ({"resolution": "0x720"}, "Parameter 'resolution' width must be positive, got: 0"),
        ({"resolution": "720x-1"}, "Parameter 'resolution' height must be positive, got: -1"),
        (
            {"resolution": "4000x3000"},
            "Parameter 'resolution' must not exceed 1920x1080, got: 4000x3000."
            " save_camera_photo can take larger photos.",
        ),
        ({"quality": 0}, "Parameter 'quality' must be between 1 and 100, got: 0"),
        (
            {"flash_mode": "red"},
            "Parameter 'flash_mode' must be one of: off, on, auto, got: 'red'",
        ),
        ({"camera_id": ""}, "Parameter 'camera_id' must not be empty"),
    ],
)
async def test_impossible_photos_are_refused(
    bench: Bench, arguments: dict[str, object], said: str
) -> None:
    await bench.call("list_cameras")  # by the shell there are none
    failure = await bench.failure("take_camera_photo", **{"camera_id": "0", **arguments})
    assert isinstance(failure, InvalidParams)
    assert failure.message == said
    assert photos(bench) == []


async def test_a_video_has_a_length(bench: Bench) -> None:
    await bench.call("list_cameras")
    for duration in (0, 31):
        failure = await bench.failure(
            "save_camera_video", camera_id="0", location_id="x", path="y", duration=duration
        )
        assert failure.message == (
            f"Parameter 'duration' must be between 1 and 30 seconds, got: {duration}"
        )


async def test_cameras_that_cannot_be_used_say_why(bench: Bench) -> None:
    failure = await bench.failure("take_camera_photo", camera_id="9")
    assert failure.message == "Camera not found: '9'. Nothing was done."
    bench.world.cameras.all[0].in_use = True
    failure = await bench.failure("take_camera_photo", camera_id="0")
    assert failure.message == "The camera is in use. Nothing was done."
    bench.world.cameras.forbidden = True
    failure = await bench.failure("take_camera_photo", camera_id="1")
    assert failure.message == "A policy of this phone forbids its cameras. Nothing was done."


@pytest.mark.by_helper("by the shell there are no cameras")
async def test_a_person_who_takes_over_ends_a_video_and_nothing_is_left(album: Bench) -> None:
    takeover = Takeover()
    options = SurfaceOptions(policy=RequestScope(on=frozenset({"camera"})), takeover=takeover)
    surface = LocalSurface(EVERY_TOOLSET, album, options)
    arguments = {"camera_id": "1", "location_id": PICTURES, "path": "a.mp4", "duration": 30}
    calling = asyncio.create_task(
        surface.call("android_save_camera_video", arguments, Caller("http", "test", "alice"))
    )
    async with asyncio.timeout(HANG):
        while not [event for event in album.events() if event[0] == "video"]:
            await album.clock.advance(20)
            await asyncio.sleep(0)
    takeover.take((ALL,))
    with pytest.raises(TakenOver):
        await calling
    assert temporary_videos(album) == []
    assert not album.world.files.exists("/storage/emulated/0/Pictures/a.mp4")


async def test_a_person_is_asked_and_without_a_console_it_is_denied(bench: Bench) -> None:
    options = SurfaceOptions(
        policy=RequestScope(on=frozenset({"camera"})), gate=make_own_gate(PolicySettings())
    )
    bench.surface = bench.counter.surface = LocalSurface(EVERY_TOOLSET, bench, options)
    assert json.loads(await bench.call("list_cameras"))
    failure = await bench.failure("take_camera_photo", camera_id="0")
    assert isinstance(failure, PermissionDenied)
    assert photos(bench) == []
