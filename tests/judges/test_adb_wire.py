"""Further features of Debian's adb: file modes and times, forwarding both ways, terminals, a
reboot, and authorization on the phone's screen. The phone runs in this process, so that a test can
touch its screen."""

import asyncio
import os
import pty
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from test_adb import Adb
from test_adb import adb as adb  # the fixture: one adb server for this file too

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.wire.debugging_prompt import TITLE
from harness.polling import HANG, until

pytestmark = pytest.mark.needs_adb

Done = tuple[bytes, bytes, int | None]


class Judge:
    """adb and its phone."""

    def __init__(self, adb: Adb, phone: VirtualPhone) -> None:
        self._environment = adb.environment
        self.phone = phone
        self.serial = f"127.0.0.1:{phone.port}"

    async def plain(self, *words: str, stdin: bytes = b"") -> Done:
        process = await asyncio.create_subprocess_exec(
            "adb",
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
        )
        async with asyncio.timeout(HANG):
            out, err = await process.communicate(stdin)
        return out, err, process.returncode

    async def __call__(self, *words: str, stdin: bytes = b"") -> Done:
        return await self.plain("-s", self.serial, *words, stdin=stdin)

    async def state(self) -> str:
        out, err, _ = await self("get-state")
        return (out or err).decode().strip()


@pytest.fixture
async def judge(adb: Adb) -> AsyncIterator[Judge]:
    async with VirtualPhone() as phone:
        judge = Judge(adb, phone)
        out, _, _ = await judge.plain("connect", judge.serial)
        assert out == f"connected to {judge.serial}\n".encode()
        yield judge
        await judge.plain("disconnect", judge.serial)


async def test_get_state_and_wait_for_work(judge: Judge):
    assert await judge("get-state") == (b"device\n", b"", 0)
    assert await judge("wait-for-device", "shell", "echo", "up") == (b"up\n", b"", 0)


async def test_modes_and_times_are_pushed_and_pulled(judge: Judge, tmp_path: Path):
    source, target = tmp_path / "ä file", tmp_path / "target"
    source.write_bytes(b"x")
    source.chmod(0o755)
    os.utime(source, (1_600_000_000, 1_600_000_000))
    _, err, code = await judge("push", str(source), "/data/local/tmp/")
    assert code == 0, err
    assert await judge("shell", "stat -c '%a %Y' '/data/local/tmp/ä file'") == (
        b"777 1600000000\n",
        b"",
        0,
    )
    _, err, code = await judge("pull", "-a", "/data/local/tmp/ä file", str(target))
    assert code == 0, err
    assert (target.read_bytes(), int(target.stat().st_mtime)) == (b"x", 1_600_000_000)


async def test_pulling_a_missing_file_fails(judge: Judge, tmp_path: Path):
    out, err, code = await judge("pull", "/sdcard/none", str(tmp_path / "x"))
    assert (code, b"No such file or directory" in out + err) == (1, True)


async def test_a_terminal_has_a_size_and_an_exit_code(judge: Judge):
    ours, theirs = pty.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            *("adb", "-s", judge.serial, "shell", "-tt", "echo $TERM; exit 6"),
            stdin=theirs,
            stdout=asyncio.subprocess.PIPE,
            env={**judge._environment, "TERM": "vt100"},
        )
        async with asyncio.timeout(HANG):
            out, _ = await process.communicate()
    finally:
        os.close(ours)
        os.close(theirs)
    assert (out, process.returncode) == (b"vt100\r\n", 6)


async def test_exec_out_includes_stderr(judge: Judge):
    assert await judge("exec-out", "echo out; echo err >&2") == (b"out\nerr\n", b"", 0)


async def test_reversed_ports_carry_data_both_ways(judge: Judge):
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"got " + await reader.readexactly(5))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    here = server.sockets[0].getsockname()[1]
    try:
        port, _, _ = await judge("reverse", "tcp:0", f"tcp:{here}")
        assert port.strip().isdigit()
        assert await judge("reverse", "tcp:7000", f"tcp:{here}") == (b"", b"", 0)
        refused = await judge("reverse", "--no-rebind", "tcp:7000", f"tcp:{here}")
        assert (refused[2], b"cannot rebind existing socket" in refused[1]) == (1, True)
        listing, _, _ = await judge("reverse", "--list")
        assert [line.split()[1:] for line in listing.decode().splitlines() if line] == [
            [f"tcp:{int(port)}", f"tcp:{here}"],
            ["tcp:7000", f"tcp:{here}"],
        ]
        out, _, _ = await judge("forward", "tcp:0", "tcp:7000")
        reader, writer = await asyncio.open_connection("127.0.0.1", int(out))
        writer.write(b"hello")
        async with asyncio.timeout(HANG):
            assert await reader.read() == b"got hello"
        writer.close()
        await writer.wait_closed()
        assert await judge("reverse", "--remove", "tcp:7000") == (b"", b"", 0)
        gone = await judge("reverse", "--remove", "tcp:7000")
        assert (gone[2], b"listener 'tcp:7000' not found" in gone[1]) == (1, True)
        assert await judge("reverse", "--remove-all") == (b"", b"", 0)
    finally:
        await judge("forward", "--remove-all")
        server.close()
        await server.wait_closed()


async def test_a_phone_reconnects_after_a_reboot(judge: Judge):
    before = judge.phone.world.boot_id
    _, err, code = await judge("reboot")
    assert (code, err) == (0, b"")
    assert judge.phone.world.boot_id != before
    # Whether adb reconnects by itself depends on its version; on request it does.
    await judge.plain("disconnect", judge.serial)
    await judge.plain("connect", judge.serial)
    assert await judge("wait-for-device", "shell", "echo", "back") == (b"back\n", b"", 0)


async def test_root_is_rejected_with_the_message_of_adbd(judge: Judge):
    refused = b"adbd cannot run as root in production builds\n"
    assert await judge("root") == (refused, b"", 0)
    out, err, _ = await judge("unroot")
    assert out + err == b"adbd not running as root\n"
    # This version of adb detects the failure by the message.
    out, err, _ = await judge("remount")
    assert b"inaccessible or not found" in out + err


async def test_jdwp_lists_nothing_and_stays_open(judge: Judge):
    process = await asyncio.create_subprocess_exec(
        *("adb", "-s", judge.serial, "track-jdwp"),
        stdout=asyncio.subprocess.PIPE,
        env=judge._environment,
    )
    assert process.stdout is not None
    await until(lambda: any(s.service == "track-jdwp" for s in judge.phone.adbd.streams()))
    process.kill()
    assert await process.communicate() in ((b"", None), (b"0000", None), (b"\n", None))


async def test_logcat_works(judge: Judge):
    judge.phone.world.launch("com.android.calculator2")
    out, err, code = await judge("logcat", "-d", "-v", "brief", "ActivityManager:I", "*:S")
    assert (err, code) == (b"", 0)
    assert b"Start proc" in out


async def test_a_computer_is_unauthorized_until_allow_is_tapped_on_the_screen(adb: Adb):
    async with VirtualPhone(authorize=True) as phone:
        judge = Judge(adb, phone)
        connecting = asyncio.ensure_future(judge.plain("connect", judge.serial))
        await until(lambda: phone.authority.waiting)
        await connecting
        assert "unauthorized" in await judge.state() or "authorizing" in await judge.state()
        (prompt,) = [
            window for window in phone.world.automation.read_windows() if window.title == TITLE
        ]
        for words in ("Always allow from this computer", "Allow"):
            node = next(node for node in prompt.nodes if node.text == words)
            x = (node.bounds.left + node.bounds.right) / 2
            y = (node.bounds.top + node.bounds.bottom) / 2
            phone.world.touch("down", 0, x, y)
            phone.world.touch("up", 0, x, y)
        assert await judge("wait-for-device", "shell", "echo", "in") == (b"in\n", b"", 0)
        await judge.plain("disconnect", judge.serial)
        out, _, _ = await judge.plain("connect", judge.serial)
        assert out == f"connected to {judge.serial}\n".encode()
        await judge.plain("disconnect", judge.serial)
