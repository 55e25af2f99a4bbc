"""Phones that disconnect and return, between two calls and during one: over TCP and through
Debian's adb server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from bench.ports import keep_port

from cli.program import ADB_ALONE, need_adb
from handheld.adb.link import AdbError
from handheld.adb.server import AdbServer
from handheld.calls.local import Caller, LocalSurface
from handheld.devices import Devices
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.devices.tracked import TrackedDevices
from handheld.errors import ToolError
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG, until, until_true

CALLER = Caller("cli")
IN_DOUBT = "The action may or may not have happened; look at the screen before going on."


class LosingPhone:
    """A phone, the connection to it, and the tools."""

    def __init__(self, phone: VirtualPhone, devices: Devices, server: AdbServer | None) -> None:
        self.phone = phone
        self.devices = devices
        self.server = server
        self.serial = f"127.0.0.1:{phone.port}"
        self.surface = LocalSurface(CATALOG, devices)

    async def call(self, name: str, **arguments: object) -> str:
        [text, *_] = await self.surface.call(f"android_{name}", arguments, CALLER)
        assert isinstance(text, str)
        return text

    async def read_until(self, text: str) -> None:
        """Repeat until the phone is back; only for reads."""

        async def is_there() -> bool:
            try:
                return text in await self.call("get_screen_state")
            except ToolError as problem:
                return text in problem.message

        await until_true(is_there)

    async def adb(self, *words: str) -> None:
        assert self.server is not None
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *("adb", "-P", str(self.server.port), *words), stdin=quiet, stdout=quiet, stderr=quiet
        )
        async with asyncio.timeout(HANG):
            await process.wait()

    async def plug_in(self) -> None:
        """Wait until the adb server has the phone; it may be stopping or starting."""

        async def is_connected() -> bool:
            assert self.server is not None
            try:
                await self.server.connect(self.serial)
            except AdbError:
                return False
            return True

        await until_true(is_connected)

    def touches(self) -> list[object]:
        seen = [event.details[0] for event in self.phone.world.events if event.kind == "touch"]
        return [action for action in seen if action != "move"]

    async def touched(self, *actions: str) -> None:
        await until(lambda: self.touches() == list(actions))


def ignore(line: str) -> None: ...


@pytest.fixture
async def direct() -> AsyncIterator[LosingPhone]:
    async with VirtualPhone() as phone:
        endpoint = TcpEndpoint("127.0.0.1", phone.port, tuple)
        devices = DirectDevice(endpoint, PhoneFactory().make_phone, ignore)
        try:
            yield LosingPhone(phone, devices, None)
        finally:
            await devices.aclose()


@pytest.fixture
async def through_adb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LosingPhone]:
    need_adb()
    port = keep_port()
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in ADB_ALONE.items():
        monkeypatch.setenv(name, value)
    async with VirtualPhone() as phone:
        server = AdbServer(port=port)
        devices = TrackedDevices(server, [], PhoneFactory().make_phone, ignore)
        rig = LosingPhone(phone, devices, server)
        try:
            await rig.plug_in()
            yield rig
        finally:
            await devices.aclose()
            await rig.adb("kill-server")


Operation = Callable[[LosingPhone], Awaitable[None]]


async def unplug(rig: LosingPhone) -> None:
    if rig.server is None:
        rig.phone.faults.drop_link()
    else:
        await rig.adb("disconnect", rig.serial)


async def go_away_for_a_while(rig: LosingPhone) -> None:
    rig.phone.faults.drop_link(300)


async def reboot(rig: LosingPhone) -> None:
    if rig.server is None:
        rig.phone.reboot()
    else:
        await rig.adb("-s", rig.serial, "reboot")


async def restart_the_adb_server(rig: LosingPhone) -> None:
    await rig.adb("kill-server")


async def kill_the_helper(rig: LosingPhone) -> None:
    rig.phone.faults.kill_helper()


async def lose_between_calls(rig: LosingPhone, operation: Operation) -> None:
    await rig.read_until("title:Launcher")
    assert await rig.call("tap", x=1, y=1) == "Tap executed at (1, 1)"
    await operation(rig)
    if rig.server is not None and operation is not kill_the_helper:
        await rig.plug_in()
    await rig.read_until("title:Launcher")
    assert await rig.call("tap", x=2, y=2) == "Tap executed at (2, 2)"
    assert rig.touches() == ["down", "up"] * 2


async def lose_in_a_call(rig: LosingPhone, operation: Operation) -> None:
    await rig.read_until("title:Launcher")
    swipe = {"x1": 500, "y1": 1500, "x2": 500, "y2": 1000, "duration": 60_000}
    action = asyncio.create_task(rig.call("swipe", **swipe))
    await rig.touched("down")
    await operation(rig)
    async with asyncio.timeout(HANG):
        with pytest.raises(ToolError) as caught:
            await action
    assert caught.value.message.endswith(IN_DOUBT)
    if rig.server is not None and operation is not kill_the_helper:
        await rig.plug_in()
    await rig.read_until("title:Launcher")
    assert await rig.call("tap", x=2, y=2) == "Tap executed at (2, 2)"
    # Never done twice, and no finger is left down.
    after = rig.touches()
    assert after.count("down") == 2
    assert after[-2:] == ["down", "up"]


DIRECT = [unplug, go_away_for_a_while, reboot, kill_the_helper]
SERVER = [unplug, restart_the_adb_server, reboot, kill_the_helper]


@pytest.mark.slow
@pytest.mark.parametrize("operation", DIRECT)
async def test_a_phone_over_tcp_is_reconnected_for_the_next_call(
    direct: LosingPhone, operation: Operation
) -> None:
    await lose_between_calls(direct, operation)


@pytest.mark.slow
@pytest.mark.parametrize("operation", DIRECT)
async def test_an_action_during_a_lost_tcp_connection_is_in_doubt(
    direct: LosingPhone, operation: Operation
) -> None:
    await lose_in_a_call(direct, operation)


@pytest.mark.needs_adb
@pytest.mark.parametrize("operation", SERVER)
async def test_a_phone_of_the_adb_server_is_reconnected_for_the_next_call(
    through_adb: LosingPhone, operation: Operation
) -> None:
    await lose_between_calls(through_adb, operation)


@pytest.mark.needs_adb
@pytest.mark.parametrize("operation", SERVER)
async def test_an_action_during_a_lost_adb_server_connection_is_in_doubt(
    through_adb: LosingPhone, operation: Operation
) -> None:
    await lose_in_a_call(through_adb, operation)


@pytest.mark.needs_adb
async def test_a_chosen_phone_over_wifi_is_reconnected_automatically(
    through_adb: LosingPhone,
) -> None:
    """The adb server forgets the phone; the process that chose it by address reconnects it."""
    assert through_adb.server is not None
    await through_adb.devices.aclose()
    only = [through_adb.serial]
    devices = TrackedDevices(through_adb.server, only, PhoneFactory().make_phone, ignore)
    through_adb.devices = devices
    through_adb.surface = LocalSurface(CATALOG, devices)
    await through_adb.read_until("title:Launcher")
    for operation in (unplug, restart_the_adb_server, reboot):
        await operation(through_adb)
        await through_adb.read_until("title:Launcher")
    assert await through_adb.call("tap", x=2, y=2) == "Tap executed at (2, 2)"


async def test_without_a_helper_the_phone_is_controlled_through_its_shell(
    direct: LosingPhone,
) -> None:
    await direct.read_until("title:Launcher")
    direct.phone.faults.refuse_helper()
    direct.phone.faults.kill_helper()
    await direct.read_until("title:Launcher")
    with pytest.raises(ToolError):
        await direct.call("pinch", center_x=500, center_y=500, scale=2)
    assert await direct.call("tap", x=2, y=2) == "Tap executed at (2, 2)"


@pytest.mark.slow
async def test_each_of_several_phones_reconnects_independently() -> None:
    """A problem of one phone does not affect the others."""
    async with VirtualPhone() as first, VirtualPhone() as second:
        rigs: list[LosingPhone] = []
        for phone in (first, second):
            endpoint = TcpEndpoint("127.0.0.1", phone.port, tuple)
            rigs.append(
                LosingPhone(phone, DirectDevice(endpoint, PhoneFactory().make_phone, ignore), None)
            )
        one, other = rigs
        try:
            await asyncio.gather(*(rig.read_until("title:Launcher") for rig in rigs))
            action = asyncio.create_task(
                one.call("swipe", x1=500, y1=1500, x2=500, y2=1000, duration=300)
            )
            await one.touched("down")
            await unplug(other)
            await other.read_until("title:Launcher")
            assert (await action).startswith("Swipe executed from (500, 1500)")
            assert one.touches() == ["down", "up"]
        finally:
            for rig in rigs:
                await rig.devices.aclose()
