"""Debian's adb against `python -m handheld_virtual`."""

import hashlib
import os
import random
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bench.ports import keep_port

from cli.program import ADB_ALONE, need_adb
from harness.polling import HANG, wait_until

pytestmark = pytest.mark.needs_adb

MEGABYTES = 20


@dataclass
class Adb:
    """The adb command with its own server and home folder."""

    environment: dict[str, str] = field(repr=False)

    def __call__(
        self, *words: str, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["adb", *words],
            input=b"" if stdin is None else stdin,
            capture_output=True,
            env=self.environment,
            timeout=HANG,
            check=False,
        )

    def text(self, *words: str) -> str:
        """Return the output of a successful command."""
        done = self(*words)
        assert (done.returncode, done.stderr) == (0, b""), (words, done)
        return done.stdout.decode()


@dataclass
class Phone:
    """A running phone, known to adb as `serial`."""

    adb: Adb
    serial: str

    def __call__(self, *words: str, stdin: bytes | None = None) -> tuple[bytes, bytes, int]:
        done = self.adb("-s", self.serial, *words, stdin=stdin)
        return done.stdout, done.stderr, done.returncode


@pytest.fixture(scope="module")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    need_adb()
    environment = dict(
        os.environ,
        HOME=str(tmp_path_factory.mktemp("home")),
        ANDROID_ADB_SERVER_PORT=str(keep_port()),
        **ADB_ALONE,
    )
    for name in ("ANDROID_SERIAL", "ADB_SERVER_SOCKET", "ADB_VENDOR_KEYS"):
        environment.pop(name, None)
    adb = Adb(environment)
    # A server that outlives this command must not keep its pipes open.
    subprocess.run(
        ["adb", "start-server"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        timeout=HANG,
        check=True,
    )
    try:
        yield adb
    finally:
        adb("kill-server")


def run_phone(*options: str) -> Generator[int]:
    """A phone in its own process, which exits when its stdin is closed."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "handheld_virtual",
            "--port",
            "0",
            "--with-stdin-lifeline",
            *options,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        word, port = process.stdout.readline().split()
        assert word == b"PORT"
        yield int(port)
    finally:
        process.stdin.close()
        process.stdout.close()
        assert process.wait(HANG) == 0


def connected(adb: Adb, port: int) -> Iterator[Phone]:
    serial = f"127.0.0.1:{port}"
    assert adb.text("connect", serial) == f"connected to {serial}\n"
    try:
        yield Phone(adb, serial)
    finally:
        adb("disconnect", serial)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    yield from run_phone()


@pytest.fixture(scope="module")
def phone(adb: Adb, port: int) -> Iterator[Phone]:
    yield from connected(adb, port)


def test_devices_lists_product_model_and_device(phone: Phone):
    (line,) = [
        line for line in phone.adb.text("devices", "-l").splitlines() if phone.serial in line
    ]
    words = line.split()
    assert words[:5] == [
        phone.serial,
        "device",
        "product:handheld_virtual",
        "model:Handheld_Virtual",
        "device:virtual",
    ]


def test_shell_returns_output_errors_and_exit_code(phone: Phone):
    assert phone("shell", "echo out; echo err >&2; exit 7") == (b"out\n", b"err\n", 7)


def test_shell_passes_stdin(phone: Phone):
    assert phone("shell", "cat", stdin=b"line\n" * 50000) == (b"line\n" * 50000, b"", 0)


def test_shell_without_a_command_runs_lines(phone: Phone):
    assert phone("shell", stdin=b"echo one\nexit 3\n") == (b"one\n", b"", 3)


def test_an_unknown_command_fails_with_127(phone: Phone):
    missing = b"/system/bin/sh: frobnicate: inaccessible or not found\n"
    assert phone("shell", "frobnicate") == (b"", missing, 127)


def test_shell_protocol_v1_works(phone: Phone):
    assert phone("shell", "-x", "echo old") == (b"old\n", b"", 0)


def test_exec_out_returns_a_picture_unchanged(phone: Phone):
    picture, errors, code = phone("exec-out", "screencap", "-p")
    assert (picture[:8], errors, code) == (b"\x89PNG\r\n\x1a\n", b"", 0)
    assert picture[-8:-4] == b"IEND"


def test_exec_in_accepts_bytes(phone: Phone):
    content = random.Random(1).randbytes(300_000)
    assert phone("exec-in", "cat > /data/local/tmp/in", stdin=content) == (b"", b"", 0)
    # exec-in does not wait for the program: only check that the bytes arrive.
    wait_until(lambda: phone("shell", "stat -c %s /data/local/tmp/in")[0] == b"300000\n")
    sum, _, _ = phone("shell", "sha256sum -b /data/local/tmp/in")
    assert sum.decode().strip() == hashlib.sha256(content).hexdigest()


def test_20_mb_are_pushed_and_pulled_unchanged(phone: Phone, tmp_path: Path):
    content = random.Random(2).randbytes(MEGABYTES * 1_000_000)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(content)
    _, errors, code = phone("push", str(source), "/sdcard/Download/big")
    assert code == 0, errors
    sum, _, _ = phone("shell", "sha256sum -b /sdcard/Download/big")
    assert sum.decode().strip() == hashlib.sha256(content).hexdigest()
    _, errors, code = phone("pull", "/sdcard/Download/big", str(target))
    assert code == 0, errors
    assert target.read_bytes() == content


def test_folders_are_pushed_and_pulled(phone: Phone, tmp_path: Path):
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "deep" / "er" / "grüße.txt").write_bytes(b"hello")
    (source / "empty").write_bytes(b"")
    _, errors, code = phone("push", str(source), "/sdcard/Documents/")
    assert code == 0, errors
    _, errors, code = phone("pull", "/sdcard/Documents/source", str(tmp_path / "back"))
    assert code == 0, errors
    assert {
        str(path.relative_to(tmp_path / "back")): path.read_bytes()
        for path in (tmp_path / "back").rglob("*")
        if path.is_file()
    } == {"deep/er/grüße.txt": b"hello", "empty": b""}


def test_push_to_a_read_only_folder_reports_the_reason(phone: Phone, tmp_path: Path):
    (tmp_path / "x").write_bytes(b"x")
    output, errors, code = phone("push", str(tmp_path / "x"), "/system/x")
    assert code == 1
    assert b"Read-only file system" in output + errors


def test_ls_lists_a_folder(phone: Phone):
    listing, _, code = phone("ls", "/sdcard/")
    assert code == 0
    names = [line.split()[-1] for line in listing.decode().splitlines()]
    assert names[:3] == [".", "..", "Alarms"]


def test_forward_reaches_an_abstract_socket(phone: Phone):
    port, _, _ = phone("forward", "tcp:0", "localabstract:handheld-echo")
    with socket.create_connection(("127.0.0.1", int(port)), timeout=HANG) as peer:
        for part in (b"hello", b"x" * 100_000):
            peer.sendall(part)
            back = b""
            while len(back) < len(part):
                back += peer.recv(65536)
            assert back == part
    assert phone("forward", "--remove", f"tcp:{int(port)}") == (b"", b"", 0)


def test_forward_to_a_missing_socket_is_closed_immediately(phone: Phone):
    port, _, _ = phone("forward", "tcp:0", "localabstract:nobody")
    with socket.create_connection(("127.0.0.1", int(port)), timeout=HANG) as peer:
        assert peer.recv(1) == b""
    phone("forward", "--remove", f"tcp:{int(port)}")


def test_reverse_reaches_this_computer(phone: Phone):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(HANG)
        here = server.getsockname()[1]
        assert phone("reverse", "localabstract:back", f"tcp:{here}") == (b"", b"", 0)
        assert b"localabstract:back" in phone("reverse", "--list")[0]
        port, _, _ = phone("forward", "tcp:0", "localabstract:back")
        with socket.create_connection(("127.0.0.1", int(port)), timeout=HANG) as near:
            far, _ = server.accept()
            with far:
                near.sendall(b"ping")
                assert far.recv(4) == b"ping"
                far.sendall(b"pong")
                assert near.recv(4) == b"pong"
    phone("forward", "--remove", f"tcp:{int(port)}")
    assert phone("reverse", "--remove-all") == (b"", b"", 0)
    assert phone("reverse", "--list")[0].strip() == b""


def test_many_shells_at_once(phone: Phone):
    running = [
        subprocess.Popen(
            ["adb", "-s", phone.serial, "shell", f"echo {number}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=phone.adb.environment,
        )
        for number in range(30)
    ]
    assert [process.communicate(timeout=HANG)[0] for process in running] == [
        f"{number}\n".encode() for number in range(30)
    ]


def test_an_authorized_key_works(adb: Adb):
    phones = run_phone("--auth", "--allow-any")
    serial = f"127.0.0.1:{next(phones)}"
    try:
        # adb reports a failure while the phone asks for authorization; the device appears later.
        adb("connect", serial)
        adb("-s", serial, "wait-for-device")
        assert Phone(adb, serial)("shell", "echo hi") == (b"hi\n", b"", 0)
        adb("disconnect", serial)
        # The key is now authorized.
        assert adb.text("connect", serial) == f"connected to {serial}\n"
        assert Phone(adb, serial)("shell", "echo hi") == (b"hi\n", b"", 0)
    finally:
        adb("disconnect", serial)
        phones.close()


def test_a_new_key_is_not_authorized_without_consent(adb: Adb, tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-m", "handheld_virtual", "--port", "0", "--auth"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    serial = process.stdout.readline().split()[-1].decode()
    try:
        adb("connect", serial)
        states = {line.split()[0]: line.split()[1] for line in _device_lines(adb)}
        assert states[serial] in ("unauthorized", "authorizing")
    finally:
        adb("disconnect", serial)
        process.terminate()
        process.stdout.close()
        assert process.wait(HANG) == 0


def _device_lines(adb: Adb) -> list[str]:
    return [line for line in adb.text("devices").splitlines()[1:] if line.strip()]
