"""Lines of files and stdin, for commands that process them one by one."""

import asyncio
import os
from collections.abc import AsyncIterator

from ..call import CommandCall, Usage, clean

LONGEST = 1024 * 1024
MOST = 64 * 1024 * 1024
"""The limit of bytes that a command keeps in memory."""


async def read_lines(call: CommandCall, name: str) -> AsyncIterator[str]:
    """Yield the lines without newlines. A file that cannot be read is reported and skipped."""
    rest = b""
    async for data in read_blocks(call, name):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            yield os.fsdecode(line)
        if len(rest) > LONGEST:
            raise Usage("line too long")
    if rest:
        yield os.fsdecode(rest)


async def read_blocks(call: CommandCall, name: str) -> AsyncIterator[bytes]:
    if name == "-":
        while data := await call.process.stdin.read():
            yield data
        return
    try:
        file = call.files.open(call.path(name))
    except OSError as problem:
        await call.fail(f"{name}: {clean(problem)}")
        return
    with file:
        while True:
            try:
                data = file.read()
            except OSError as problem:
                await call.fail(f"{name}: {clean(problem)}")
                return
            if not data:
                return
            yield data
            await asyncio.sleep(0)  # let other tasks run while a large file is read


async def read_all(call: CommandCall, name: str) -> bytes:
    data = bytearray()
    async for block in read_blocks(call, name):
        data += block
        if len(data) > MOST:
            raise Usage("out of memory")
    return bytes(data)


async def all_lines(call: CommandCall) -> list[str]:
    """The lines of all given files, or of stdin."""
    found: list[str] = []
    size = 0
    for name in call.arguments or ["-"]:
        async for line in read_lines(call, name):
            size += len(line)
            if size > MOST:
                raise Usage("out of memory")
            found.append(line)
    return found
