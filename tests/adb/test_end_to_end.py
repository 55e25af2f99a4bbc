"""Our adb client against the virtual phone: directly, and through Debian's adb server."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from bench.ports import keep_port

from handheld.adb import sync
from handheld.adb.direct import DirectLink
from handheld.adb.keys import generate_key
from handheld.adb.link import Link, LinkLost, ServiceRefused
from handheld.adb.server import AdbServer
from handheld.adb.shell import ShellResult, run
from handheld.adb.state import PhoneState, PhoneUnavailable
from handheld_virtual.phone import VirtualPhone
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.phones import link_to
from harness.polling import HANG, until

CONTENT = bytes(range(256)) * 20_000


@pytest.fixture
async def phone() -> AsyncGenerator[VirtualPhone, None]:
    async with VirtualPhone() as phone:
        yield phone


@pytest.fixture
async def server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[AdbServer, None]:
    """Debian's adb server on its own port, started by the first request."""
    port = keep_port()
    monkeypatch.setenv("HOME", str(tmp_path))
    yield AdbServer("127.0.0.1", port, clock=PatientClock())
    await stop(port)


async def stop(port: int) -> None:
    command = shutil.which("adb")
    assert command is not None
    process = await asyncio.create_subprocess_exec(
        *(command, "-P", str(port), "kill-server"), stderr=asyncio.subprocess.DEVNULL
    )
    await process.wait()


async def exhaust(changes: AsyncIterator[object]) -> None:
    async for _ in changes:
        pass


async def use(link: Link) -> None:
    """Use a link like the layers above."""
    assert "shell_v2" in await link.features()
    assert await run(link, ["echo", "a  b", "ö"]) == ShellResult("a  b ö\n".encode(), b"", 0)
    assert (await run(link, ["no-such-command"])).code == 127
    assert await run(link, ["cat"], stdin=CONTENT) == ShellResult(CONTENT, b"", 0)
    path = "/data/local/tmp/ä file"
    assert await sync.push(link, CONTENT, path, mode=0o600, mtime=1_700_000_000) == len(CONTENT)
    assert await sync.pull(link, path) == CONTENT
    found = await sync.stat(link, path)
    # adbd gives everybody the owner's permissions.
    assert (found.mode, found.size, found.mtime) == (0o100666, len(CONTENT), 1_700_000_000)
    names = [entry.name for entry in await sync.list_folder(link, "/data/local/tmp")]
    assert "ä file" in names
    with pytest.raises(sync.SyncError, match="no such file"):
        await sync.pull(link, "/data/local/tmp/none")
    with pytest.raises(ServiceRefused):
        await link.open("no-such-service:")
    results = await asyncio.gather(*(run(link, ["echo", str(n)]) for n in range(50)))
    assert [result.stdout for result in results] == [b"%d\n" % n for n in range(50)]


async def test_the_virtual_phone_is_used_directly(phone: VirtualPhone, tmp_path: Path) -> None:
    async with link_to(phone) as link:
        await use(link)


async def test_virtual_phone_accepts_known_keys() -> None:
    key = generate_key("me@here")
    async with VirtualPhone(authorize=True) as phone:
        clock = ManualClock()
        connecting = asyncio.create_task(
            DirectLink.connect("127.0.0.1", phone.port, lambda: [key], clock=clock)
        )
        await clock.until_waits(60)
        await clock.advance(60)
        with pytest.raises(PhoneUnavailable) as caught:
            await connecting
        assert caught.value.state is PhoneState.UNAUTHORIZED
        phone.allow(key.public)
        link = await DirectLink.connect(
            "127.0.0.1", phone.port, lambda: [key], clock=PatientClock()
        )
        assert (await run(link, ["echo", "in"])).stdout == b"in\n"
        await link.aclose()


async def test_phone_switched_off_during_a_transfer_is_lost(phone: VirtualPhone) -> None:
    async with link_to(phone) as link:
        # It reads nothing, so that the transfer cannot end.
        running = asyncio.create_task(run(link, ["sleep", "1000"], stdin=CONTENT * 10))
        await until(lambda: phone.processes.find("sleep"))
        await phone.aclose()
        with pytest.raises(LinkLost):
            await running


@pytest.mark.needs_adb
async def test_the_virtual_phone_is_used_through_debians_adb(
    phone: VirtualPhone, server: AdbServer, tmp_path: Path
) -> None:
    serial = f"127.0.0.1:{phone.port}"
    assert await server.version() > 30
    async with aclosing(server.track()) as changes:
        assert serial not in [device.serial for device in await anext(changes)]
        await server.connect(serial)
        async with asyncio.timeout(HANG):
            async for devices in changes:
                states = {device.serial: device.state for device in devices}
                if states.get(serial) is PhoneState.DEVICE:
                    break
        await use(server.link(serial))
        (model,) = [d.details["model"] for d in await server.devices() if d.serial == serial]
        assert model == "Handheld_Virtual"
        with pytest.raises(PhoneUnavailable) as caught:
            await server.link("nobody").open("sync:")
        assert caught.value.state is PhoneState.ABSENT
        # The server stops; tracking reports it, and the next request starts a new one.
        await stop(server.port)
        with pytest.raises(LinkLost):
            await asyncio.wait_for(exhaust(changes), HANG)
    assert await server.version() > 30
