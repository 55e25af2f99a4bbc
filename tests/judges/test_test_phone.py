"""`make test WHAT=phone` on a virtual phone through Debian's adb, as on a real phone."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from bench.ports import keep_port
from judging import HANDHELD, ROOT, address_of, environment, need

from cli.program import ADB_ALONE
from harness.polling import HANG

pytestmark = pytest.mark.needs_adb

SCRIPT = [sys.executable, str(ROOT / "scripts" / "test_phone.py")]
Try = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def phone(home: Path) -> Generator[tuple[str, Try]]:
    """A serial, and a function that runs a command with the phone's adb."""
    need(Path(shutil.which("adb") or "adb"), "On Debian: apt-get install adb")
    given = environment(home, ANDROID_ADB_SERVER_PORT=str(keep_port()), **ADB_ALONE)

    def run(*command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env={**given, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # Not a pipe: a server that adb starts would keep it open.
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=HANG,
            check=False,
        )

    program = subprocess.Popen(
        [*HANDHELD, "virtual", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=given,
    )
    assert program.stdout is not None
    try:
        serial = address_of(program)
        assert "connected to" in run("adb", "connect", serial).stdout
        yield serial, run
    finally:
        run("adb", "kill-server")
        program.terminate()
        program.wait(HANG)
        program.stdout.close()


def test_every_tool_test_passes_and_the_phone_is_left_as_it_was(
    phone: tuple[str, Try], home: Path
) -> None:
    serial, run = phone
    before = run("adb", "-s", serial, "shell", "ls -R /sdcard").stdout
    done = run(*SCRIPT, ANDROID_SERIAL=serial, HANDHELD_PHONE_OK="1")
    assert done.returncode == 0, done.stdout
    report = done.stdout.partition("# Handheld report")[2]
    rows = [line for line in report.splitlines() if line.endswith("|")][2:]
    assert len(rows) >= 14
    assert [row for row in rows if " | passed | " not in row] == []
    assert [word for word in (serial, "127.0.0.1", str(home)) if word in report] == []
    assert run("adb", "-s", serial, "shell", "ls -R /sdcard").stdout == before


def test_nothing_is_done_without_consent(phone: tuple[str, Try]) -> None:
    serial, run = phone
    done = run(*SCRIPT, ANDROID_SERIAL=serial)
    assert done.returncode == 2
    assert "HANDHELD_PHONE_OK=1 says that it may begin." in done.stdout
    assert run(*SCRIPT).returncode == 2
    assert "handheld" not in run("adb", "-s", serial, "shell", "ls /data/local/tmp").stdout
