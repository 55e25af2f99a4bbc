"""The longest time that the event loop is held up by one request, whatever is sent to it."""

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from handheld.audit import AuditLog, Recorder
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.clock import SYSTEM_CLOCK
from handheld.driver.conditions import Conditions
from handheld.driver.files import Place
from handheld.phone.files.download import MEGABYTE, DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import EXAMPLE, StorageFile
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.v1 import V1
from handheld.tools.main import CATALOG
from handheld.tools.v1 import V1_TOOLS

from .crowd import SinglePhone
from .figures import Figure, of_rounds
from .programs import TOKEN

MOST_MS = 200.0
ROUNDS = 3


class Stretch:
    """The longest stretch of processor time between two turns of the event loop."""

    ms = 0.0


@contextmanager
def longest_stretch() -> Generator[Stretch]:
    """Measure the event loop of this thread."""
    longest, thread, run = Stretch(), threading.get_ident(), asyncio.Handle._run  # pyright: ignore

    def timed(self: asyncio.Handle) -> None:
        start = time.thread_time()
        run(self)
        if threading.get_ident() == thread:
            longest.ms = max(longest.ms, (time.thread_time() - start) * 1000)

    asyncio.Handle._run = timed
    try:
        yield longest
    finally:
        asyncio.Handle._run = run


class _OneFile:
    """The driver of a phone that has one file, and keeps nothing."""

    data = b""
    conditions = Conditions()

    async def locate(self, root: str, path: str) -> Place:
        return Place(root, f"{root}/{path}", "file", len(self.data), 1)

    async def pull(self, path: str, *, limit: int) -> bytes:
        return self.data

    async def aclose(self) -> None: ...


def _call(tool: str, **arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(body).encode()


def _file_call(tool: str, **arguments: Any) -> bytes:
    return _call(f"android_{tool}", location_id=EXAMPLE, path="x", **arguments)


def _request(body: bytes, length: int | None = None, path: str = "/mcp") -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {TOKEN}",
        "Content-Type: application/json",
        f"Content-Length: {length or len(body)}",
        "Connection: close",
    )
    return "\r\n".join([*lines, "", ""]).encode() + body


def _attacks() -> Iterable[tuple[str, bytes, list[bytes], bool]]:
    """For each its name, the phone's file, what is sent, and whether an answer is awaited."""
    long_name = _request(_call("x" * 8 * MEGABYTE, text="abc" * 6000))
    yield "the name of an unknown tool, 8 MB", b"", [long_name], True
    given = {"old_string": "a", "new_string": "b" * 6 * MEGABYTE, "replace_all": True}
    yield (
        "file_replace to 2.4 GB",
        b"a" * 400,
        [_request(_file_call("file_replace", **given))],
        True,
    )
    lines = _request(_file_call("read_file", offset=40 * MEGABYTE))
    yield "read_file of 48 MB of line ends", b"\n" * 48 * MEGABYTE, [lines], True
    one = _request(_file_call("read_file"))
    yield "read_file of one line of 48 MB", b"x" * 48 * MEGABYTE, [one], True
    escapes = _request(b'"' + b'\\"' * 4 * MEGABYTE + b"," * 100_001)
    yield "a string of 8 MB without an end", b"", [escapes], True
    text = _call("android_x", text="x" * 15 * MEGABYTE)
    yield "a v1 call of 15 MB", b"", [_request(text, path="/mcp/v1/tools/call")], True
    # With a parameter that no tool of ours reads.
    unusual = text.replace(b'"params": {', b'"params": {"more": 1, ', 1)
    yield "a call of 15 MB with an unknown parameter", b"", [_request(unusual)], True
    listed: dict[str, Any] = {str(number).zfill(140): [] for number in range(49_900)}
    names = _call("android_x", **listed).replace(b'"params": {', b'"params": {"more": 1, ', 1)
    yield "a call of 50,000 arguments with an unknown parameter", b"", [_request(names)], True
    yield "60 unfinished bodies", b"", [_request(b" " * 8 * MEGABYTE, 9 * MEGABYTE)] * 60, False
    yield "500 silent connections", b"", [b""] * 500, False


def _send(port: int, requests: list[bytes], awaited: bool) -> None:
    """In a thread of its own, whose time does not count."""

    async def send() -> None:
        opened: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        for data in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            opened.append((reader, writer))
            try:
                writer.write(data)
                await writer.drain()
            except OSError:
                continue  # it was refused
        for reader, writer in opened:
            if awaited:
                await reader.read()
            writer.close()

    asyncio.run(send())


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    driver = _OneFile()
    with tempfile.TemporaryDirectory() as folder:
        storage = StorageFile(Path(folder, "storage.toml"))
        storage.put(EXAMPLE, allow_write=True)
        phone = Phone("attacked", cast(Any, driver))
        phone.files = Files(cast(Any, driver), SYSTEM_CLOCK, storage, ["attacked"], DownloadRules())
        recorder = Recorder(AuditLog(Path(folder, "audit.db")))
        surface = LocalSurface(CATALOG, SinglePhone(phone), SurfaceOptions(recorder=recorder))
        v1 = LocalSurface((V1_TOOLS,), SinglePhone(phone), SurfaceOptions(bare=True))
        options = HttpOptions(port=0, token=TOKEN, v1=lambda: V1(v1, "attacked"))
        async with open_http(surface, options) as address:
            for name, data, requests, awaited in _attacks():
                driver.data = data
                rounds: list[float] = []
                for _ in range(ROUNDS):
                    with longest_stretch() as longest:
                        await asyncio.to_thread(_send, address.port, requests, awaited)
                    rounds.append(longest.ms)
                figures.append(
                    of_rounds(f"longest stretch: {name}", rounds, "ms", MOST_MS, gates=True)
                )
        await recorder.aclose()
    return figures


if __name__ == "__main__":
    for figure in asyncio.run(measure()):
        print(f"{figure.name}: {figure.value:.0f} {figure.unit}")
