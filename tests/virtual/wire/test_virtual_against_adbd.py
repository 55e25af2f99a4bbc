"""The virtual phone and a real adbd give the same answers to the same requests.

Debian trixie has an adbd that runs on a plain machine. Name the command that starts it, as root:

    HANDHELD_ADBD=adbd python -m pytest -m needs_adbd tests/virtual/wire

On an older Debian, fetch the package and its dependencies without installing them (`apt-get install
--download-only` with a separate `Dir::State` and `Dir::Cache` and a trixie source), unpack them
with `dpkg-deb -x` into one folder, and name a script that starts `ld-linux-x86-64.so.2
--library-path <its libraries> <folder>/usr/lib/android-sdk/platform-tools/adbd`.

Two intended differences are not compared: the virtual phone refuses DATA of more than 64 KiB, and
sends a close for messages to unknown streams.
"""

import asyncio
import os
import re
import shlex
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from bench.ports import keep_port
from wire_client import WireClient, connect

from handheld.adb import wire
from handheld.adb.wire import encode_shell, encode_sync
from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG, until_true

COMMAND = os.environ.get("HANDHELD_ADBD", "")
pytestmark = pytest.mark.needs_adbd
FOLDER = "/data/local/tmp/oracle"

Ask = Callable[[WireClient, str], Awaitable[object]]


class Pair:
    """Clients of the virtual phone and of adbd, each with its own folder."""

    def __init__(self, real: int, folder: str, phone: VirtualPhone) -> None:
        self._sides = ((real, folder), (phone.port, FOLDER))

    async def same(self, ask: Ask, *, greet: bool = True) -> None:
        """Ask both, each on its own connection, and compare."""
        answers: list[object] = []
        for port, folder in self._sides:
            async with connect(port, greet=greet) as client:
                answers.append(await ask(client, folder))
        assert answers[1] == answers[0]


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    assert COMMAND, "HANDHELD_ADBD does not name the command that starts a real adbd"
    port = keep_port()
    folder = tmp_path / "oracle"
    folder.mkdir(mode=0o775)
    folder.chmod(0o775)
    process = await asyncio.create_subprocess_exec(
        *shlex.split(COMMAND),
        env={**os.environ, "ADBD_PORT": str(port), "HOME": str(tmp_path)},
        cwd=tmp_path,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _listening(port)
        async with VirtualPhone() as phone:
            phone.files.make_folder(FOLDER, 0o775)
            yield Pair(port, str(folder), phone)
    finally:
        process.kill()
        await process.wait()


async def _listening(port: int) -> None:
    async def is_listening() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    await until_true(is_listening)


async def everything(client: WireClient, theirs: int, data: bytes = b"") -> bytes:
    """Return the output of a stream up to its end, after sending `data`."""
    if data:
        client.send(wire.WRTE, 1, theirs, data)
    return await client.collect(theirs)


def send(path: str, content: bytes, mode: str = "33188", mtime: int = 5) -> bytes:
    data = encode_sync(b"SEND", os.fsencode(f"{path},{mode}"))
    for start in range(0, len(content), wire.SYNC_DATA_MAX):
        data += encode_sync(b"DATA", content[start : start + wire.SYNC_DATA_MAX])
    return data + encode_sync(b"DONE", mtime)


def ask_sync(make: Callable[[str], bytes]) -> Ask:
    async def ask(client: WireClient, folder: str) -> bytes:
        data = make(folder) + encode_sync(b"QUIT", 0)
        answer = await everything(client, await client.open("sync:"), data)
        return answer.replace(folder.encode(), b"FOLDER")

    return ask


LINK = "41471"
SYNC: dict[str, Callable[[str], bytes]] = {
    "a file in new folders": lambda f: (
        send(f"{f}/a/b/c", b"hello") + encode_sync(b"STAT", f"{f}/a/b/c".encode())
    ),
    "a large file": lambda f: (
        send(f"{f}/x", bytes(range(256)) * 2000) + encode_sync(b"RECV", f"{f}/x".encode())
    ),
    "an empty file": lambda f: send(f"{f}/x", b"") + encode_sync(b"RECV", f"{f}/x".encode()),
    "a file over another": lambda f: (
        send(f"{f}/x", b"0123456789")
        + send(f"{f}/x", b"abc")
        + encode_sync(b"RECV", f"{f}/x".encode())
    ),
    "a name with a comma": lambda f: (
        send(f"{f}/a,b", b"x") + encode_sync(b"STAT", f"{f}/a,b".encode())
    ),
    "a name that is no text": lambda f: (
        send(os.fsdecode(f"{f}/".encode() + b"\xff\xfe"), b"x")
        + encode_sync(b"RECV", f"{f}/".encode() + b"\xff\xfe")
    ),
    "a name that is too long": lambda f: send(f"{f}/{'n' * 300}", b"x"),
    "a name with dots and slashes": lambda f: (
        send(f"{f}//a/./b/../c", b"x") + encode_sync(b"STAT", f"{f}/a/c".encode())
    ),
    "a file as a folder": lambda f: send(f"{f}/x", b"x") + send(f"{f}/x/y", b"y"),
    "a folder as a file": lambda f: send(f, b"x"),
    "a folder with a slash": lambda f: send(f"{f}/new/", b"x"),
    "dot": lambda f: send(f"{f}/.", b"x"),
    "no path": lambda f: send("", b"x"),
    "a zero byte in a name": lambda f: (
        send(f"{f}/x", b"x") + encode_sync(b"STAT", f"{f}/x\0y".encode())
    ),
    "no comma": lambda f: encode_sync(b"SEND", f"{f}/x".encode()),
    **{
        f"mode {mode or 'nothing'}": lambda f, mode=mode: (
            send(f"{f}/x", b"x", mode) + encode_sync(b"STAT", f"{f}/x".encode())
        )
        for mode in ("0", "33024", "33261", "35309", "493", "-1", "0x81a4", "0100600", "", "many")
    },
    "the last second": lambda f: (
        send(f"{f}/x", b"x", mtime=0xFFFFFFFF) + encode_sync(b"STAT", f"{f}/x".encode())
    ),
    "a link": lambda f: send(f"{f}/l", b"t\0", LINK) + encode_sync(b"STAT", f"{f}/l".encode()),
    "a link over a file": lambda f: (
        send(f"{f}/x", b"x")
        + send(f"{f}/x", b"t\0", LINK)
        + encode_sync(b"STAT", f"{f}/x".encode())
    ),
    "a file over a link": lambda f: (
        send(f"{f}/t", b"0123456789")
        + send(f"{f}/l", f"{f}/t\0".encode(), LINK)
        + send(f"{f}/l", b"abc")
        + encode_sync(b"RECV", f"{f}/t".encode())
        + encode_sync(b"RECV", f"{f}/l".encode())
    ),
    "a link over a folder": lambda f: send(f, b"t\0", LINK),
    "a link below a file": lambda f: send(f"{f}/x", b"x") + send(f"{f}/x/l", b"t\0", LINK),
    "a loop": lambda f: (
        send(f"{f}/l", f"{f}/l\0".encode(), LINK)
        + encode_sync(b"STA2", f"{f}/l".encode())
        + encode_sync(b"RECV", f"{f}/l".encode())
    ),
    "a failure ends the stream": lambda f: (
        encode_sync(b"RECV", f"{f}/none".encode()) + encode_sync(b"STAT", b"/none")
    ),
    "a folder is not received": lambda f: encode_sync(b"RECV", f.encode()),
    "what is not there": lambda f: (
        encode_sync(b"STAT", b"/none")
        + encode_sync(b"STA2", b"/none")
        + encode_sync(b"LST2", b"")
        + encode_sync(b"STA2", f"{f}/{'n' * 300}".encode())
        + encode_sync(b"LIST", b"/none")
        + encode_sync(b"LIS2", b"/none")
    ),
    "a path that is too long": lambda f: encode_sync(b"STAT", b"/" * 1025),
    "an unknown request": lambda f: encode_sync(b"NOPE", b"abc"),
    "the second push": lambda f: (
        encode_sync(b"SND2", f"{f}/x".encode())
        + b"SND2"
        + (0o100644).to_bytes(4, "little")
        + bytes(4)
        + encode_sync(b"DATA", b"hi")
        + encode_sync(b"DONE", 7)
        + encode_sync(b"STAT", f"{f}/x".encode())
        + encode_sync(b"RCV2", f"{f}/x".encode())
        + encode_sync(b"RCV2", 0)
    ),
    "unknown flags": lambda f: encode_sync(b"RCV2", b"/none") + encode_sync(b"RCV2", 0x40),
    "half a push": lambda f: (
        encode_sync(b"SEND", f"{f}/x,33188".encode()) + encode_sync(b"NOPE", b"")
    ),
}


@pytest.mark.parametrize("name", SYNC)
async def test_push_and_pull_match_adbd(pair: Pair, name: str):
    await pair.same(ask_sync(SYNC[name]))


async def test_folder_listings_match_adbd(pair: Pair):
    async def ask(client: WireClient, folder: str) -> object:
        data = send(f"{folder}/x", b"hello") + send(f"{folder}/d/y", b"", "33261")
        data += send(f"{folder}/l", b"d\0", LINK)
        data += encode_sync(b"LIST", folder.encode()) + encode_sync(b"QUIT", 0)
        answer = await everything(client, await client.open("sync:"), data)
        answer = answer.removeprefix(encode_sync(b"OKAY", 0) * 3)
        found: set[tuple[bytes, int, int]] = set()
        while answer.startswith(b"DENT"):
            entry, length = wire.decode_entry_v1(answer[:20])
            plain = not stat.S_ISDIR(entry.mode)
            found.add((answer[20 : 20 + length], entry.mode, entry.size if plain else 0))
            answer = answer[20 + length :]
        # The parent folders differ.
        return sorted(entry for entry in found if entry[0] != b".."), answer

    await pair.same(ask)


async def test_stat_v2_matches_adbd(pair: Pair):
    async def ask(client: WireClient, folder: str) -> object:
        data = send(f"{folder}/x", b"hello", mtime=77) + encode_sync(
            b"STA2", f"{folder}/x".encode()
        )
        answer = await everything(
            client, await client.open("sync:"), data + encode_sync(b"QUIT", 0)
        )
        found = wire.decode_stat_v2(answer[8:])
        return answer[:8], found.mode, found.size, found.mtime, found.error, found.nlink

    await pair.same(ask)


def ask_shell(service: str, stdin: bytes) -> Ask:
    async def ask(client: WireClient, folder: str) -> object:
        del folder
        answer = await everything(client, await client.open(service), stdin)
        if ",v2" not in service:
            return answer
        parts: dict[int, bytes] = {}
        for id, data in wire.ShellDecoder().feed(answer):
            parts[id] = parts.get(id, b"") + data
        return parts

    return ask


CLOSE = encode_shell(wire.SHELL_CLOSE_STDIN)


@pytest.mark.parametrize(
    ("service", "stdin"),
    [
        ("shell,v2,raw:echo out; echo err >&2; exit 7", b""),
        ("shell,v2,raw:exit 300", b""),
        ("shell,v2,raw:true", b""),
        ("shell,v2,raw:false", b""),
        ("shell,v2:echo neither; echo err >&2", b""),
        ("shell,v2,bogus,raw:echo x", b""),
        ("shell,v2,TERM=vt100,raw:echo $TERM", b""),
        ("shell,v2,raw:cat", encode_shell(0, b"hello\n") + CLOSE),
        ("shell,v2,raw:cat", CLOSE),
        ("shell,v2,raw:cat", encode_shell(0, b"") + encode_shell(0, b"x") + CLOSE),
        ("shell,v2,raw:cat; echo done", encode_shell(0, b"x" * 60000) + CLOSE),
        ("shell,v2,raw:cat", encode_shell(5, b"24x80,0x0") + encode_shell(0, b"x") + CLOSE),
        ("shell,v2,raw:", encode_shell(0, b"echo one\nexit 3\n")),
        ("shell,v2,pty:echo out; echo err >&2; exit 7", b""),
        ("shell,raw:echo out; echo err >&2; exit 7", b""),
        ("shell,pty:echo out; echo err >&2", b""),
        ("shell:echo out; echo err >&2; exit 7", b""),
        ("exec:echo out; echo err >&2; exit 7", b""),
        ("exec:printf 'a\\r\\nb\\0c'", b""),
    ],
)
async def test_shell_answers_match_adbd(pair: Pair, service: str, stdin: bytes):
    await pair.same(ask_shell(service, stdin))


async def test_reverse_answers_match_adbd(pair: Pair):
    name = f"handheld-oracle-{os.getpid()}"

    async def ask(client: WireClient, folder: str) -> object:
        del folder
        answers: list[bytes] = []
        for request in (
            "list-forward",
            f"forward:localabstract:{name};tcp:1",
            f"forward:norebind:localabstract:{name};tcp:2",
            f"forward:localabstract:{name};tcp:3",
            "list-forward",
            "forward:tcp:99999;tcp:1",
            "forward:tcp:x;tcp:1",
            "forward:foo:a;tcp:3",
            f"forward:localabstract:{name}",
            f"forward:localabstract:{name};",
            "forward:;tcp:3",
            "killforward:nope",
            f"killforward:localabstract:{name}",
            "list-forward",
            "killforward-all",
            "bogus",
            "",
        ):
            async with asyncio.timeout(HANG):
                theirs = await client.open(f"reverse:{request}", id=len(answers) + 1)
                answers.append(await client.collect(theirs, id=len(answers) + 1))
        return [re.sub(rb"....host-\d+", b"host", answer) for answer in answers]

    await pair.same(ask)


@pytest.mark.parametrize(
    "service",
    ["nonsense:", "", "framebuffer:", "tcp:1", "tcp:x", "tcp:", "tcp:99999", "shell",
     "host:version", "localabstract:handheld-nobody", "localfilesystem:/none", "dev:/none",
     "jdwp:1", "jdwp:x"],
)  # fmt: skip
async def test_refusals_of_unknown_services_match_adbd(pair: Pair, service: str):
    async def ask(client: WireClient, folder: str) -> object:
        del folder
        client.send(wire.OPEN, 7, 0, service.encode() + b"\0")
        return await client.receive()

    await pair.same(ask)


@pytest.mark.parametrize(
    ("features", "window"),
    [("shell_v2", 0), ("shell_v2", 5), ("delayed_ack", 0), ("delayed_ack", 1 << 20)],
)
async def test_delayed_ack_windows_match_adbd(pair: Pair, features: str, window: int):
    async def ask(client: WireClient, folder: str) -> object:
        del folder
        client.send(wire.CNXN, wire.VERSION, 1 << 20, f"host::features={features}".encode())
        assert await client.receive() is not None
        client.send(wire.OPEN, 7, window, b"exec:true\0")
        answer = await client.receive()
        assert answer is not None
        return answer.command, answer.arg1, len(answer.data)

    await pair.same(ask, greet=False)
