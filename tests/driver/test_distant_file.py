"""Files on the phone, fetched in parts."""

import random
from typing import BinaryIO

import pytest

from handheld.adb import sync
from handheld.adb.link import AdbError
from handheld.driver.reading.distant_file import (
    BLOCK,
    FETCHED_MAX,
    ROUNDS_MAX,
    TooMuch,
    read_distant,
)
from harness.phones import WatchedLink

PATH = "/data/local/tmp/large"
SIZE = 20 * BLOCK + 123
CONTENT = random.Random(7).randbytes(SIZE)


@pytest.fixture
async def file(link: WatchedLink) -> WatchedLink:
    await sync.push(link, CONTENT, PATH)
    link.services.clear()
    return link


@pytest.mark.parametrize(
    "parts",
    [
        [(0, 4)],
        [(SIZE - 10, 10), (0, 10)],
        [(BLOCK - 1, 2)],
        [(3 * BLOCK, BLOCK), (3 * BLOCK + 5, 2 * BLOCK)],
        [(SIZE - 5, 100), (SIZE, 10), (SIZE + 50, 1)],
    ],
)
async def test_content_is_read_correctly(file: WatchedLink, parts: list[tuple[int, int]]) -> None:
    def read(source: BinaryIO) -> list[bytes]:
        found: list[bytes] = []
        for start, size in parts:
            assert source.seek(start) == start
            found.append(source.read(size))
        return found

    expected = [CONTENT[start : start + size] for start, size in parts]
    assert await read_distant(file, PATH, SIZE, read) == expected
    assert len(file.services) <= len(parts)


async def test_reading_continues_at_the_position(file: WatchedLink) -> None:
    def read(source: BinaryIO) -> tuple[bytes, bytes, int]:
        source.seek(-20, 2)
        first = source.read(5)
        source.seek(5, 1)
        return first, source.read(), source.seek(0, 2)

    assert await read_distant(file, PATH, SIZE, read) == (CONTENT[-20:-15], CONTENT[-10:], SIZE)


async def test_fetching_is_limited(file: WatchedLink) -> None:
    size = FETCHED_MAX + 2 * BLOCK
    with pytest.raises(TooMuch, match="would have to be fetched"):
        await read_distant(file, PATH, size, lambda source: source.read())
    assert file.services == []


@pytest.mark.matrix
async def test_random_access_is_limited(link: WatchedLink) -> None:
    large = bytes(BLOCK * (ROUNDS_MAX + 1))
    await sync.push(link, large, PATH)
    link.services.clear()

    def read(source: BinaryIO) -> None:
        for block in range(ROUNDS_MAX + 1):
            source.seek(block * BLOCK)
            source.read(1)

    with pytest.raises(TooMuch, match="more than"):
        await read_distant(link, PATH, len(large), read)
    assert len(link.services) == ROUNDS_MAX


@pytest.mark.parametrize(
    ("path", "size", "reason"),
    [
        (PATH, SIZE + 1, "it changed while it was read"),
        ("/data/local/tmp/none", SIZE, "No such file or directory"),
    ],
)
async def test_changed_file_is_an_error(
    file: WatchedLink, path: str, size: int, reason: str
) -> None:
    with pytest.raises(AdbError, match=reason):
        await read_distant(file, path, size, _last)


def _last(source: BinaryIO) -> bytes:
    source.seek(-1, 2)
    return source.read(1)
