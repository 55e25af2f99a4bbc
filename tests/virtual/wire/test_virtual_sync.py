"""Files over adb's sync service, record by record."""

import stat

import pytest
from wire_client import WireClient, until

from handheld.adb import wire
from handheld.adb.wire import AdbMessage, Stat, encode_sync
from handheld_virtual.phone import VirtualPhone

HOME = "/data/local/tmp"
FILE = stat.S_IFREG | 0o644


class Sync:
    """An open `sync:` stream."""

    def __init__(self, client: WireClient, theirs: int) -> None:
        self._client = client
        self._theirs = theirs

    async def ask(self, data: bytes, size: int) -> bytes:
        self._client.send(wire.WRTE, 1, self._theirs, data)
        return await self._client.exactly(self._theirs, size)

    async def ask_all(self, data: bytes) -> bytes:
        """Send requests and QUIT, and read all answers."""
        quit = encode_sync(b"QUIT", 0)
        self._client.send(wire.WRTE, 1, self._theirs, data + quit)
        return await self._client.collect(self._theirs)

    async def push(self, path: str, content: bytes, mode: int = FILE, mtime: int = 5) -> bytes:
        return await self.ask_all(send(path, content, mode, mtime))


def send(path: str, content: bytes, mode: int = FILE, mtime: int = 5) -> bytes:
    data = encode_sync(b"SEND", f"{path},{mode}".encode())
    for start in range(0, len(content), wire.SYNC_DATA_MAX):
        data += encode_sync(b"DATA", content[start : start + wire.SYNC_DATA_MAX])
    return data + encode_sync(b"DONE", mtime)


@pytest.fixture
async def sync(client: WireClient) -> Sync:
    return Sync(client, await client.open("sync:"))


OKAY = encode_sync(b"OKAY", 0)


def fail(reason: str) -> bytes:
    return encode_sync(b"FAIL", reason.encode())


async def test_a_pushed_file_is_there_with_mode_and_time(phone: VirtualPhone, sync: Sync):
    content = bytes(range(256)) * 1000
    assert await sync.push(f"{HOME}/new/folder/x", content, stat.S_IFREG | 0o755, 1234) == OKAY
    assert phone.files.read(f"{HOME}/new/folder/x") == content
    status = phone.files.stat(f"{HOME}/new/folder/x")
    assert (status.mode, status.mtime) == (stat.S_IFREG | 0o777, 1234)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("33188", 0o666),
        ("33024", 0o444),
        ("32832", 0o111),
        ("32768", 0),
        ("0x81a4", 0o666),
        ("0100644", 0o666),
        ("-1", 0o777),
        ("", 0),
        ("many", 0),
    ],
)
async def test_pushed_file_has_the_owners_permissions_for_everybody(
    phone: VirtualPhone, sync: Sync, asked: str, given: int
):
    request = encode_sync(b"SEND", f"{HOME}/x,{asked}".encode()) + encode_sync(b"DONE", 1)
    assert await sync.ask_all(request) == OKAY
    assert phone.files.stat(f"{HOME}/x").mode == stat.S_IFREG | given


async def test_send_v2_pushes_a_file(phone: VirtualPhone, sync: Sync):
    request = encode_sync(b"SND2", f"{HOME}/x".encode()) + b"SND2" + FILE.to_bytes(4, "little")
    request += bytes(4) + encode_sync(b"DATA", b"hello") + encode_sync(b"DONE", 7)
    assert await sync.ask_all(request) == OKAY
    assert phone.files.read(f"{HOME}/x") == b"hello"


async def test_a_pushed_link_is_a_link(phone: VirtualPhone, sync: Sync):
    assert await sync.push(f"{HOME}/l", b"/sdcard\0", stat.S_IFLNK | 0o777) == OKAY
    assert phone.files.read_link(f"{HOME}/l") == "/sdcard"


async def test_a_push_replaces_the_old_file(phone: VirtualPhone, sync: Sync):
    phone.files.write(f"{HOME}/x", b"a longer old content")
    assert await sync.push(f"{HOME}/x", b"new") == OKAY
    assert phone.files.read(f"{HOME}/x") == b"new"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/system/x", "couldn't create file: Read-only file system"),
        ("/data/data/x", "couldn't create file: Permission denied"),
        (HOME, "couldn't create file: Is a directory"),
        ("", "secure_mkdirs failed: No such file or directory"),
        ("/system/new/x", "secure_mkdirs failed: Read-only file system"),
        ("/system/bin/sh/x", "couldn't create file: Not a directory"),
    ],
)
async def test_failed_push_is_received_fully_and_ends_the_stream(
    phone: VirtualPhone, sync: Sync, path: str, reason: str
):
    two = send(path, b"x" * 100000) + send(f"{HOME}/after", b"never")
    assert await sync.ask_all(two) == fail(reason)
    assert not phone.files.exists(f"{HOME}/after")


@pytest.mark.parametrize(
    ("path", "target", "reason"),
    [
        (HOME, b"/sdcard", "symlink failed: File exists"),
        (f"{HOME}/l", b"", "symlink failed: No such file or directory"),
    ],
)
async def test_failed_link_reports_the_reason(sync: Sync, path: str, target: bytes, reason: str):
    assert await sync.push(path, target, stat.S_IFLNK | 0o777) == fail(reason)


async def test_push_beyond_the_free_space_leaves_no_file(phone: VirtualPhone, sync: Sync):
    phone.files.capacity = phone.files.used + 100_000
    used = phone.files.used
    answer = await sync.push(f"{HOME}/x", b"x" * 200_000)
    assert answer == fail("write failed: No space left on device")
    assert not phone.files.exists(f"{HOME}/x")
    assert phone.files.used == used


async def test_push_interrupted_by_the_client_leaves_no_file(
    phone: VirtualPhone, client: WireClient
):
    theirs = await client.open("sync:")
    half = encode_sync(b"SEND", f"{HOME}/x,{FILE}".encode()) + encode_sync(b"DATA", b"x" * 1000)
    await client.write(theirs, half)
    await until(lambda: phone.files.exists(f"{HOME}/x"))
    client.send(wire.CLSE, 1, theirs)
    await until(lambda: not phone.files.exists(f"{HOME}/x"))


@pytest.mark.parametrize("second", [False, True])
async def test_pulled_file_is_sent_in_chunks(phone: VirtualPhone, sync: Sync, second: bool):
    content = b"x" * 150_000
    phone.files.write(f"{HOME}/x", content)
    path = f"{HOME}/x".encode()
    request = encode_sync(b"RECV", path)
    if second:
        request = encode_sync(b"RCV2", path) + encode_sync(b"RCV2", 0)
    parts = [content[:65536], content[:65536], content[: 150_000 - 131_072]]
    expected = b"".join(encode_sync(b"DATA", part) for part in parts) + encode_sync(b"DONE", 0)
    assert await sync.ask_all(request) == expected


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (f"{HOME}/none", "open failed: No such file or directory"),
        (HOME, "read failed: Is a directory"),
        ("/data", "open failed: Permission denied"),
    ],
)
async def test_failed_pull_reports_the_reason(sync: Sync, path: str, reason: str):
    assert await sync.ask_all(encode_sync(b"RECV", path.encode())) == fail(reason)


async def test_stat_distinguishes_links_from_their_targets(phone: VirtualPhone, sync: Sync):
    first = wire.decode_stat_v1(await sync.ask(encode_sync(b"STAT", b"/sdcard"), 16))
    assert stat.S_ISLNK(first.mode)
    link = wire.decode_stat_v2(await sync.ask(encode_sync(b"LST2", b"/sdcard"), 72))
    assert stat.S_ISLNK(link.mode)
    folder = wire.decode_stat_v2(await sync.ask(encode_sync(b"STA2", b"/sdcard"), 72))
    assert (folder.mode, folder.uid, folder.gid) == (stat.S_IFDIR | 0o771, 0, 1015)


async def test_stat_of_a_missing_file(sync: Sync):
    assert await sync.ask(encode_sync(b"STAT", b"/none"), 16) == b"STAT" + bytes(12)
    gone = wire.decode_stat_v2(await sync.ask(encode_sync(b"STA2", b"/none"), 72))
    assert gone == Stat(0, 0, 0, error=2)
    long = wire.decode_stat_v2(await sync.ask(encode_sync(b"STA2", b"/" + b"x" * 300), 72))
    assert long == Stat(0, 0, 0, error=36)
    denied = wire.decode_stat_v2(await sync.ask(encode_sync(b"STA2", b"/data/data/x/y"), 72))
    assert denied == Stat(0, 0, 0, error=2)


async def test_a_listing_names_every_entry_and_ends(phone: VirtualPhone, sync: Sync):
    phone.files.write(f"{HOME}/ü", b"hello")
    data = await sync.ask_all(encode_sync(b"LIST", HOME.encode()))
    names: list[bytes] = []
    while data.startswith(b"DENT"):
        entry, length = wire.decode_entry_v1(data[: wire.DENT_V1_SIZE])
        names.append(data[wire.DENT_V1_SIZE : wire.DENT_V1_SIZE + length])
        data = data[wire.DENT_V1_SIZE + length :]
        assert entry.mode
    assert names == [b".", b"..", "ü".encode()]
    assert data == b"DONE" + bytes(16)


async def test_listing_a_link_lists_its_target(phone: VirtualPhone, sync: Sync):
    data = await sync.ask_all(encode_sync(b"LIST", b"/sdcard"))
    own, length = wire.decode_entry_v1(data[: wire.DENT_V1_SIZE])
    assert (stat.S_ISDIR(own.mode), length) == (True, 1)


async def test_list_v2_ends_with_72_zeros(sync: Sync):
    data = await sync.ask_all(encode_sync(b"LIS2", b"/none"))
    assert data == b"DONE" + bytes(72)


@pytest.mark.parametrize(
    ("request_bytes", "answer"),
    [
        (b"NOPE\0\0\0\0", fail("unknown command 45504f4e")),
        (b"STAT\xff\xff\xff\xff", fail("path too long")),
        (encode_sync(b"SEND", b"no comma"), fail("missing , in ID_SEND_V1")),
        (encode_sync(b"SEND", b"/x,1") + b"DATA\xff\xff\xff\xff", fail("invalid data message")),
        (encode_sync(b"SND2", b"/x") + b"SND2" + bytes(4) + b"\1\0\0\0",
         fail("unknown flags: 1")),
        (encode_sync(b"RCV2", b"/x") + encode_sync(b"RCV2", 2), fail("unknown flags: 2")),
        (encode_sync(b"SEND", b"/x,41471") + encode_sync(b"DATA", b"x" * 5000), b""),
    ],
)  # fmt: skip
async def test_invalid_request_ends_the_stream(
    client: WireClient, request_bytes: bytes, answer: bytes
):
    theirs = await client.open("sync:")
    client.send(wire.WRTE, 1, theirs, request_bytes)
    assert await client.collect(theirs) == answer


async def test_quit_closes_the_stream(client: WireClient):
    theirs = await client.open("sync:")
    await client.write(theirs, encode_sync(b"QUIT", 0))
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)
