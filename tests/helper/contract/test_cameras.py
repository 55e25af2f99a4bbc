"""The commands `cameras`, `photo` and `video`."""

import io
from typing import Any

import pytest
from PIL import Image

from .conftest import Stage
from .host import Answer, Host

PHOTO: dict[str, Any] = {
    "camera": "0",
    "size": [1280, 720],
    "most": None,
    "quality": 80,
    "flash": "auto",
}
VIDEO: dict[str, Any] = {
    "camera": "0",
    "size": [1280, 720],
    "duration_ms": 1000,
    "flash": "off",
    "audio": False,
    "path": "/data/local/tmp/handheld-0123456789abcdef.mp4",
}


async def take(host: Host, **other: Any) -> Answer:
    number = await host.call("photo", {**PHOTO, **other}, act=True)
    await host.advance(300)
    return await host.answer(number)


async def test_cameras_are_listed_with_their_sizes(host: Host) -> None:
    found = (await host.do("cameras")).value["cameras"]
    assert [(each["id"], each["facing"], each["flash"]) for each in found] == [
        ("0", "back", True),
        ("1", "front", False),
    ]
    assert found[0]["photo"][0] == [4000, 3000]
    assert found[0]["video"][0] == [1920, 1080]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "most", "taken"),
    [
        ([1280, 720], None, (1280, 720)),
        ([5000, 5000], None, (4000, 3000)),
        ([5000, 5000], [1920, 1080], (1920, 1080)),
        ([1300, 700], [1920, 1080], (1280, 720)),
        ([640, 480], [100, 100], (640, 480)),
    ],
)
async def test_the_nearest_size_is_taken(
    stage: Stage, host: Host, size: list[int], most: list[int] | None, taken: tuple[int, int]
) -> None:
    answer = await take(host, size=size, most=most)
    assert answer.reply == {"width": taken[0], "height": taken[1]}
    with Image.open(io.BytesIO(answer.data)) as picture:
        assert (picture.format, picture.size) == ("JPEG", taken)
    assert [event.kind for event in stage.world.events].count("photo") == 1


async def test_cameras_that_cannot_be_used_say_why(stage: Stage, host: Host) -> None:
    answer = await host.do("photo", {**PHOTO, "camera": "7"}, act=True)
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == "Camera not found: '7'."
    stage.world.cameras.all[0].in_use = True
    answer = await host.do("photo", PHOTO, act=True)
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == "The camera is in use."
    stage.world.cameras.forbidden = True
    answer = await host.do("photo", PHOTO, act=True)
    assert answer.value["message"] == "A policy of this phone forbids its cameras."


async def test_a_photo_that_fails_is_not_waited_for(stage: Stage, host: Host) -> None:
    stage.world.cameras.all[0].fails = True
    answer = await take(host)
    assert answer.failure == ("failed", "maybe")
    assert answer.value["message"] == "The camera failed to take the photo."


async def test_a_camera_without_sizes_says_so(stage: Stage, host: Host) -> None:
    stage.world.cameras.all[0].sizes = ()
    for do, arguments in (("photo", PHOTO), ("video", VIDEO)):
        answer = await host.do(do, arguments, act=True)
        assert answer.failure == ("failed", "no")
        assert answer.value["message"] == "This camera does not do that."


async def test_a_photo_that_is_stopped_may_have_been_taken(host: Host) -> None:
    number = await host.call("photo", PHOTO, act=True)
    await host.settle()
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "maybe")


async def film(host: Host, **other: Any) -> Answer:
    number = await host.call("video", {**VIDEO, **other}, act=True)
    await host.advance(300)
    await host.advance(VIDEO["duration_ms"])
    return await host.answer(number)


async def test_a_video_is_recorded_into_its_file(stage: Stage, host: Host) -> None:
    answer = await film(host, size=[1300, 700])
    data = stage.world.files.read(VIDEO["path"])
    assert answer.reply == {"bytes": len(data), "duration_ms": VIDEO["duration_ms"]}
    assert data[4:12] == b"ftypmp42"
    with Image.open(io.BytesIO(answer.data)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (640, 360))
    [event] = [event for event in stage.world.events if event.kind == "video"]
    assert event.details == ("0", (1280, 720), "off")


async def test_a_video_that_is_stopped_leaves_no_file(stage: Stage, host: Host) -> None:
    number = await host.call("video", VIDEO, act=True)
    await host.advance(300)
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "maybe")
    assert not stage.world.files.exists(VIDEO["path"])


async def test_a_full_phone_says_that_a_video_cannot_be_written(stage: Stage, host: Host) -> None:
    files = stage.world.files
    files.capacity = files.used + 1000
    answer = await film(host)
    assert answer.value["message"] == "The video cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("do", "wrong"),
    [
        ("photo", {"camera": ""}),
        ("photo", {"size": [0, 1]}),
        ("photo", {"size": [1]}),
        ("photo", {"size": [1, 20_001]}),
        ("photo", {"most": "1x1"}),
        ("photo", {"quality": 0}),
        ("photo", {"quality": 101}),
        ("photo", {"flash": "red"}),
        ("photo", {"zoom": 2}),
        ("video", {"duration_ms": 0}),
        ("video", {"duration_ms": 60_001}),
        ("video", {"audio": 1}),
        ("video", {"path": "/data/local/tmp/handheld-0.mp4"}),
        ("video", {"path": "/sdcard/handheld-0123456789abcdef.mp4"}),
        ("video", {"camera": None}),
    ],
)
async def test_other_arguments_are_refused(host: Host, do: str, wrong: dict[str, Any]) -> None:
    arguments = {**(PHOTO if do == "photo" else VIDEO), **wrong}
    if do == "photo":
        assert (await host.do("photo", arguments)).failure == ("bad_call", "no")
    else:
        assert (await host.do("video", arguments)).failure == ("bad_call", "no")
