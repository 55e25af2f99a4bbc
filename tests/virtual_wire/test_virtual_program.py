"""`python -m handheld.virtual` as a process: what it prints, and how it stops."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from wire_client import connect

from handheld.adb.direct import DirectLink
from handheld.helper.client import HelperClient
from handheld.virtual.__main__ import DEFAULT_PORT, main

PATIENCE = 60


@contextmanager
def running(*options: str) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "handheld.virtual", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        with process:
            yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def test_phone_with_lifeline_prints_its_port_and_stops_with_stdin():
    with running("--port", "0", "--with-stdin-lifeline") as process:
        word, port = line(process).split()
        assert word == "PORT"

        async def use() -> None:
            async with connect(int(port)) as client:
                assert await client.shell("echo hi") == (b"hi\n", b"", 0)

        asyncio.run(use())
        _, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors) == (0, b"")


@pytest.mark.matrix
def test_each_start_has_its_own_boot_id():
    async def boot_at(port: int) -> object:
        hellos: list[Mapping[str, Any]] = []
        link = await DirectLink.connect("127.0.0.1", port)
        client = HelperClient(link, greeted=hellos.append)
        try:
            await client.call("clipboard", {"set": None}, budget_ms=5000)
        finally:
            await client.aclose()
            await link.aclose()
        return hellos[0]["boot_id"]

    boots: list[object] = []
    for _ in range(2):
        with running("--port", "0", "--with-stdin-lifeline") as process:
            boots.append(asyncio.run(boot_at(int(line(process).split()[1]))))
            process.communicate(timeout=PATIENCE)
    assert boots[0] != boots[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_start_prints_the_adb_command_and_a_signal_stops_it(number: signal.Signals):
    with running("--port", "0") as process:
        first, second = line(process), line(process)
        address = first.removeprefix("Virtual phone on ")
        assert address.startswith("127.0.0.1:")
        assert second == f"adb connect {address}"
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors) == (0, b"")


def test_port_in_use_is_reported_in_one_sentence(capsys: pytest.CaptureFixture[str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"The virtual phone cannot listen on 127.0.0.1:{port}: the port is in use; "
        "choose another with --port (0 takes any free one).\n"
    )


@pytest.mark.matrix
def test_phone_stops_when_its_parent_is_gone():
    done = subprocess.run(
        [sys.executable, "-m", "handheld.virtual", "--port", "0", "--with-stdin-lifeline"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, b"PORT", b"")


def test_default_port_is_outside_of_the_adb_servers_scan():
    assert not 5555 <= DEFAULT_PORT <= 5585


@pytest.mark.parametrize(
    "options",
    [["--port", "70000"], ["--api", "5"], ["--allow-any"], ["--auth", "--with-stdin-lifeline"]],
)
def test_invalid_options_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        main(options)
    assert end.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_the_phone_starts_without_the_servers_libraries():
    code = (
        "import sys; import handheld.virtual.phone; "
        "heavy = {'mcp', 'starlette', 'uvicorn', 'pydantic', 'httpx', 'cryptography'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout == b"[]\n"


def test_its_help_ends_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert words.endswith("Example: handheld virtual --api 30, then: adb connect 127.0.0.1:5600")
