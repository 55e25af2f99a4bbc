"""The virtual phone's `screenrecord`."""

import asyncio

import pytest
from phone_shell import Result, new_phone, run, run_while_time_passes
from PIL import Image
from wire_client import until

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.video_reader import boxes, difference, read_video

FILE = "/data/local/tmp/v.mp4"
CALCULATOR, SETTINGS = "com.android.calculator2", "com.android.settings"
KILLED, NOT_STARTED = 137, 218


def clock_of(phone: VirtualPhone) -> ManualClock:
    assert isinstance(phone.clock, ManualClock)
    return phone.clock


async def pass_time(phone: VirtualPhone, ms: float) -> None:
    """Let time pass, and wait until the encoding is finished."""
    await clock_of(phone).advance(ms)
    await rest(phone)


async def rest(phone: VirtualPhone) -> None:
    size = -1
    for _ in range(200):
        await asyncio.sleep(0)
    while size != (now := size_of(phone)):
        size = now
        await asyncio.to_thread(lambda: None)
        for _ in range(200):
            await asyncio.sleep(0)


def size_of(phone: VirtualPhone) -> int:
    return phone.files.stat(FILE).size if phone.files.exists(FILE) else 0


def brightest(grey: Image.Image) -> int:
    return max(value for value, count in enumerate(grey.histogram()) if count)


async def begin(phone: VirtualPhone, options: str = "") -> "asyncio.Task[Result]":
    task = asyncio.create_task(run(phone, f"screenrecord {options} {FILE}"))
    await until(lambda: size_of(phone) > 0)
    return task


@pytest.mark.slow
@pytest.mark.parametrize("api", [26, 34])
async def test_sigint_ends_a_video_that_shows_what_the_screen_showed(api: int) -> None:
    phone = new_phone(api)
    shown = [phone.world.picture(640)]
    recording = await begin(phone, "--size 288x640")
    for package in (CALCULATOR, SETTINGS):
        await pass_time(phone, 1000)
        phone.world.launch(package)
        await pass_time(phone, 500)
        shown.append(phone.world.picture(640))
    assert (await run(phone, "kill -2 $(pidof screenrecord)")).code == 0
    assert await recording == Result("", "", 0)
    video = read_video(phone.files.read(FILE))
    assert (video.width, video.height) == (288, 640)
    assert len(video.pictures) == len(shown)
    assert video.seconds == pytest.approx(3.0, abs=0.2)
    for picture, wanted in zip(video.pictures, shown, strict=True):
        assert difference(picture, wanted) < 1.5


@pytest.mark.parametrize("signal", ["1", "2", "INT", "HUP"])
async def test_two_signals_end_it_well(signal: str) -> None:
    phone = new_phone()
    recording = await begin(phone, "--size 64x144")
    await run(phone, f"kill -{signal} $(pidof screenrecord)")
    assert (await recording).code == 0
    assert boxes(phone.files.read(FILE))[-1][0] == b"moov"


@pytest.mark.parametrize(("signal", "code"), [("9", KILLED), ("15", 143)])
async def test_other_signals_leave_a_file_without_an_index(signal: str, code: int) -> None:
    phone = new_phone()
    recording = await begin(phone, "--size 64x144")
    await run(phone, f"kill -{signal} $(pidof screenrecord)")
    assert (await recording).code == code
    assert [kind for kind, _ in boxes(phone.files.read(FILE))] == [b"ftyp", b"mdat"]


async def test_a_signal_reaches_it_as_a_job_of_a_shell() -> None:
    phone = new_phone()
    line = (
        f"screenrecord --size 64x144 {FILE} >/dev/null 2>&1 &"
        f" while [ ! -s {FILE} ]; do sleep 0.1; done; kill -2 $!; wait $!; echo $?"
    )
    done = await run_while_time_passes(phone, line, 60_000)
    assert done == Result("0\n")
    assert boxes(phone.files.read(FILE))[-1][0] == b"moov"


async def test_it_ends_by_itself_at_its_limit() -> None:
    phone = new_phone()
    recording = await begin(phone, "--size 64x144 --time-limit 7")
    await pass_time(phone, 6900)
    assert not recording.done()
    await pass_time(phone, 200)
    assert (await recording).code == 0
    assert read_video(phone.files.read(FILE)).seconds == pytest.approx(7, abs=0.2)


async def test_while_the_screen_is_off_there_are_no_pictures() -> None:
    phone = new_phone()
    phone.world.awake = False
    recording = asyncio.create_task(run(phone, f"screenrecord {FILE}"))
    await until(lambda: bool(phone.processes.find("screenrecord")) and phone.files.exists(FILE))
    await run(phone, "kill -2 $(pidof screenrecord)")
    assert (await recording).code == NOT_STARTED
    assert phone.files.read(FILE) == b""


async def test_what_was_in_the_file_is_replaced() -> None:
    phone = new_phone()
    phone.files.write(FILE, b"old" * 1000)
    recording = asyncio.create_task(run(phone, f"screenrecord --size 64x144 {FILE}"))
    await until(lambda: phone.files.read(FILE)[4:8] == b"ftyp")
    await run(phone, "kill -2 $(pidof screenrecord)")
    await recording
    assert read_video(phone.files.read(FILE)).pictures


async def test_a_removed_file_does_not_come_back() -> None:
    phone = new_phone()
    recording = await begin(phone, "--size 64x144")
    await run(phone, f"rm {FILE}")
    await run(phone, "kill -2 $(pidof screenrecord)")
    assert (await recording).code == 0
    assert not phone.files.exists(FILE)


async def test_a_turned_screen_is_shown_between_black_bars() -> None:
    phone = new_phone()
    recording = await begin(phone, "--size 288x640")
    phone.world.rotate(1)
    await pass_time(phone, 200)
    await run(phone, "kill -2 $(pidof screenrecord)")
    await recording
    last = read_video(phone.files.read(FILE)).pictures[-1].convert("L")
    assert last.size == (288, 640)
    assert brightest(last.crop((0, 0, 288, 240))) < 3
    assert brightest(last.crop((0, 260, 288, 380))) > 100


async def test_a_secure_window_is_black() -> None:
    phone = new_phone()
    phone.world.bring(CALCULATOR)
    phone.world.secure_packages.add(CALCULATOR)
    recording = await begin(phone, "--size 288x640")
    await run(phone, "kill -2 $(pidof screenrecord)")
    await recording
    shown = read_video(phone.files.read(FILE)).pictures[0].convert("L")
    assert brightest(shown.crop((0, 100, 288, 500))) < 3


async def test_raw_video_goes_to_stdout() -> None:
    phone = new_phone()
    line = "screenrecord --output-format=h264 --time-limit 1 --size 64x144 - | head -c 5 | xxd -p"
    running = asyncio.create_task(run(phone, line))
    await until(lambda: running.done() or (clock_of(phone).due or 1e9) <= 1000)
    await pass_time(phone, 1100)
    assert (await running).stdout == "0000000167\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "Must specify output file (see --help)."),
        ("a b", "Must specify output file (see --help)."),
        ("--size 10 f", "Invalid size '10', must be width x height"),
        ("--size 0x10 f", "Invalid size 0x10, width and height may not be zero"),
        ("--bit-rate x f", "Unrecognized value: x"),
        ("--bit-rate 1 f", "Bit rate 1bps outside acceptable range [100000,200000000]"),
        ("--output-format gif f", "Unknown format 'gif'"),
        ("--time-limit", "screenrecord: option '--time-limit' requires an argument"),
        ("--sound f", "screenrecord: unrecognized option '--sound'"),
        ("--display-id 12 f", "Invalid physical display ID"),
    ],
)
async def test_wrong_arguments_are_refused_in_its_words(options: str, said: str) -> None:
    done = await run(new_phone(), f"screenrecord {options}")
    assert done == Result("", f"{said}\n", 2)


@pytest.mark.parametrize(
    ("api", "limit", "said"),
    [
        (33, "0", "Time limit 0s outside acceptable range [1,180]"),
        (33, "181", "Time limit 181s outside acceptable range [1,180]"),
        (34, "x", "Error parsing time limit argument"),
        (34, "-1", "Time limit -1s outside acceptable range [0,4294967295] seconds"),
    ],
)
async def test_limits_are_those_of_the_release(api: int, limit: str, said: str) -> None:
    done = await run(new_phone(api), f"screenrecord --time-limit {limit} f")
    assert done == Result("", f"{said}\n", 2)


@pytest.mark.parametrize(
    ("api", "words", "lacks"),
    [
        (26, ["Default / maximum is 180.", "v1.2"], ["Set to 0", "--display-id", "--version"]),
        (33, ["Default / maximum is 180.", "--display-id"], ["Set to 0"]),
        (
            34,
            ["Default is 180. Set to 0\n    to remove", "--display-id", "--version"],
            ["maximum is"],
        ),
    ],
)
async def test_its_help_is_that_of_the_release(
    api: int, words: list[str], lacks: list[str]
) -> None:
    done = await run(new_phone(api), "screenrecord --help")
    assert (done.stdout, done.code) == ("", 0)
    assert done.stderr.startswith("Usage: screenrecord [options] <filename>\n\n")
    assert all(word in done.stderr for word in words)
    assert not any(word in done.stderr for word in lacks)


async def test_a_place_that_cannot_be_written_is_an_error() -> None:
    done = await run(new_phone(), "screenrecord /system/v.mp4")
    assert done.code == 1
    assert done.stderr.startswith("Unable to open '/system/v.mp4': ")


async def test_the_encoder_does_not_take_every_size() -> None:
    done = await run(new_phone(), f"screenrecord --size 9000x9000 {FILE}")
    assert "unable to configure video/avc codec at 9000x9000" in done.stderr
    assert done.code
