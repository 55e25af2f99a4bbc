"""Read parts of a file on the phone without fetching the rest."""

import asyncio
from collections.abc import Callable
from typing import BinaryIO, TypeVar, cast

from ...adb import shell
from ...adb.link import AdbError, Link

BLOCK = 64 * 1024
WHOLE = 512 * 1024
"""A file up to this size is fetched whole: round trips would cost more than the extra bytes."""
FETCHED_MAX = 48 * 1024 * 1024
ROUNDS_MAX = 64

Result = TypeVar("Result")


class TooMuch(Exception):
    """Reading the file would exceed the limit of fetched bytes or round trips."""


class _NotHere(Exception):
    def __init__(self, start: int, size: int) -> None:
        super().__init__(start, size)
        self.start = start
        self.size = size


class _Blocks:
    """A partially fetched file. Reading a missing block raises _NotHere."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.blocks: dict[int, bytes] = {}
        self._at = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (self.size if whence == 2 else self._at if whence == 1 else 0)
        return self._at

    def read(self, count: int = -1) -> bytes:
        end = self.size if count < 0 else min(self._at + count, self.size)
        start = min(self._at, end)
        numbers = range(start // BLOCK, -(-end // BLOCK))
        for number in numbers:
            if number not in self.blocks:
                raise _NotHere(start, end - start)
        joined = b"".join(self.blocks[number] for number in numbers)
        self._at = end
        return joined[start - numbers.start * BLOCK :][: end - start]


async def read_distant(
    link: Link, path: str, size: int, read: Callable[[BinaryIO], Result]
) -> Result:
    """Return the result of `read` on the file. `read` is restarted whenever it needs a missing
    part, so it must have no side effects. Raises AdbError, TooMuch."""
    file = _Blocks(size)
    for _ in range(ROUNDS_MAX):
        file.seek(0)
        try:
            # Parsing a large table takes a while: do not block other calls.
            return await asyncio.to_thread(read, cast("BinaryIO", file))
        except _NotHere as missing:
            start, end = missing.start, missing.start + missing.size
        if size <= WHOLE:
            start, end = 0, size
        await _fetch(link, path, file, start // BLOCK, -(-end // BLOCK))
    raise TooMuch(f"Reading it takes more than {ROUNDS_MAX} round trips.")


async def _fetch(link: Link, path: str, file: _Blocks, first: int, end: int) -> None:
    count = end - first
    if (len(file.blocks) + count) * BLOCK > FETCHED_MAX:
        raise TooMuch(f"Over {FETCHED_MAX} bytes of it would have to be fetched.")
    words = ["dd", f"if={path}", f"bs={BLOCK}", f"skip={first}", f"count={count}"]
    answer = await shell.run(link, words, limit=count * BLOCK + BLOCK)
    wanted = min(end * BLOCK, file.size) - first * BLOCK
    if answer.code or len(answer.stdout) != wanted:
        errors = answer.stderr.decode(errors="replace").strip().splitlines()
        reason = errors[0][:200] if answer.code and errors else "it changed while it was read"
        raise AdbError(f"{path} could not be read: {reason}.")
    for number in range(first, end):
        at = (number - first) * BLOCK
        file.blocks[number] = answer.stdout[at : at + BLOCK]
