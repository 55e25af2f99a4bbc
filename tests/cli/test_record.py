"""`handheld record`, and what becomes of a recording when the server dies."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from cli.program import Home, Program
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.phone_thread import PhoneThread
from harness import polling
from harness.polling import HANG
from harness.video_reader import read_video


@pytest.fixture
def phone() -> Iterator[PhoneThread]:
    with PhoneThread() as phone:
        yield phone


def recording(phone: VirtualPhone) -> bool:
    return bool(phone.processes.find("screenrecord"))


def leftovers(phone: VirtualPhone) -> list[str]:
    return [name for name in phone.files.list("/data/local/tmp") if "recording" in name]


def wait_until(phone: PhoneThread, records: bool) -> None:
    polling.wait_until(lambda: phone.run(recording, phone.phone) == records)


@pytest.mark.slow
def test_a_video_is_written_without_a_server(home: Home, phone: PhoneThread) -> None:
    run = home.run("record", "--phone", phone.address, "--seconds", "1", "-o", "a.mp4")
    assert (run.returncode, run.stderr) == (0, "Recording for 1 s at most. Ctrl-C ends it.\n")
    assert re.fullmatch(r"a\.mp4: [\d.]+ s, [\d.]+ MB\n", run.stdout)
    assert read_video((home.folder / "a.mp4").read_bytes()).pictures
    assert phone.run(leftovers, phone.phone) == []


@pytest.mark.slow
def test_ctrl_c_ends_the_recording_and_not_the_command(home: Home, phone: PhoneThread) -> None:
    with home.start(
        "record", "--phone", phone.address, "-o", "a.gif", end=signal.SIGINT
    ) as program:
        wait_until(phone, records=True)
        program.process.send_signal(signal.SIGINT)
        assert re.fullmatch(r"a\.gif: [\d.]+ s, [\d.]+ kB", program.line())
        assert program.process.wait(HANG) == 0
    with Image.open(home.folder / "a.gif") as moving:
        assert moving.format == "GIF"
    assert not phone.run(recording, phone.phone)


@pytest.mark.slow
def test_it_goes_through_a_server_that_has_the_phone(shared_home: Home, served: Program) -> None:
    run = shared_home.run("record", "--seconds", "1", "-o", "a.webp")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("a.webp: ")
    (shared_home.folder / "a.webp").unlink()
    folder = shared_home.folder / "handheld" / "state" / "recordings"
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "a.avi"], "a.avi does not end in .mp4, .gif or .webp."),
        (["-o", "there.mp4"], "there.mp4 exists already."),
        (["-o", "no/a.mp4"], "There is no folder no."),
        (["--seconds", "601"], "'601' is not a number from 1 to 600"),
        (["--size", "x"], "'x' is not a number from 240 to 2560"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(
    home: Home, arguments: list[str], said: str
) -> None:
    (home.folder / "there.mp4").write_bytes(b"")
    run = home.run("record", *arguments)
    assert run.returncode == 2
    assert said in run.stderr


def test_what_the_settings_switch_off_is_not_recorded(home: Home, phone: PhoneThread) -> None:
    run = home.run("record", "--phone", phone.address, "--tools-off", "start_recording")
    assert run.returncode == 1
    assert "start_recording is switched off, by the settings" in run.stderr
    assert not phone.run(recording, phone.phone)


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_dies_leaves_no_recording_on_the_phone(
    tmp_path: Path, phone: PhoneThread, end: int
) -> None:
    home = Home(tmp_path)  # a server that is killed leaves its files there
    on = ("--toolsets-on", "recording")
    with home.start("serve", "--phone", phone.address, "--port", "0", *on, end=end) as server:
        server.until("Handheld serves MCP at ")
        run = home.run("call", "start_recording", "max_seconds=600")
        assert run.returncode == 0, run.stderr
        assert phone.run(recording, phone.phone)
        server.process.send_signal(end)
        wait_until(phone, records=False)
        server.process.wait(HANG)
    polling.wait_until(lambda: not phone.run(leftovers, phone.phone))
