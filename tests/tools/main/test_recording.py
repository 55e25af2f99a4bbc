"""Videos of the screen."""

import asyncio
import errno
import io
import os
import re
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pictures

from handheld.access.approval import ApprovalGate
from handheld.access.takeover import ALL, Takeover
from handheld.audit import AuditLog, Recorder
from handheld.calls.lease_service import TOKEN_CHECK_SECONDS
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.by_adb import screenrecord
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied
from handheld.phone.files import reported_file
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.leases.leases import Leases
from handheld.phone.video.recorder import NOTHING
from handheld.phone.video.recorder import VideoRecorder as VideoRecorder
from handheld.settings.rules import Rules
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Image, Item
from handheld_virtual.sh.process import Process
from harness.manual_clock import ManualClock
from harness.one_phone import ALL_ON
from harness.patient_clock import PatientClock
from harness.phones import PhoneClock
from harness.polling import HANG
from harness.video_reader import difference, make_video, read_video

from .conftest import Bench

CALCULATOR, SETTINGS, LOGIN = "com.android.calculator2", "com.android.settings", "com.android.login"
STARTED = "Recording started. stop_recording ends it and gives the video."
PLACE = "com.android.externalstorage.documents/primary:Download"
RELEASES = [26, 28, 29, 30, 33, 34, 36]
RECORDED = re.compile(r"Recorded ([\d.]+) s, ([\d.]+ [kM]B): (.+)")
DELETED = "The video and its pictures were deleted."
MOVIE = make_video(1000)


@pytest.fixture(autouse=True)
def videos(bench: Bench, tmp_path: Path) -> Path:
    """Where this computer keeps them."""
    bench.phone.recorder = VideoRecorder(tmp_path / "videos")
    return tmp_path / "videos"


async def begin(bench: Bench, **arguments: Any) -> str:
    return await bench.passing(bench.call("start_recording", **arguments))


async def end(bench: Bench, **arguments: Any) -> Sequence[Item]:
    return await bench.passing(bench.items("stop_recording", **arguments))


async def refused(bench: Bench, name: str = "stop_recording", **arguments: Any) -> str:
    return (await bench.passing(bench.failure(name, **arguments))).message


async def show(bench: Bench, package: str) -> None:
    """Bring an app to the front, for as long as it takes to see it."""
    bench.world.bring(package)
    await look(bench)


async def look(bench: Bench, ms: float = 2000) -> None:
    """Time passes in small steps, as it does for whoever records."""
    for _ in range(round(ms / 100)):
        await bench.clock.advance(100)
        for _ in range(2):
            await asyncio.to_thread(lambda: None)
            await asyncio.sleep(0)


async def until_pictured(bench: Bench, shown: Pictures.Image) -> None:
    """A picture is copied in the machine's time, while the phone's stands still."""
    [recording] = bench.phone.recorder._recordings.values()
    async with asyncio.timeout(HANG):
        while True:
            last = opened(recording.frames.frames[-1].data)
            if last.size == shown.size and difference(last, shown) < 4:
                return
            await look(bench, 100)


def opened(data: bytes) -> Pictures.Image:
    return Pictures.open(io.BytesIO(data))


def left(bench: Bench) -> tuple[list[str], list[str]]:
    """What runs and what lies on the phone because of recordings."""
    running = [each.name for each in bench.device.processes.find("screenrecord")]
    files = [name for name in bench.device.files.list("/data/local/tmp") if "recording" in name]
    return running, files


async def until_nothing_is_left(bench: Bench) -> None:
    async with asyncio.timeout(HANG):
        while left(bench) != ([], []):
            await bench.clock.advance(20)
            await asyncio.sleep(0)


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()] if folder.exists() else []


def path_of(reply: Sequence[Item]) -> Path:
    assert isinstance(reply[0], str)
    found = RECORDED.match(reply[0])
    assert found is not None, reply[0]
    return Path(found[3])


# Recording


@pytest.mark.parametrize(
    "api",
    [
        34,
        *(pytest.param(level, marks=pytest.mark.matrix) for level in RELEASES if level != 34),
    ],
    indirect=True,
)
async def test_a_recording_is_a_video_of_what_was_on_the_screen(bench: Bench, videos: Path) -> None:
    before = bench.world.picture(1280)
    assert await begin(bench) == STARTED
    await show(bench, CALCULATOR)
    after = bench.world.picture(1280)
    reply = await end(bench)
    path = path_of(reply)
    assert path.parent == videos
    assert re.fullmatch(r"virtual-\d{8}-\d{6}\.mp4", path.name)
    video = read_video(path.read_bytes())
    assert (video.width, video.height) == (576, 1280)
    assert difference(video.pictures[0], before) < 1.5
    assert difference(video.pictures[-1], after) < 1.5
    assert video.seconds >= 2
    await until_nothing_is_left(bench)


@pytest.mark.slow
async def test_the_reply_has_pictures_of_the_begin_the_changes_and_the_end(bench: Bench) -> None:
    await begin(bench)
    shown = [bench.world.picture(700)]
    for package in (CALCULATOR, SETTINGS):
        await show(bench, package)
        shown.append(bench.world.picture(700))
        await until_pictured(bench, shown[-1])
    reply = await end(bench)
    assert isinstance(reply[0], str)
    assert re.search(r"\nPictures of it at 0\.0, [\d., ]+ s:$", reply[0])
    stills = [opened(item.data) for item in reply[1:] if isinstance(item, Image)]
    assert 3 <= len(stills) == len(reply) - 1 <= 6
    assert difference(stills[0], shown[0]) < 4
    assert difference(stills[-1], shown[-1]) < 4
    assert any(difference(still, shown[1]) < 4 for still in stills[1:])


@pytest.mark.by_helper("without the helper pictures take longer than these changes")
@pytest.mark.matrix
async def test_many_changes_give_six_pictures(bench: Bench) -> None:
    await begin(bench)
    for _ in range(5):
        await show(bench, CALCULATOR)
        await show(bench, SETTINGS)
    assert len(await end(bench)) == 7


@pytest.mark.slow
async def test_a_second_recording_is_refused_while_one_runs(bench: Bench) -> None:
    await begin(bench)
    said = await refused(bench, "start_recording")
    assert re.fullmatch(r"A recording is already running since \d\d:\d\d:\d\d\.", said)
    assert len(left(bench)[0]) == 1
    await end(bench)
    assert await begin(bench) == STARTED


@pytest.mark.slow
async def test_without_a_recording_there_is_nothing_to_stop(bench: Bench) -> None:
    failure = await bench.failure("stop_recording")
    assert (type(failure), failure.message) == (ActionFailed, "Nothing is being recorded.")
    await begin(bench)
    await end(bench)
    assert await refused(bench) == NOTHING


@pytest.mark.slow
async def test_the_phone_ends_it_at_its_limit(bench: Bench) -> None:
    await begin(bench, max_seconds=3)
    await look(bench, 4000)
    await bench.until(lambda: not left(bench)[0])
    await look(bench, 500)
    reply = await end(bench)
    assert isinstance(reply[0], str)
    assert "\nThe phone ended the recording by itself after 3 s.\n" in reply[0]
    assert read_video(path_of(reply).read_bytes()).seconds == pytest.approx(3, abs=0.3)
    await until_nothing_is_left(bench)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "said"),
    [
        (33, f"{STARTED} This phone records 180 s at most."),
        (34, STARTED),
    ],
    indirect=["api"],
)
async def test_older_phones_record_three_minutes(bench: Bench, said: str) -> None:
    assert await begin(bench, max_seconds=600) == said


@pytest.mark.parametrize(
    ("size", "expected"),
    [(640, (288, 640)), pytest.param(2560, (1080, 2400), marks=pytest.mark.matrix)],
)
async def test_the_longer_side_has_the_size_that_was_asked_for(
    bench: Bench, size: int, expected: tuple[int, int]
) -> None:
    await begin(bench, max_size=size)
    video = read_video(path_of(await end(bench)).read_bytes())
    assert (video.width, video.height) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_seconds": 0},
        {"max_seconds": 601},
        {"max_size": 100},
        {"max_size": 9999},
    ],
)
async def test_limits_are_checked(bench: Bench, arguments: dict[str, Any]) -> None:
    failure = await bench.failure("start_recording", **arguments)
    assert type(failure) is InvalidParams
    assert left(bench) == ([], [])


# What cannot be recorded


async def test_a_screen_that_is_off_is_not_recorded(bench: Bench) -> None:
    bench.world.awake = False
    said = await refused(bench, "start_recording")
    assert said.startswith("The screen is off: nothing was recorded.")
    assert await refused(bench) == NOTHING


async def test_a_video_without_pictures_is_an_error(bench: Bench) -> None:
    async def record_nothing(process: Process) -> int:
        stopped = asyncio.Event()
        process.phone.files.write(process.arguments[-1], b"")
        process.phone.processes.catch((2,), stopped.set)
        await stopped.wait()
        return 218

    bench.device.programs["screenrecord"] = record_nothing
    await begin(bench)
    assert await refused(bench) == f"The screen was off: nothing was recorded. {NOTHING}"
    await until_nothing_is_left(bench)
    assert await refused(bench) == NOTHING


async def test_a_killed_program_leaves_no_video(bench: Bench) -> None:
    def holds_video(name: str) -> bool:
        file = f"/data/local/tmp/{name}"
        return name.endswith(".mp4") and bench.device.files.stat(file).size > 0

    await begin(bench)
    await bench.until(lambda: any(map(holds_video, left(bench)[1])))
    bench.device.processes.kill("screenrecord", 9)
    said = await refused(bench)
    assert said == f"The phone made a video that cannot be played: it has no index. {NOTHING}"
    await until_nothing_is_left(bench)


async def test_a_phone_without_the_program_says_so(bench: Bench) -> None:
    del bench.device.programs["screenrecord"]
    said = await refused(bench, "start_recording")
    assert said == "This phone has no `screenrecord`: its screen cannot be recorded."
    assert await refused(bench) == NOTHING
    await until_nothing_is_left(bench)


@pytest.mark.matrix
async def test_an_encoder_that_refuses_the_size_gets_a_smaller_one(bench: Bench) -> None:
    record = bench.device.programs["screenrecord"]

    async def picky(process: Process) -> int:
        if "--help" in process.arguments:
            return await record(process)
        size = process.arguments[process.arguments.index("--size") + 1]
        if int(size.partition("x")[2]) > 1024:
            await process.stderr.write(f"unable to configure video/avc codec at {size}\n".encode())
            return 234
        return await record(process)

    bench.device.programs["screenrecord"] = picky
    await begin(bench)
    video = read_video(path_of(await end(bench)).read_bytes())
    assert video.height == 1024


async def test_what_screenrecord_complains_of_is_told(bench: Bench) -> None:
    async def complain(process: Process) -> int:
        await process.stderr.write(b"ERROR: no display\n")
        return 254

    bench.device.programs["screenrecord"] = complain
    said = await refused(bench, "start_recording")
    assert said == "The phone does not record its screen: screenrecord printed ERROR: no display."


async def test_what_screenrecord_complained_of_is_told_where_there_is_no_video(
    bench: Bench,
) -> None:
    async def complain(process: Process) -> int:
        stopped = asyncio.Event()
        process.phone.files.write(process.arguments[-1], b"")
        process.phone.processes.catch((2,), stopped.set)
        await process.stderr.write(b"WARNING: \x1b[31mno frames\nmore")
        await stopped.wait()
        return 0

    bench.device.programs["screenrecord"] = complain
    await begin(bench)
    said = await refused(bench)
    assert re.fullmatch(
        r"The phone made no video\. Its screenrecord printed: WARNING: .*no frames\. Nothing is"
        r" being recorded\.",
        said,
    )
    assert "\x1b" not in said


async def test_a_phone_that_does_not_begin_is_given_up(bench: Bench) -> None:
    async def hang(process: Process) -> int:
        await asyncio.Event().wait()
        return 0

    bench.device.programs["sleep"] = hang
    bench.device.programs["screenrecord"] = hang
    bench.link.clock = clock = ManualClock()
    refusing = bench.beside(refused(bench, "start_recording"))
    await clock.until_waits(screenrecord.START_SECONDS)
    await bench.until(lambda: bool(bench.device.processes.find("screenrecord")))
    await clock.advance(screenrecord.START_SECONDS)
    said = await refusing
    assert said == "The phone did not begin to record within 15 s. Nothing was done."
    assert await refused(bench) == NOTHING


@pytest.mark.slow
async def test_secure_windows_are_named(bench: Bench) -> None:
    bench.world.bring(CALCULATOR)
    bench.world.secure_packages.add(CALCULATOR)
    await begin(bench)
    reply = await end(bench)
    assert isinstance(reply[0], str)
    assert re.search(r"\nSecure windows are black in it: '.*Calculator'\.\n", reply[0])


# Where it is kept


@pytest.fixture
def storage(bench: Bench, tmp_path: Path) -> StorageFile:
    storage = StorageFile(tmp_path / "storage.toml")
    bench.phone.files = Files(bench.phone.driver, PatientClock(), storage)
    return storage


@pytest.mark.slow
async def test_it_is_put_into_a_storage_location(
    bench: Bench, storage: StorageFile, videos: Path
) -> None:
    storage.put(PLACE, allow_write=True)
    await begin(bench)
    reply = await end(bench, location_id=PLACE, path="films/first.mp4")
    assert isinstance(reply[0], str)
    assert f": films/first.mp4 in location '{PLACE}'\n" in reply[0]
    data = bench.device.files.read("/sdcard/Download/films/first.mp4")
    assert read_video(data).pictures
    assert names_in(videos) == []


@pytest.mark.slow
async def test_a_location_that_may_not_be_written_is_refused_before_it_ends(
    bench: Bench, storage: StorageFile
) -> None:
    storage.put(PLACE)
    await begin(bench)
    failure = await bench.passing(bench.failure("stop_recording", location_id=PLACE))
    assert type(failure) is PermissionDenied
    assert "Write not allowed" in failure.message
    assert "not found" in await refused(bench, location_id="nowhere", path="a.mp4")
    assert len(left(bench)[0]) == 1
    assert path_of(await end(bench)).exists()


async def test_a_video_that_the_location_does_not_take_stays_on_the_computer(
    bench: Bench, storage: StorageFile
) -> None:
    storage.put(PLACE, allow_write=True)
    bench.device.files.write("/sdcard/Download/full", b"")
    await begin(bench)
    failure = await bench.passing(
        bench.failure("stop_recording", location_id=PLACE, path="full/a.mp4")
    )
    [detail] = failure.details
    kept = Path(detail.removeprefix("The video is on the computer instead: "))
    assert names_in(kept.parent) == [kept.name]
    assert await refused(bench) == NOTHING


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a.avi", "Parameter 'path' must end in .mp4, .gif or .webp, got: 'a.avi'. Nothing was"),
        (".mp4", "Parameter 'path' must end in .mp4, .gif or .webp, got: '.mp4'. Nothing was"),
        *(
            (path, "is not a name for a video: without location_id, path is a file name of ASCII")
            for path in ("../a.mp4", "/tmp/a.mp4", "a/b.mp4", "a\\b.mp4", "ä.mp4", "a\n.mp4",
                         "-a.mp4", "~.mp4", "$(id).mp4", "a" * 200 + ".mp4")
        ),
    ],
)  # fmt: skip
async def test_another_name_is_refused_and_the_recording_goes_on(
    bench: Bench, path: str, said: str
) -> None:
    await begin(bench)
    failure = await bench.passing(bench.failure("stop_recording", path=path))
    assert type(failure) is InvalidParams
    assert said in failure.message
    assert len(left(bench)[0]) == 1


@pytest.mark.slow
async def test_a_full_disk_leaves_the_video_on_the_phone_for_another_try(
    bench: Bench, videos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    await begin(bench)
    with monkeypatch.context() as full:
        full.setattr(reported_file, "report", fail)  # at each part that is written
        said = await refused(bench)
    assert said == (
        "The computer cannot keep the video: No space left on device. Call this again later."
    )
    assert names_in(videos) == []
    assert path_of(await end(bench)).exists()


@pytest.mark.slow
async def test_a_folder_that_cannot_be_made_is_said_and_the_video_stays_on_the_phone(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    bench.phone.recorder = VideoRecorder(tmp_path / "file" / "videos")
    await begin(bench)
    assert (
        await refused(bench)
        == f"{tmp_path / 'file' / 'videos'} cannot be written: Not a directory."
    )
    (tmp_path / "file").unlink()
    assert path_of(await end(bench)).exists()


@pytest.mark.slow
async def test_a_video_is_never_overwritten(bench: Bench, videos: Path) -> None:
    await begin(bench)
    await end(bench, path="demo.mp4")
    await begin(bench)
    assert await refused(bench, path="demo.mp4") == (
        "A video with the name demo.mp4 exists already. Nothing was done."
    )
    assert path_of(await end(bench, path="demo2.mp4")) == videos / "demo2.mp4"


@pytest.mark.matrix
async def test_the_oldest_videos_make_room(bench: Bench, videos: Path) -> None:
    bench.phone.recorder = VideoRecorder(videos, most_mb=1)
    for name in ("a.mp4", "b.mp4"):
        await begin(bench)
        await end(bench, path=name)
    assert names_in(videos) == ["b.mp4"]


@pytest.mark.parametrize(
    ("ending", "format"),
    [("gif", "GIF"), pytest.param("webp", "WEBP", marks=pytest.mark.matrix)],
)
async def test_a_moving_picture_shows_the_changes(bench: Bench, ending: str, format: str) -> None:
    await begin(bench)
    await show(bench, CALCULATOR)
    reply = await end(bench, path=f"demo.{ending}")
    assert isinstance(reply[0], str)
    assert "\nIt consists of pictures at the changes of the screen.\n" in reply[0]
    with Pictures.open(path_of(reply)) as moving:
        assert moving.format == format
        assert moving.size == (315, 700)
        assert getattr(moving, "n_frames", 1) >= 2
        moving.seek(getattr(moving, "n_frames", 1) - 1)
        assert difference(moving.convert("RGB"), bench.world.picture(700)) < 5


# Its end


async def test_a_lost_connection_ends_it_on_the_phone(bench: Bench) -> None:
    """As behaviour 126 states."""
    await begin(bench)
    bench.device.drop_connections()
    await until_nothing_is_left(bench)
    said = (await bench.failure("stop_recording")).message
    assert re.fullmatch(
        r"The connection to the phone was lost at [\d:]+\. The recording ended with it, and its"
        r" video is gone\. Nothing is being recorded\.",
        said,
    )


async def test_a_stop_that_is_cancelled_ends_it_and_it_can_be_fetched(bench: Bench) -> None:
    """Nobody may call again: it must not go on, nor keep others from recording."""
    ends, go_on = asyncio.Event(), asyncio.Event()

    async def end_slowly(process: Process) -> int:
        stopped = asyncio.Event()
        process.phone.processes.catch((2,), stopped.set)
        process.phone.files.write(process.arguments[-1], MOVIE)
        await stopped.wait()
        ends.set()
        await go_on.wait()
        return 0

    bench.device.programs["screenrecord"] = end_slowly
    await called(bench, "start_recording", "alice")
    stopping = asyncio.create_task(called(bench, "stop_recording", "alice"))
    async with asyncio.timeout(HANG):
        await ends.wait()
    stopping.cancel()
    await asyncio.gather(stopping, return_exceptions=True)
    go_on.set()
    await bench.until(lambda: not left(bench)[0])
    await look(bench, 500)
    assert path_of(await called(bench, "stop_recording", "alice")).read_bytes() == MOVIE
    await called(bench, "start_recording", "bob")
    await called(bench, "stop_recording", "bob")
    await until_nothing_is_left(bench)


@pytest.mark.slow
async def test_a_phone_that_does_not_end_it_does_not_keep_others_from_recording(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = bench.device.programs["screenrecord"]

    async def ignore(process: Process) -> int:
        process.phone.files.write(process.arguments[-1], MOVIE)
        process.phone.processes.catch((2,), lambda: None)
        await asyncio.Event().wait()
        return 0

    bench.device.programs["screenrecord"] = ignore
    await called(bench, "start_recording", "alice")
    monkeypatch.setattr(screenrecord, "STOP_SECONDS", 77)  # as long as no other wait
    usual, bench.link.clock = bench.link.clock, (clock := ManualClock())
    stopping = bench.beside(called(bench, "stop_recording", "alice"))
    await clock.until_waits(screenrecord.STOP_SECONDS)
    await clock.advance(screenrecord.STOP_SECONDS)
    with pytest.raises(ActionFailed) as failure:
        await stopping
    assert failure.value.message == (
        f"The phone did not end the recording within 77 s. Its video is gone. {NOTHING}"
    )
    bench.link.clock = usual
    bench.device.processes.kill("screenrecord", 9)
    bench.device.programs["screenrecord"] = record
    assert await called(bench, "start_recording", "bob")


async def test_closing_the_phone_ends_it(bench: Bench) -> None:
    await begin(bench)
    await bench.phone.aclose()
    await until_nothing_is_left(bench)


async def test_the_next_connection_is_told_that_it_ended_with_the_last(bench: Bench) -> None:
    await begin(bench)
    await bench.phone.recorder.drop(bench.phone.connection)
    await until_nothing_is_left(bench)
    assert await refused(bench) == (
        f"The connection to the phone ended, and the recording with it. {NOTHING}"
    )


@pytest.mark.slow
async def test_a_host_that_claims_the_phone_is_not_recorded_by_another(bench: Bench) -> None:
    await begin(bench)
    bench.phone.claim.elsewhere = "The host rack has claimed it."
    await show(bench, CALCULATOR)
    await until_nothing_is_left(bench)
    bench.phone.claim.elsewhere = ""
    assert await refused(bench) == f"The host rack has claimed it. {DELETED} {NOTHING}"


async def test_what_nobody_fetches_is_deleted(bench: Bench) -> None:
    """As behaviour 126 states."""
    await begin(bench, max_seconds=1)
    await look(bench, 2000)
    assert len(left(bench)[1]) == 4  # with its log, its end and whose it is
    await bench.clock.advance(601_000)
    await until_nothing_is_left(bench)
    assert "nobody fetched it within 10 minutes" in await refused(bench)


@pytest.mark.matrix
async def test_one_that_was_not_fetched_gives_way_to_the_next(bench: Bench) -> None:
    await begin(bench, max_seconds=1)
    await look(bench, 2000)
    await bench.until(lambda: any(name.endswith(".end") for name in left(bench)[1]))
    await look(bench, 1000)
    said = await begin(bench)
    assert re.fullmatch(
        re.escape(STARTED) + r" The recording of [\d:]+ was deleted, because it was not fetched\.",
        said,
    )
    await end(bench)
    await until_nothing_is_left(bench)


async def test_leftovers_of_a_killed_phone_are_removed_by_the_next(bench: Bench) -> None:
    files = bench.device.files
    for name, data in (("old.mp4", b"x"), ("old.mp4.sh", b"99999\n"), ("old.mp4.log", b"")):
        files.write(f"/data/local/tmp/handheld-recording-{name}", data)
    await begin(bench)
    assert not any("old" in name for name in left(bench)[1])
    await end(bench)
    await until_nothing_is_left(bench)


# Who may see it


def ruled(bench: Bench, gate: ApprovalGate, **more: Any) -> LocalSurface:
    options = SurfaceOptions(policy=ALL_ON, gate=gate, clock=PhoneClock(bench.device), **more)
    bench.surface = bench.counter.surface = LocalSurface((*CATALOG, *EXTRA), bench, options)
    return bench.surface


@pytest.mark.by_helper("without the helper it is refused where rules depend on the app")
async def test_an_app_that_comes_to_the_front_and_is_denied_ends_and_deletes_it(
    bench: Bench, videos: Path
) -> None:
    """As behaviour 127 states."""
    ruled(bench, ApprovalGate(Rules(deny=(f"app:{CALCULATOR}",))))
    await begin(bench)
    await show(bench, SETTINGS)
    assert len(left(bench)[0]) == 1
    bench.world.bring(CALCULATOR)
    await look(bench, 500)
    bench.world.bring(SETTINGS)
    await until_nothing_is_left(bench)
    said = await refused(bench)
    assert said.startswith("start_recording was stopped: another app came to the front")
    assert f"(rule 'app:{CALCULATOR}'). {DELETED}" in said
    assert said.endswith(NOTHING)
    assert names_in(videos) == []


@pytest.mark.by_helper("without the helper it is refused where rules depend on the app")
async def test_an_app_that_is_denied_at_the_end_deletes_it(bench: Bench, videos: Path) -> None:
    ruled(
        bench,
        ApprovalGate(
            Rules(deny=(f"get_screen_state+app:{CALCULATOR}", f"start_recording+app:{CALCULATOR}"))
        ),
    )
    await begin(bench)
    bench.world.bring(CALCULATOR)  # no look sees it before the end
    assert DELETED in await refused(bench)
    await until_nothing_is_left(bench)
    assert names_in(videos) == []


@pytest.mark.by_helper("without the helper it is refused where rules depend on the app")
@pytest.mark.matrix
async def test_the_overview_shows_other_apps_and_deletes_it(bench: Bench) -> None:
    bench.world.bring(CALCULATOR)
    bench.world.bring(SETTINGS)
    ruled(bench, ApprovalGate(Rules(deny=(f"app:{CALCULATOR}",))))
    await begin(bench)
    bench.world.press("recents")
    await look(bench, 1000)
    await until_nothing_is_left(bench)
    assert DELETED in await refused(bench)


@pytest.mark.by_helper("without the helper it is refused where rules depend on the app")
async def test_what_may_not_be_read_is_not_recorded_either(bench: Bench, videos: Path) -> None:
    """As behaviour 127 states."""
    ruled(bench, ApprovalGate(Rules(deny=(f"get_screen_state+app:{CALCULATOR}",))))
    await begin(bench)
    bench.world.bring(CALCULATOR)
    await look(bench, 500)
    bench.world.bring(SETTINGS)
    await until_nothing_is_left(bench)
    assert DELETED in await refused(bench)
    assert names_in(videos) == []


@pytest.mark.parametrize("rule", ["get_screen_state", "start_recording"])
async def test_without_a_right_to_the_screen_nothing_is_recorded(bench: Bench, rule: str) -> None:
    ruled(bench, ApprovalGate(Rules(deny=(rule,))))
    failure = await bench.passing(bench.failure("start_recording"))
    assert type(failure) is PermissionDenied
    off = replace(ALL_ON, off=frozenset({rule}))
    surface = LocalSurface((*CATALOG, *EXTRA), bench, SurfaceOptions(policy=off))
    listed = [tool.name for tool in await surface.tools() if tool.toolset == "recording"]
    assert listed == ["android_stop_recording"]
    assert left(bench) == ([], [])


async def test_a_denied_app_in_front_is_not_recorded(bench: Bench) -> None:
    bench.world.bring(CALCULATOR)
    ruled(bench, ApprovalGate(Rules(deny=(f"app:{CALCULATOR}",))))
    failure = await bench.passing(bench.failure("start_recording"))
    assert type(failure) is PermissionDenied
    assert left(bench) == ([], [])


@pytest.mark.by_shell
async def test_without_the_helper_rules_on_apps_refuse_it(bench: Bench) -> None:
    """As behaviour 127 states."""
    ruled(bench, ApprovalGate(Rules(deny=(f"app:{CALCULATOR}",))))
    said = await refused(bench, "start_recording")
    assert "without Handheld's helper" in said
    assert left(bench) == ([], [])


@pytest.mark.slow
async def test_rules_on_other_things_do_not_end_it(bench: Bench) -> None:
    ruled(bench, ApprovalGate(Rules(deny=("send_sms",))))
    await begin(bench)
    await show(bench, CALCULATOR)
    assert path_of(await end(bench)).exists()


@pytest.mark.slow
async def test_a_video_over_a_file_is_judged_as_deleting_it(
    bench: Bench, storage: StorageFile
) -> None:
    storage.put(PLACE, allow_write=True)
    bench.device.files.write("/sdcard/Download/kept.mp4", b"kept")
    ruled(bench, ApprovalGate(Rules(deny=("delete_file",))))
    await begin(bench)
    said = await refused(bench, location_id=PLACE, path="kept.mp4")
    assert "delete_file" in said
    assert bench.device.files.read("/sdcard/Download/kept.mp4") == b"kept"
    assert len(left(bench)[0]) == 1
    await end(bench, location_id=PLACE, path="new.mp4")


async def called(bench: Bench, name: str, token: str, **arguments: Any) -> Sequence[Item]:
    calling: Coroutine[Any, Any, Sequence[Item]] = bench.surface.call(
        f"android_{name}", arguments, Caller("http", "test", token)
    )
    return await bench.passing(calling)


@pytest.mark.slow
async def test_another_client_gets_nothing_of_it(bench: Bench) -> None:
    await called(bench, "start_recording", "alice")
    with pytest.raises(PermissionDenied, match="belongs to another client"):
        await called(bench, "stop_recording", "bob")
    with pytest.raises(ActionFailed, match="already running"):
        await called(bench, "start_recording", "bob")
    assert path_of(await called(bench, "stop_recording", "alice")).exists()


@pytest.mark.slow
async def test_a_recording_does_not_push_out_another_clients(bench: Bench, videos: Path) -> None:
    await called(bench, "start_recording", "alice", max_seconds=1)
    await look(bench, 2000)
    [recording] = bench.phone.recorder._recordings.values()
    await bench.until(lambda: recording.ended)
    await called(bench, "start_recording", "bob")
    assert path_of(await called(bench, "stop_recording", "bob")).parent == videos / "bob"
    assert path_of(await called(bench, "stop_recording", "alice")).parent == videos / "alice"


@pytest.mark.slow
async def test_a_person_who_takes_over_ends_and_deletes_it(bench: Bench, videos: Path) -> None:
    """As behaviour 126 states."""
    takeover = Takeover()
    ruled(bench, ApprovalGate(Rules()), takeover=takeover)
    await called(bench, "start_recording", "alice")
    takeover.take((ALL,))
    await until_nothing_is_left(bench)
    takeover.resume((ALL,))
    with pytest.raises(ActionFailed) as refusal:
        await called(bench, "stop_recording", "alice")
    assert refusal.value.message == (
        "The recording was stopped, because the owner of the phone took it over."
        f" {DELETED} {NOTHING}"
    )
    assert names_in(videos) == []


@pytest.mark.slow
async def test_the_end_of_a_lease_ends_it(bench: Bench) -> None:
    """As behaviour 126 states."""
    leases = Leases(PatientClock())
    ruled(bench, ApprovalGate(Rules()), leases=leases)
    lease = await leases.take("alice", "alice", "virtual", {"virtual"}, 600)
    await called(bench, "start_recording", "alice")
    leases.end(lease, "it was given back")
    await until_nothing_is_left(bench)
    async with asyncio.timeout(HANG):
        await lease.over.wait()
    await leases.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("stamp", [None, 2.0], ids=["revoked", "made anew"])
@pytest.mark.parametrize("ended", [False, True], ids=["running", "ended"])
async def test_a_token_that_does_not_hold_any_more_ends_and_deletes_it(
    bench: Bench, videos: Path, stamp: float | None, ended: bool
) -> None:
    """As behaviour 126 states."""
    clock, stamps = ManualClock(), dict[str, float | None]({"alice": 1.0})
    leases = Leases(clock, stamp=stamps.get)
    ruled(bench, ApprovalGate(Rules()), leases=leases)
    await called(bench, "start_recording", "alice", max_seconds=1 if ended else 60)
    if ended:
        await look(bench, 2000)
        await bench.until(lambda: not left(bench)[0])
    await clock.advance(TOKEN_CHECK_SECONDS)
    assert left(bench)[1]
    stamps["alice"] = stamp
    await clock.advance(TOKEN_CHECK_SECONDS)
    await until_nothing_is_left(bench)
    with pytest.raises(ActionFailed) as refusal:
        await called(bench, "stop_recording", "alice")
    assert refusal.value.message == (
        f"The recording was stopped, because its token is no longer valid. {DELETED} {NOTHING}"
    )
    assert (names_in(videos), clock.waits) == ([], [])
    await leases.aclose()


@pytest.mark.slow
async def test_the_stop_switch_deletes_what_was_not_fetched(bench: Bench) -> None:
    takeover = Takeover()
    ruled(bench, ApprovalGate(Rules()), takeover=takeover)
    await called(bench, "start_recording", "alice", max_seconds=1)
    await look(bench, 2000)
    await bench.until(lambda: not left(bench)[0])
    takeover.take((ALL,))
    await until_nothing_is_left(bench)


@pytest.mark.slow
async def test_whoever_takes_the_phone_is_not_recorded_by_others(bench: Bench) -> None:
    leases = Leases(PatientClock())
    ruled(bench, ApprovalGate(Rules()), leases=leases)
    await called(bench, "start_recording", "bob")
    taking = asyncio.create_task(leases.take("alice", "alice", "virtual", {"virtual"}, 600))
    await until_nothing_is_left(bench)
    lease = await taking
    assert lease.held
    leases.end(lease, "it was given back")
    async with asyncio.timeout(HANG):
        await lease.over.wait()
    await leases.aclose()


@pytest.mark.slow
async def test_whoever_takes_the_phone_while_a_recording_begins_is_not_recorded(
    bench: Bench,
) -> None:
    screenrecord, begins, go_on = (
        bench.device.programs["screenrecord"],
        asyncio.Event(),
        asyncio.Event(),
    )

    async def hesitate(process: Process) -> int:
        if "--help" not in process.arguments:
            begins.set()
            await go_on.wait()
        return await screenrecord(process)

    bench.device.programs["screenrecord"] = hesitate
    leases = Leases(PatientClock())
    ruled(bench, ApprovalGate(Rules()), leases=leases)
    starting = asyncio.create_task(called(bench, "start_recording", "bob"))
    async with asyncio.timeout(HANG):
        await begins.wait()
    taking = asyncio.create_task(leases.take("alice", "alice", "virtual", {"virtual"}, 600))
    await look(bench, 100)
    go_on.set()
    with pytest.raises(ActionFailed, match="another client took the phone"):
        await starting
    assert (await taking).held
    await until_nothing_is_left(bench)
    await leases.aclose()


@pytest.mark.slow
async def test_the_record_has_the_calls_and_no_pictures(bench: Bench, tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "calls.sqlite")
    recorder = Recorder(log)
    ruled(bench, ApprovalGate(Rules()), recorder=recorder)
    await called(bench, "start_recording", "alice")
    reply = await called(bench, "stop_recording", "alice")
    await recorder.aclose()
    data = (tmp_path / "calls.sqlite").read_bytes()
    assert b"stop_recording" in data
    stills = [item.data for item in reply if isinstance(item, Image)]
    assert stills
    assert not any(still[20:60] in data for still in stills)
