"""Phones that connect and disconnect."""

import asyncio
import re
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from cli.fake_adb import FakeAdbServer, fake_adb
from handheld.adb.direct import DirectLink
from handheld.adb.keys import generate_key
from handheld.adb.link import Link
from handheld.adb.server import AdbServer
from handheld.adb.state import PhoneState
from handheld.clock import SYSTEM_CLOCK
from handheld.devices import NO_PHONE, DeviceInfo
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory, open_devices
from handheld.devices.tracked import TrackedDevices
from handheld.devices.virtual_process import VirtualEndpoint
from handheld.errors import (
    ActionFailed,
    InvalidParams,
    PermissionDenied,
    ToolError,
    UnknownPhone,
    Unreachable,
)
from handheld.phone.phone import Phone
from handheld.settings import load
from handheld_virtual.phone import VirtualPhone
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.polling import HANG, wait_until

ONE = "R58M device usb:1-1 product:o1s model:SM_G991B device:o1s transport_id:1"
TWO = "emulator-5554 device product:sdk model:Pixel transport_id:2"


class Notices:
    """Collects notifications, and waits for the next."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._more = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        task = asyncio.create_task(self._wake())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake(self) -> None:
        async with self._more:
            self._more.notify_all()

    async def until(self, line: str) -> None:
        async with asyncio.timeout(HANG), self._more:
            await self._more.wait_for(lambda: line in self.lines)


class IdleDriver:
    """A driver that can only be closed."""

    def __init__(self, closed: list[str], serial: str) -> None:
        self._closed = closed
        self._serial = serial

    async def release(self) -> bool:
        return True

    async def aclose(self) -> None:
        self._closed.append(self._serial)


class PhonesOfAdb:
    def __init__(self, server: FakeAdbServer, *only: str, slug: str = "") -> None:
        self.adb = server
        self.notices = Notices()
        self.closed: list[str] = []
        self.taken: dict[str, str] = {}
        self.devices = TrackedDevices(
            AdbServer(port=server.port, clock=PatientClock()),
            only,
            self._hold,
            self.notices,
            slugs={"R58M": "pixel7"} if only else {"": slug},
            owned_elsewhere=lambda serial: self.taken.get(serial, ""),
        )

    def _hold(self, link: Link) -> Phone:
        driver = IdleDriver(self.closed, link.serial)
        return Phone(link.serial, driver)  # pyright: ignore[reportArgumentType]


@pytest.fixture
async def adb() -> AsyncIterator[FakeAdbServer]:
    async with fake_adb() as server:
        yield server


async def test_the_only_phone_is_picked_and_stays_the_same(adb: FakeAdbServer) -> None:
    adb.show(ONE)
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices) as devices:
        phone = await devices.pick(None)
        assert (phone.serial, await devices.pick(None) is phone) == ("R58M", True)
        assert await devices.pick("R58M") is phone
        assert devices.describe() == "Connected: R58M (SM_G991B)."
        assert await devices.known() == [DeviceInfo("R58M", PhoneState.DEVICE, "SM_G991B")]
        assert await devices.release(None) == (
            "R58M is released: other programs may use UiAutomation until the next call."
        )
    assert rig.closed == ["R58M"]


@pytest.mark.parametrize(
    ("lines", "only", "ref", "kind", "sentence"),
    [
        ([], "", None, Unreachable, NO_PHONE),
        (
            [ONE, TWO],
            "",
            None,
            InvalidParams,
            "Several phones are connected: R58M (SM_G991B), emulator-5554 (Pixel). Say which one "
            "to use when you start: handheld serve --phone R58M",
        ),
        (
            [ONE],
            "",
            "other",
            InvalidParams,
            "No phone here is called 'other'. Connected: R58M (SM_G991B).",
        ),
        (
            [TWO],
            "R58M",
            None,
            Unreachable,
            "The phone R58M is not connected: `adb devices` lists the phones that are.",
        ),
        (
            ["R58M offline transport_id:3"],
            "",
            None,
            PermissionDenied,
            "The phone R58M is offline: unlock it, then unplug and replug it, or run "
            "`adb reconnect offline`.",
        ),
    ],
)
async def test_without_a_usable_phone_the_error_suggests_what_to_do(
    adb: FakeAdbServer,
    lines: list[str],
    only: str,
    ref: str | None,
    kind: type[ToolError],
    sentence: str,
) -> None:
    adb.show(*lines)
    async with aclosing(PhonesOfAdb(adb, *filter(None, [only])).devices) as devices:
        with pytest.raises(ToolError) as raised:
            await devices.pick(ref)
    assert (type(raised.value), raised.value.message) == (kind, sentence)


async def test_an_unauthorized_phone_is_reported(adb: FakeAdbServer) -> None:
    adb.show("R58M unauthorized transport_id:3")
    async with aclosing(PhonesOfAdb(adb).devices) as devices:
        with pytest.raises(PermissionDenied, match="accept the “Allow USB debugging"):
            await devices.pick(None)


async def test_the_chosen_one_of_several_phones_is_served(adb: FakeAdbServer) -> None:
    adb.show(ONE, TWO)
    async with aclosing(PhonesOfAdb(adb, "emulator-5554").devices) as devices:
        assert (await devices.pick(None)).serial == "emulator-5554"


async def test_the_only_usable_phone_is_picked(adb: FakeAdbServer) -> None:
    adb.show("R58M unauthorized transport_id:3", TWO)
    async with aclosing(PhonesOfAdb(adb).devices) as devices:
        assert (await devices.pick(None)).serial == "emulator-5554"


async def test_a_phone_owned_by_another_process_is_not_used(adb: FakeAdbServer) -> None:
    adb.show(ONE, TWO)
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices) as devices:
        rig.taken["R58M"] = "`handheld serve --phone R58M` (pid 7)"
        assert (await devices.pick(None)).serial == "emulator-5554"
        for ref, gone in (("R58M", []), (None, [TWO])):
            adb.show(*(line for line in (ONE, TWO) if line not in gone))
            if gone:
                await rig.notices.until("Phone emulator-5554 (Pixel) is gone.")
                assert devices.describe().startswith("`handheld serve --phone R58M` (pid 7) has")
            with pytest.raises(PermissionDenied) as raised:
                await devices.pick(ref)
            assert raised.value.message == (
                "`handheld serve --phone R58M` (pid 7) has the phone R58M. Work through it, or "
                "stop it first."
            )


async def test_without_a_chosen_phone_the_slug_belongs_to_the_only_phone(
    adb: FakeAdbServer,
) -> None:
    adb.show(ONE)
    rig = PhonesOfAdb(adb, slug="pixel7")
    async with aclosing(rig.devices) as devices:
        assert (await devices.pick("pixel7")).serial == "R58M"
        assert devices.describe() == "Connected: pixel7 (R58M, SM_G991B)."
        adb.show(ONE, TWO)
        await rig.notices.until("Phone emulator-5554 (Pixel) is connected.")
        assert devices.describe() == "Connected: R58M (SM_G991B), emulator-5554 (Pixel)."
        with pytest.raises(InvalidParams, match="Several phones are connected"):
            await devices.pick("pixel7")


async def test_a_server_of_all_phones_skips_one_with_another_owner(
    adb: FakeAdbServer, tmp_path: Path
) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
    settings = load({}, environment)
    code = (
        "import sys; from pathlib import Path; from handheld.devices.ownership import Owners\n"
        "claim = Owners(Path(sys.argv[1])).claim(['R58M'], 'handheld serve --phone R58M')\n"
        "print('claimed', flush=True); sys.stdin.read(); claim.release()"
    )
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, str(settings.folders.owners)), stdin=PIPE, stdout=PIPE
    )
    assert other.stdout is not None
    assert await other.stdout.readline() == b"claimed\n"
    adb.show(ONE)
    async with aclosing(await open_devices(settings, Notices(), clock=PatientClock())) as devices:
        with pytest.raises(PermissionDenied) as raised:
            await devices.pick(None)
        assert raised.value.message == (
            f"`handheld serve --phone R58M` (pid {other.pid}) has the phone R58M. Work through it, "
            "or stop it first."
        )
        await other.communicate(b"")
        assert (await devices.pick(None)).serial == "R58M"


async def test_each_chosen_phone_is_picked_by_serial_or_slug(
    adb: FakeAdbServer,
) -> None:
    adb.show(ONE, TWO, "other device model:Nexus transport_id:3")
    async with aclosing(PhonesOfAdb(adb, "R58M", "emulator-5554").devices) as devices:
        await devices.settle()
        assert [one.serial for one in devices.connected()] == ["R58M", "emulator-5554"]
        assert (await devices.pick("pixel7")) is (await devices.pick("R58M"))
        assert (await devices.pick("emulator-5554")).serial == "emulator-5554"
        refs = ("pixel7", "R58M", "emulator-5554")
        assert [await devices.slug_of(ref) for ref in refs] == ["pixel7", "pixel7", ""]
        for ref in ("other", "nobody", ""):
            with pytest.raises(UnknownPhone):
                await devices.slug_of(ref)
            with pytest.raises(InvalidParams):
                await devices.pick(ref)


async def test_a_chosen_phone_is_known_by_name_before_it_connects(adb: FakeAdbServer) -> None:
    await adb.stop()
    async with aclosing(PhonesOfAdb(adb, "R58M", "emulator-5554").devices) as devices:
        assert (await devices.slug_of("R58M"), devices.absent()) == (
            "pixel7",
            ["pixel7 (R58M)", "emulator-5554"],
        )


async def test_a_phone_that_is_gone_says_until_when_it_was_connected(adb: FakeAdbServer) -> None:
    adb.show(ONE)
    rig = PhonesOfAdb(adb, "R58M")
    async with aclosing(rig.devices) as devices:
        await devices.pick(None)
        adb.show()
        await rig.notices.until("Phone pixel7 (R58M, SM_G991B) is gone.")
        with pytest.raises(ActionFailed, match="is not connected") as failure:
            await devices.pick(None)
    [detail] = failure.value.details
    assert re.fullmatch(r"It was connected until [012]\d:[0-5]\d\.", str(detail))


async def test_a_returning_phone_gets_a_new_connection(adb: FakeAdbServer) -> None:
    adb.show(ONE)
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices) as devices:
        before = await devices.pick(None)
        adb.show()
        await rig.notices.until("Phone R58M (SM_G991B) is gone.")
        assert rig.closed == ["R58M"]
        with pytest.raises(ActionFailed):
            await devices.pick(None)
        adb.show(ONE.replace("transport_id:1", "transport_id:9"))
        await rig.notices.until("Phone R58M (SM_G991B) is connected.")
        rig.notices.lines.clear()
        adb.show(ONE.replace("transport_id:1", "transport_id:10"))
        await rig.notices.until("Phone R58M (SM_G991B) is connected.")
        assert await devices.pick(None) is not before


async def test_transient_states_are_not_reported(
    adb: FakeAdbServer,
) -> None:
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices):
        adb.show("R58M offline transport_id:1")
        adb.show(ONE)
        await rig.notices.until("Phone R58M (SM_G991B) is connected.")
        adb.show("R58M offline transport_id:1")
        await rig.notices.until(
            "The phone R58M is offline: unlock it, then unplug and replug it, or run "
            "`adb reconnect offline`."
        )
        assert len(rig.notices.lines) == 2


@pytest.mark.slow
async def test_a_restarted_adb_server_is_tracked_again(adb: FakeAdbServer) -> None:
    adb.show(ONE)
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices) as devices:
        before = await devices.pick(None)
        await adb.stop()
        await rig.notices.until("Phone R58M (SM_G991B) is gone.")
        await adb.start(adb.port)
        await rig.notices.until("The adb server answers again.")
        assert await devices.pick(None) is not before


@pytest.mark.slow
async def test_without_adb_the_reason_is_logged_once_and_returned_to_every_caller(
    adb: FakeAdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    await adb.stop()
    rig = PhonesOfAdb(adb)
    async with aclosing(rig.devices) as devices:
        for _ in range(2):
            with pytest.raises(ActionFailed, match="adb is not installed"):
                await devices.pick(None)
        assert len(rig.notices.lines) == 1
        await adb.start(adb.port)
        adb.show(ONE)
        await rig.notices.until("Phone R58M (SM_G991B) is connected.")


async def test_an_address_known_to_the_adb_server_goes_through_it(
    adb: FakeAdbServer, tmp_path: Path
) -> None:
    adb.show("192.0.2.1:5555 device model:Pixel transport_id:4")
    environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
    settings = load({"phone": "192.0.2.1:5555"}, environment)
    async with aclosing(await open_devices(settings, Notices(), clock=PatientClock())) as devices:
        assert isinstance(devices, TrackedDevices)
        assert (await devices.pick(None)).serial == "192.0.2.1:5555"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("#!/bin/sh\necho out of memory >&2\nexit 3\n", "It said: out of memory"),
        ("#!/bin/sh\necho something else\n", ""),
        ("", "No such file or directory"),
    ],
)
async def test_a_virtual_phone_that_fails_to_start_reports_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, sentence: str
) -> None:
    program = tmp_path / "python"
    if script:
        program.write_text(script, encoding="utf-8")
        program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    settings = load({"phone": "virtual"}, {"HANDHELD_HOME": str(tmp_path)})
    async with aclosing(await open_devices(settings, Notices(), clock=PatientClock())) as devices:
        with pytest.raises(ActionFailed) as raised:
            await devices.pick(None)
    assert raised.value.message.startswith("The virtual phone did not start")
    assert sentence in raised.value.message


async def test_an_address_where_no_phone_answers_is_named(
    adb: FakeAdbServer, tmp_path: Path
) -> None:
    await adb.stop()
    environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
    settings = load({"phone": f"127.0.0.1:{adb.port}"}, environment)
    async with aclosing(await open_devices(settings, Notices(), clock=PatientClock())) as devices:
        with pytest.raises(ActionFailed, match=f"No phone answers adb at 127.0.0.1:{adb.port}"):
            await devices.pick(None)
        assert await devices.known() == [DeviceInfo(f"127.0.0.1:{adb.port}", PhoneState.ABSENT)]


@pytest.mark.parametrize("asks", [True, False], ids=["prompt", "silent"])
async def test_a_phone_that_has_not_allowed_this_computer_is_reported_at_once_each_time(
    asks: bool,
) -> None:
    key, clock, notices = generate_key(), ManualClock(), Notices()
    async with VirtualPhone(authorize=True) as device, asyncio.timeout(HANG):
        device.authority.closed = not asks
        name = f"127.0.0.1:{device.port}"
        sentence = (
            f"The phone {name} has not allowed this computer yet: unlock it and accept the “Allow"
            " USB debugging?” prompt on its screen (no prompt: switch USB debugging off and on)."
        )
        endpoint = TcpEndpoint("127.0.0.1", device.port, lambda: (key,), clock)
        async with aclosing(DirectDevice(endpoint, PhoneFactory().make_phone, notices)) as devices:
            for pause in (1.0, 2.0):
                for _ in range(2):
                    with pytest.raises(PermissionDenied) as raised:
                        await devices.pick(None)
                    assert raised.value.message == sentence
                await devices.settle()
                assert await devices.known() == [DeviceInfo(name, PhoneState.UNAUTHORIZED)]
                assert devices.describe() == sentence
                assert 20 not in clock.waits
                # The attempt is given up, and the next call begins another.
                await clock.until_waits(30.0)
                await clock.advance(30)
                await clock.until_waits(pause)
            assert notices.lines == [sentence]
            device.authority.allow(key.public)
            assert (await devices.pick(None)).serial == name
            assert clock.now() == 60


async def test_a_phone_that_allows_this_computer_at_last_is_connected() -> None:
    key, clock, notices = generate_key(), ManualClock(), Notices()
    async with VirtualPhone(authorize=True) as device, asyncio.timeout(HANG):
        asked = asyncio.Event()
        device.authority.changed = asked.set
        name = f"127.0.0.1:{device.port}"
        endpoint = TcpEndpoint("127.0.0.1", device.port, lambda: (key,), clock)
        async with aclosing(DirectDevice(endpoint, PhoneFactory().make_phone, notices)) as devices:
            with pytest.raises(PermissionDenied):
                await devices.pick(None)
            await asked.wait()
            device.authority.allow(key.public)
            await notices.until(f"Phone {name} (Handheld Virtual) is connected.")
            assert (await devices.pick(None)).serial == name


class Threshold:
    """The endpoint of a phone that answers once it is released."""

    name = "threshold"
    clock = SYSTEM_CLOCK

    def __init__(self, port: int) -> None:
        self._port = port
        self.reached = asyncio.Event()
        self.door = asyncio.Event()
        self.dials = 0

    async def dial(self, on_waiting: Callable[[], None] | None = None) -> DirectLink:
        self.dials += 1
        self.reached.set()
        await self.door.wait()
        return await DirectLink.connect("127.0.0.1", self._port, clock=PatientClock())

    def take_notice(self) -> str:
        return ""

    async def aclose(self) -> None: ...


async def test_a_caller_that_gives_up_does_not_stop_the_shared_dial() -> None:
    async with VirtualPhone() as device:
        endpoint = Threshold(device.port)
        devices = DirectDevice(endpoint, PhoneFactory().make_phone, Notices())
        async with aclosing(devices), asyncio.timeout(HANG):
            calls = [asyncio.create_task(devices.pick(None)) for _ in range(2)]
            await endpoint.reached.wait()
            await asyncio.sleep(0)
            calls[0].cancel()
            with pytest.raises(asyncio.CancelledError):
                await calls[0]
            endpoint.door.set()
            assert (await calls[1]).serial == f"127.0.0.1:{device.port}"
            assert endpoint.dials == 1


async def test_closing_during_a_dial_leaves_nothing_behind() -> None:
    endpoint = Threshold(1)
    devices = DirectDevice(endpoint, PhoneFactory().make_phone, Notices())
    async with asyncio.timeout(HANG):
        call = asyncio.create_task(devices.pick(None))
        await endpoint.reached.wait()
        await devices.aclose()
        await asyncio.gather(call, return_exceptions=True)
        with pytest.raises(ActionFailed, match=r"^The phone threshold is no longer served\.$"):
            await devices.pick(None)
    assert endpoint.dials == 1


async def test_a_lost_connection_is_noticed_and_redialled() -> None:
    notices = Notices()
    async with VirtualPhone() as device:
        endpoint = Threshold(device.port)
        endpoint.door.set()
        async with aclosing(DirectDevice(endpoint, PhoneFactory().make_phone, notices)) as devices:
            before = await devices.pick(None)
            device.drop_connections()
            await notices.until(f"Phone 127.0.0.1:{device.port} is gone.")
            assert await devices.pick(None) is not before


@pytest.mark.matrix
async def test_a_killed_virtual_phone_is_restarted_before_its_exit_is_noticed() -> None:
    output: list[str] = []
    endpoint = VirtualEndpoint(output.append, clock=PatientClock())
    try:
        await (await endpoint.dial()).aclose()
        process, port = endpoint._process, endpoint._port  # pyright: ignore[reportPrivateUsage]
        assert process is not None
        process.kill()
        # Without letting the loop run: its sockets are closed, but its exit is not known yet.
        wait_until(lambda: not _takes_connections(port))
        assert process.returncode is None
        await (await endpoint.dial()).aclose()
        assert output == ["The virtual phone exited."]
        assert "was restarted" in endpoint.take_notice()
    finally:
        await endpoint.aclose()


def _takes_connections(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
