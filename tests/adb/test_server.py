"""`AdbServer` and `ServerLink` against a peer that speaks the real protocol."""

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from shlex import quote

import pytest
from adb_peer import SmallServer, echo, serving

from handheld.adb.link import AdbError, LinkLost, NoAnswer, ServiceRefused
from handheld.adb.server import AdbServer
from handheld.adb.smartsocket import AdbDevice, SocketStream, parse_devices, phone_failure
from handheld.adb.state import PhoneState, PhoneUnavailable
from harness.manual_clock import ManualClock
from harness.polling import HANG

LISTING = """\
emulator-5554          device product:sdk model:Pixel_8 device:emu64 transport_id:1
0123456789ABCDEF       unauthorized usb:1-4 transport_id:2
R5CT                   no permissions (user in plugdev group; are your udev rules wrong?); \
see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:3
192.168.1.7:5555       offline transport_id:4
adb-X (2)._adb-tls-connect._tcp device model:Six transport_id:5
odd                    flying
"""
DEVICES = [
    AdbDevice(
        "emulator-5554",
        PhoneState.DEVICE,
        {"product": "sdk", "model": "Pixel_8", "device": "emu64", "transport_id": "1"},
    ),
    AdbDevice("0123456789ABCDEF", PhoneState.UNAUTHORIZED, {"usb": "1-4", "transport_id": "2"}),
    AdbDevice("R5CT", PhoneState.NO_PERMISSIONS, {"usb": "1-2", "transport_id": "3"}),
    AdbDevice("192.168.1.7:5555", PhoneState.OFFLINE, {"transport_id": "4"}),
    AdbDevice(
        "adb-X (2)._adb-tls-connect._tcp",
        PhoneState.DEVICE,
        {"model": "Six", "transport_id": "5"},
    ),
    AdbDevice("odd", PhoneState.UNKNOWN, {}),
]


def test_device_list_is_parsed() -> None:
    assert parse_devices(LISTING) == DEVICES
    assert parse_devices("abc\tdevice\n\n") == [AdbDevice("abc", PhoneState.DEVICE, {})]
    assert parse_devices("") == []


async def test_server_reports_its_version_and_phones() -> None:
    async with serving(SmallServer(devices=LISTING)) as small:
        server = AdbServer("127.0.0.1", small.port)
        assert await server.version() == 0x29
        assert await server.devices() == DEVICES
    assert small.requests == ["host:version", "host:devices-l"]


async def test_tracking_yields_every_change_until_the_server_stops() -> None:
    async with serving(SmallServer(devices="")) as small:
        server = AdbServer("127.0.0.1", small.port)
        async with aclosing(server.track()) as changes:
            assert await anext(changes) == []
            small.devices = "abc    device model:A\n"
            small.changed.set()
            assert await anext(changes) == [AdbDevice("abc", PhoneState.DEVICE, {"model": "A"})]
            small.vanish()
            with pytest.raises(LinkLost, match="adb server closed the connection"):
                await anext(changes)
        async with aclosing(server.track()) as changes:
            assert await anext(changes) == [AdbDevice("abc", PhoneState.DEVICE, {"model": "A"})]


async def test_cancelled_tracking_closes_its_socket() -> None:
    async with serving(SmallServer()) as small:
        told = asyncio.Event()

        async def follow() -> None:
            async with aclosing(AdbServer("127.0.0.1", small.port).track()) as changes:
                async for _ in changes:
                    told.set()

        following = asyncio.create_task(follow())
        await asyncio.wait_for(told.wait(), HANG)
        following.cancel()
        with pytest.raises(asyncio.CancelledError):
            await following


async def test_a_service_is_opened_on_the_chosen_phone() -> None:
    async with serving(SmallServer({"abc": {"echo:": echo}})) as small:
        link = AdbServer("127.0.0.1", small.port).link("abc")
        stream = await link.open("echo:")
        await stream.write(b"hello")
        assert await stream.read() == b"hello"
        await stream.aclose()
        await stream.aclose()
        with pytest.raises(LinkLost, match="closed"):
            await stream.write(b"more")
        await link.aclose()
    assert small.requests == ["host:transport:abc", "echo:"]


async def test_features_are_queried_once() -> None:
    async with serving(SmallServer({"abc": {}}, features=("shell_v2", "cmd"))) as small:
        link = AdbServer("127.0.0.1", small.port).link("abc")
        assert await link.features() == await link.features() == {"shell_v2", "cmd"}
    assert small.requests == ["host-serial:abc:features"]


REFUSALS = [
    ("device 'abc' not found", PhoneState.ABSENT, "`adb devices` lists the phones"),
    ("no devices/emulators found", PhoneState.ABSENT, "`adb devices` lists the phones"),
    (
        "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server'"
        " if that seems wrong.\nOtherwise check for a confirmation dialog on your device.",
        PhoneState.UNAUTHORIZED,
        "accept the “Allow USB debugging?” prompt on its screen",
    ),
    ("device offline", PhoneState.OFFLINE, "unplug and replug it"),
    ("device still authorizing", PhoneState.AUTHORIZING, "wait a moment"),
    ("device still connecting", PhoneState.CONNECTING, "wait a moment"),
    (
        "insufficient permissions for device: user in plugdev group; are your udev rules wrong?",
        PhoneState.NO_PERMISSIONS,
        "apt-get install android-sdk-platform-tools-common",
    ),
]


@pytest.mark.parametrize(("message", "state", "remedy"), REFUSALS)
async def test_unusable_phone_states_the_fix(message: str, state: PhoneState, remedy: str) -> None:
    async with serving(SmallServer({"abc": message})) as small:
        link = AdbServer("127.0.0.1", small.port).link("abc")
        for attempt in (link.open("sync:"), link.features()):
            with pytest.raises(PhoneUnavailable) as caught:
                await attempt
            assert (caught.value.state, caught.value.serial) == (state, "abc")
            assert remedy in str(caught.value)
            assert str(caught.value).startswith("The phone abc ")


@pytest.mark.parametrize("state", list(PhoneState))
def test_every_state_has_a_message(state: PhoneState) -> None:
    sentence = str(PhoneUnavailable("abc", state))
    assert sentence.startswith("The phone abc ")
    assert sentence.endswith(".")


def test_unknown_refusal_is_forwarded_in_one_line() -> None:
    problem = phone_failure("abc", "something\nquite new")
    assert type(problem) is AdbError
    assert str(problem) == "The adb server will not reach the phone abc: something quite new."


async def test_refused_service_differs_from_a_lost_phone() -> None:
    async with serving(SmallServer({"abc": {}}, connects="")) as small:
        server = AdbServer("127.0.0.1", small.port)
        with pytest.raises(ServiceRefused, match="will not open the service 'nonsense:'"):
            await server.link("abc").open("nonsense:")
        with pytest.raises(ServiceRefused, match="longer than adb takes"):
            await server.link("abc").open("x" * 70_000)
        with pytest.raises(AdbError, match="refused 'host:connect:x': unknown host service"):
            await server.connect("x")


async def test_phone_lost_after_it_was_asked_may_have_begun() -> None:
    """The server says `closed` both for a refused service and for a phone that it lost."""
    async with serving(SmallServer({"abc": {}, "off": "device offline"})) as small:
        server = AdbServer("127.0.0.1", small.port)
        for serial, begun in (("abc", True), ("off", False)):
            with pytest.raises(AdbError) as caught:
                await server.link(serial).open("shell:input tap 1 2")
            assert caught.value.begun is begun


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        ("failed to authenticate to", PhoneUnavailable, "accept the “Allow"),
        ("failed to connect to", AdbError, "cannot connect to box:5555: failed to connect"),
    ],
)
async def test_failed_connect_is_an_error_despite_okay(
    answer: str, kind: type[AdbError], sentence: str
) -> None:
    async with serving(SmallServer(connects=answer)) as small:
        with pytest.raises(kind, match=sentence):
            await AdbServer("127.0.0.1", small.port).connect("box:5555")


@pytest.mark.parametrize("answer", ["connected to", "already connected to"])
async def test_successful_connect_returns(answer: str) -> None:
    async with serving(SmallServer(connects=answer)) as small:
        await AdbServer("127.0.0.1", small.port).connect("box:5555")


async def write_until_it_fails(stream: SocketStream) -> None:
    async with asyncio.timeout(HANG):
        while True:
            await stream.write(b"anyone?")
            await asyncio.sleep(0)


async def test_streams_fail_when_the_server_dies_and_new_ones_open() -> None:
    async with serving(SmallServer({"abc": {"echo:": echo}})) as small:
        link = AdbServer("127.0.0.1", small.port).link("abc")
        stream = await link.open("echo:")
        await stream.write(b"x")
        assert await stream.read() == b"x"
        small.vanish()
        assert await stream.read() == b""
        with pytest.raises(LinkLost, match="went away"):
            await write_until_it_fails(stream)
        await stream.aclose()
        again = await link.open("echo:")
        await again.write(b"y")
        assert await again.read() == b"y"
        await again.aclose()


async def test_unresponsive_phone_times_out() -> None:
    asked, clock = asyncio.Event(), ManualClock()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        asked.set()
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(accept, "127.0.0.1", 0)
    server = AdbServer("127.0.0.1", silent.sockets[0].getsockname()[1], clock=clock)
    for ask in (server.version, lambda: server.link("abc").open("echo:")):
        asked.clear()
        waiting = asyncio.ensure_future(ask())
        async with asyncio.timeout(HANG):
            await asked.wait()
            await clock.advance(9.9)
            assert not waiting.done()
            await clock.advance(0.1)
            with pytest.raises(NoAnswer, match="did not answer within 10 s"):
                await waiting
    silent.close()
    await silent.wait_closed()
    await asyncio.sleep(0)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400", b"OKAYzzzz", b"FAILnope", b"OKAY0004vers"])
async def test_other_service_on_the_port_is_reported(answer: bytes) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer)
        await reader.read()
        writer.close()

    fake = await asyncio.start_server(accept, "127.0.0.1", 0)
    server = AdbServer("127.0.0.1", fake.sockets[0].getsockname()[1])
    with pytest.raises(AdbError, match=r"not an adb server|not its protocol|its version is 'vers'"):
        await server.version()
    fake.close()
    await fake.wait_closed()
    await asyncio.sleep(0)


# Starting a server


@pytest.fixture
def free_port() -> Iterator[int]:
    """Keep the port bound without listening, so that nobody else gets it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def put_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (folder / "adb").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "adb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


async def test_missing_adb_states_how_to_install_it(
    free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AdbError, match=r"adb is not installed.*apt-get install adb"):
        await AdbServer("127.0.0.1", free_port).version()


async def test_remote_server_is_never_started(
    free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, f"touch {quote(str(tmp_path))}/ran")
    with pytest.raises(AdbError, match="Start one there"):
        await AdbServer("127.0.0.2", free_port).version()
    assert not (tmp_path / "ran").exists()


async def test_adb_is_not_run_while_a_server_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, f"touch {quote(str(tmp_path))}/ran")
    async with serving(SmallServer()) as small:
        assert await AdbServer("127.0.0.1", small.port).version() == 0x29
    assert not (tmp_path / "ran").exists()


async def test_failed_start_quotes_adb(
    free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, 'echo "cannot bind: $*" >&2; exit 1')
    sentence = f"`adb start-server` failed: cannot bind: -P {free_port} start-server"
    with pytest.raises(AdbError, match=sentence):
        await AdbServer("127.0.0.1", free_port).version()


async def test_start_without_a_server_is_reported(
    free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, f"echo x >> {quote(str(tmp_path))}/ran")
    server = AdbServer("127.0.0.1", free_port)
    with pytest.raises(AdbError, match="ran, but nothing answers on port"):
        await server.version()
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "x\n"
