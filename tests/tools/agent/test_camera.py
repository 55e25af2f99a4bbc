"""The cameras, for models."""

from pathlib import Path

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import RequestScope
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.errors import InvalidParams, PermissionDenied
from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.settings.rules import Rules
from handheld.tools.tool import Image
from harness.phones import PhoneClock

from .conftest import AgentBench

PICTURES = "com.android.externalstorage.documents/primary:Pictures"


@pytest.fixture
def camera(bench: AgentBench, tmp_path: Path) -> AgentBench:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(PICTURES, allow_write=True)
    phone = bench.phone
    phone.files = Files(phone.driver, phone.clock, storage, ["virtual"], DownloadRules(1))
    options = SurfaceOptions(
        policy=RequestScope(on=frozenset({"camera"})), clock=PhoneClock(bench.device)
    )
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]
    return bench


async def test_there_is_no_camera_unless_the_owner_switches_it_on(bench: AgentBench) -> None:
    assert "phone_camera" not in [each.name for each in await bench.counter.surface.tools()]


@pytest.mark.slow
async def test_the_camera_shows_what_it_sees(camera: AgentBench) -> None:
    [image] = await camera.items("camera", action="look")
    assert isinstance(image, Image)
    [image] = await camera.items("camera", action="look", camera="front")
    assert isinstance(image, Image)
    taken = [event[1] for event in camera.events() if event[0] == "photo"]
    assert taken == ["0", "1"]


async def test_a_photo_is_saved_where_files_are(camera: AgentBench) -> None:
    said = await camera.call("camera", action="photo", path=f"{PICTURES}/door.jpg")
    size = len(camera.world.files.read("/storage/emulated/0/Pictures/door.jpg"))
    assert said == f"Saved a photo of {size} bytes to {PICTURES}/door.jpg."


async def test_a_video_is_saved_where_files_are(camera: AgentBench) -> None:
    for each in camera.world.cameras.all:
        each.sizes = ((640, 480),)
    said, image = await camera.items("camera", action="video", path=f"{PICTURES}/x.mp4", seconds=2)
    size = len(camera.world.files.read("/storage/emulated/0/Pictures/x.mp4"))
    assert said == f"Saved a video of 2.0 s, {size} bytes to {PICTURES}/x.mp4."
    assert isinstance(image, Image)


@pytest.mark.parametrize("action", ["photo", "video"])
async def test_what_overwrites_a_file_is_judged_as_deleting_it(
    camera: AgentBench, action: str
) -> None:
    gate = ApprovalGate(Rules(deny=("delete_file",)))
    policy = RequestScope(on=frozenset({"camera"}))
    camera.counter.surface = make_agent_surface(  # type: ignore[assignment]
        camera, SurfaceOptions(policy=policy, gate=gate, clock=PhoneClock(camera.device))
    )
    camera.world.files.write("/storage/emulated/0/Pictures/kept.jpg", b"kept", 0o660)
    failure = await camera.failure("camera", action=action, path=f"{PICTURES}/kept.jpg")
    assert isinstance(failure, PermissionDenied)
    assert camera.world.files.read("/storage/emulated/0/Pictures/kept.jpg") == b"kept"
    assert not [event for event in camera.events() if event[0] in ("photo", "video")]
    assert await camera.call("camera", action="photo", path=f"{PICTURES}/new.jpg")


async def test_what_is_missing_is_said(camera: AgentBench) -> None:
    failure = await camera.failure("camera", action="photo")
    assert isinstance(failure, InvalidParams)
    assert failure.message == "phone_camera photo needs path."
    failure = await camera.failure("camera", action="look", camera="top")
    assert failure.message == "Camera not found: 'top'. This phone has: 0 (back), 1 (front)."
