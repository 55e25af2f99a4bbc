"""`python -m handheld_virtual` as a process: its output, and how it stops."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from bench.ports import keep_port
from wire_client import connect

from handheld.helper.client import HelperClient
from handheld_virtual.command_line import DEFAULT_PORT, main
from harness.phones import link_to
from harness.polling import HANG


@contextmanager
def running(*options: str) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "handheld_virtual", *options],
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


@pytest.mark.slow
def test_phone_with_lifeline_prints_its_port_and_stops_with_stdin():
    with running("--port", "0", "--with-stdin-lifeline") as process:
        word, port = line(process).split()
        assert word == "PORT"

        async def use() -> None:
            async with connect(int(port)) as client:
                assert await client.shell("echo hi") == (b"hi\n", b"", 0)

        asyncio.run(use())
        _, errors = process.communicate(timeout=HANG)
        assert (process.returncode, errors) == (0, b"")


@pytest.mark.matrix
def test_each_start_has_its_own_boot_id():
    async def boot_at(port: int) -> object:
        hellos: list[Mapping[str, Any]] = []
        async with link_to(port) as link:
            client = HelperClient(link, greeted=hellos.append)
            try:
                await client.call("clipboard", {"set": None}, budget_ms=5000)
            finally:
                await client.aclose()
        return hellos[0]["boot_id"]

    boots: list[object] = []
    for _ in range(2):
        with running("--port", "0", "--with-stdin-lifeline") as process:
            boots.append(asyncio.run(boot_at(int(line(process).split()[1]))))
            process.communicate(timeout=HANG)
    assert boots[0] != boots[1]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_start_prints_the_adb_command_and_a_signal_stops_it(number: signal.Signals):
    with running("--port", "0") as process:
        first, second = line(process), line(process)
        address = first.removeprefix("Virtual phone on ")
        assert address.startswith("127.0.0.1:")
        assert second == f"adb connect {address}"
        process.send_signal(number)
        _, errors = process.communicate(timeout=HANG)
        assert (process.returncode, errors) == (0, b"")


async def _shell(port: int, command: str) -> str:
    async with connect(port) as client:
        return (await client.shell(command)).stdout.decode()


@pytest.mark.slow
def test_several_phones_have_serials_and_contents_of_their_own_and_stop_together():
    with running("--port", "0", "--count", "3") as process:
        lines = [line(process) for _ in range(3)]
        started = [each.removeprefix("Virtual phone ").split(" on 127.0.0.1:") for each in lines]
        ports = [int(port) for _, port in started]
        assert [serial for serial, _ in started] == ["virtual-1", "virtual-2", "virtual-3"]
        assert len(set(ports)) == 3

        async def use() -> None:
            for serial, port in started:
                assert await _shell(int(port), "getprop ro.serialno") == f"{serial}\n"
            await _shell(ports[1], "echo kept > /sdcard/only-here.txt")
            boots: set[str] = set()
            for port in ports:
                found = await _shell(port, "cat /sdcard/only-here.txt")
                assert found == ("kept\n" if port == ports[1] else "")
                boots.add(await _shell(port, "cat /proc/sys/kernel/random/boot_id"))
            assert len(boots) == 3

        asyncio.run(use())
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=HANG)
        assert (process.returncode, rest, errors) == (0, b"", b"")
    for port in ports:
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            pass


@pytest.mark.slow
def test_a_serial_is_chosen_for_phones_that_a_fleet_tells_apart():
    with running("--port", "0", "--count", "2", "--serial", "lab.7") as process:
        assert [line(process).split()[2] for _ in range(2)] == ["lab.7-1", "lab.7-2"]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANG)


@pytest.mark.slow
def test_several_phones_with_lifeline_print_a_port_each():
    with running("--port", "0", "--count", "2", "--with-stdin-lifeline") as process:
        words = [line(process).split() for _ in range(2)]
        assert [word for word, _ in words] == ["PORT", "PORT"]
        assert words[0] != words[1]
        _, errors = process.communicate(timeout=HANG)
        assert (process.returncode, errors) == (0, b"")


def test_the_second_of_two_phones_takes_the_next_port_or_none_starts(
    capsys: pytest.CaptureFixture[str],
):
    port = next_port = 0
    while not next_port:
        port = keep_port()
        with suppress(OSError):
            next_port = keep_port(port + 1)
    with socket.create_server(("127.0.0.1", next_port)):
        assert main(["--port", str(port), "--count", "2"]) == 1
        assert capsys.readouterr().err.startswith(
            f"The virtual phone cannot listen on 127.0.0.1:{next_port}: the port is in use"
        )
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--count", "0"], "--count is a number from 1 to 250; for more, start a second one"),
        (["--count", "-3"], "--count is a number from 1 to 250; for more, start a second one"),
        (["--count", "251"], "--count is a number from 1 to 250; for more, start a second one"),
        (["--count", "some"], "argument --count: invalid int value: 'some'"),
        (
            ["--count", "3", "--port", "65534"],
            "3 phones from port 65534 would need ports above 65535; choose a lower --port, or 0",
        ),
        (
            ["--count", "2", "--auth"],
            "--auth asks for one phone at a terminal; with --count add --allow-any",
        ),
    ],
)
def test_counts_that_cannot_be_are_refused_with_a_sentence(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as end:
        main(options)
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")


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
        [sys.executable, "-m", "handheld_virtual", "--port", "0", "--with-stdin-lifeline"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG,
        check=False,
    )
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, b"PORT", b"")


def test_default_port_is_outside_of_the_adb_servers_scan():
    assert not 5555 <= DEFAULT_PORT <= 5585


@pytest.mark.parametrize(
    "options",
    [
        ["--port", "70000"],
        ["--api", "5"],
        ["--serial", "a b"],
        ["--allow-any"],
        ["--auth", "--with-stdin-lifeline"],
    ],
)
def test_invalid_options_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        main(options)
    assert end.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.slow
def test_the_phone_starts_without_the_servers_libraries():
    code = (
        "import sys; import handheld_virtual.phone; "
        "heavy = {'mcp', 'starlette', 'uvicorn', 'pydantic', 'httpx', 'cryptography'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=HANG,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout == b"[]\n"


def test_its_help_ends_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert words.endswith("Example: handheld virtual --api 30, then: adb connect 127.0.0.1:5600")
