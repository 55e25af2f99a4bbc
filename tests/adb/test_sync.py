"""File transfer over both kinds of link, with the old and the new records."""

import asyncio
from pathlib import Path

import pytest
from adb_peer import PeerStream, reach

from handheld.adb import sync, wire
from handheld.adb.link import AdbError, Link, LinkLost, NoAnswer
from handheld.adb.sync import SyncError
from handheld.adb.wire import Stat, encode_sync
from harness.manual_clock import ManualClock
from harness.polling import HANG

CONTENT = bytes(range(256)) * 4000


async def test_pushed_file_has_its_mode_and_time(link: Link, tmp_path: Path) -> None:
    size = await sync.push(link, CONTENT, "/sdcard/Fotos/ä 1.bin", mode=0o640, mtime=12345)
    path = tmp_path / "phone" / "sdcard" / "Fotos" / "ä 1.bin"
    assert (size, path.read_bytes()) == (len(CONTENT), CONTENT)
    assert (path.stat().st_mode & 0o777, path.stat().st_mtime) == (0o640, 12345)


async def test_files_and_empty_content_are_pushed(link: Link, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(CONTENT)
    assert await sync.push(link, source, "/a") == len(CONTENT)
    assert await sync.push(link, b"", "/b") == 0
    phone = tmp_path / "phone"
    assert [(phone / name).read_bytes() for name in "ab"] == [CONTENT, b""]


async def test_unreadable_source_is_named(link: Link, tmp_path: Path) -> None:
    with pytest.raises(AdbError, match="nowhere cannot be read: No such file"):
        await sync.push(link, tmp_path / "nowhere", "/a")


async def test_pulled_file_is_complete(link: Link, tmp_path: Path) -> None:
    (tmp_path / "phone" / "big").write_bytes(CONTENT)
    (tmp_path / "phone" / "empty").touch()
    assert await sync.pull(link, "/big") == CONTENT
    assert await sync.pull(link, "/empty") == b""


async def test_pull_over_its_limit_is_rejected(link: Link, tmp_path: Path) -> None:
    (tmp_path / "phone" / "big").write_bytes(CONTENT)
    with pytest.raises(SyncError, match="/big: it is larger than 100000 bytes"):
        await sync.pull(link, "/big", limit=100_000)


async def test_missing_file_is_reported(link: Link) -> None:
    for attempt in (
        sync.stat(link, "/none"),
        sync.pull(link, "/none"),
        sync.list_folder(link, "/none"),
    ):
        with pytest.raises(SyncError, match=r"^/none: there is no such file or folder.$") as caught:
            await attempt
        assert caught.value.errno == 2


async def test_stat_describes_the_file(link: Link, tmp_path: Path) -> None:
    (tmp_path / "phone" / "file").write_bytes(b"12345")
    (tmp_path / "phone" / "file").chmod(0o604)
    found = await sync.stat(link, "/file")
    assert (found.mode, found.size) == (0o100604, 5)
    (tmp_path / "phone" / "link").symlink_to("file")
    assert (await sync.stat(link, "/link", follow=False)).mode == 0o120777


async def test_folder_with_any_bytes_in_names_is_listed(link: Link, tmp_path: Path) -> None:
    folder = tmp_path / "phone" / "folder"
    folder.mkdir()
    names = ["a", "ö 🔑", "\udcff"]
    for name in names:
        (folder / name).write_bytes(b"xyz")
    entries = await sync.list_folder(link, "/folder")
    assert [(entry.name, entry.stat.size) for entry in entries] == [(name, 3) for name in names]
    assert await sync.pull(link, "/folder/\udcff") == b"xyz"


async def test_a_listing_of_a_file_is_an_error(link: Link, tmp_path: Path) -> None:
    (tmp_path / "phone" / "file").touch()
    with pytest.raises(SyncError, match=r"/file: (a part of the path is|there is no such)"):
        await sync.list_folder(link, "/file")


async def test_early_failure_is_reported_during_a_push(link: Link) -> None:
    await sync.push(link, b"", "/file")
    for _ in range(3):
        with pytest.raises(SyncError, match=r"/file/below: (a part of|something is there)"):
            await sync.push(link, bytes(8 << 20), "/file/below")


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 1024])
async def test_invalid_paths_are_rejected_by_the_host(link: Link, path: str) -> None:
    with pytest.raises(SyncError):
        await sync.stat(link, path)


async def test_stream_closed_during_a_transfer_is_link_lost(way: str) -> None:
    async def close_soon(stream: PeerStream, _: str) -> None:
        taken = 0
        while taken < 20:
            taken += len(await stream.read())

    async with asyncio.timeout(HANG), reach(way, {"sync:": close_soon}) as link:
        with pytest.raises(LinkLost):
            await sync.push(link, bytes(8 << 20), "/file")
        with pytest.raises(LinkLost, match="/file: the phone went away in the middle"):
            await sync.pull(link, "/file")


@pytest.mark.parametrize(
    "answer",
    [
        b"What?!\n\n",
        encode_sync(b"FAIL", 1 << 30),
        encode_sync(b"DATA", 1 << 17),
    ],
)
async def test_invalid_data_from_the_phone_fails_a_transfer(way: str, answer: bytes) -> None:
    async def nonsense(stream: PeerStream, _: str) -> None:
        await stream.read()
        await stream.write(answer)
        while await stream.read():
            pass

    async with asyncio.timeout(HANG), reach(way, {"sync:": nonsense}) as link:
        with pytest.raises(LinkLost, match="/file: the phone does not speak adb's protocol"):
            await sync.pull(link, "/file")
        with pytest.raises(LinkLost, match="/file: the phone does not speak adb's protocol"):
            await sync.push(link, b"1", "/file")


async def test_endless_listings_and_names_are_rejected(way: str) -> None:
    async def endless(stream: PeerStream, _: str) -> None:
        await stream.read()
        await stream.write(wire.encode_stat_v2(Stat(0o40755, 0, 0)))
        await stream.read()
        await stream.write(wire.encode_entry_v2(Stat(0, 0, 0), b"x" * 5000))
        await stream.read()

    async with asyncio.timeout(HANG), reach(way, {"sync:": endless}) as link:
        with pytest.raises(LinkLost, match="its listing is over the limit"):
            await sync.list_folder(link, "/folder")


async def test_stalled_transfer_times_out(way: str) -> None:
    async def mute(stream: PeerStream, _: str) -> None:
        while await stream.read():
            pass

    clock = ManualClock()
    async with asyncio.timeout(HANG), reach(way, {"sync:": mute}, clock=clock) as link:
        for attempt in (sync.push(link, b"1", "/f"), sync.pull(link, "/f"), sync.stat(link, "/f")):
            trying = asyncio.ensure_future(attempt)
            await clock.until_waits_only(sync.IDLE_SECONDS)
            await clock.advance(sync.IDLE_SECONDS)
            with pytest.raises(NoAnswer, match=r"/f: nothing moved for 30 s"):
                await trying


async def test_unreadable_folder_is_an_error(way: str) -> None:
    async def unreadable(stream: PeerStream, _: str) -> None:
        await stream.read()
        await stream.write(wire.encode_stat_v2(Stat(0o40700, 0, 0)))
        await stream.read()
        await stream.write(wire.encode_list_done(v2=True))
        await stream.read()

    async def ls(stream: PeerStream, command: str) -> None:
        denied = b"ls: /data: Permission denied\n" if command == "ls /data" else b""
        await stream.write(wire.encode_shell(wire.SHELL_STDERR, denied))
        await stream.write(wire.encode_shell(wire.SHELL_EXIT, b"\1" if denied else b"\0"))
        await stream.read()

    services = {"sync:": unreadable, "shell,v2,raw:": ls}
    async with asyncio.timeout(HANG), reach(way, services) as link:
        with pytest.raises(SyncError, match="/data: adb's shell user may not go there") as caught:
            await sync.list_folder(link, "/data")
        assert caught.value.errno == 13
        assert await sync.list_folder(link, "/empty") == []
