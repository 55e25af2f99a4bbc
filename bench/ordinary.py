"""The longest time that the event loop is held up by ordinary work, from its first use on."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.app_formats.apk.tool_packages import tool_apk

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run
from handheld.adb.sync import push
from handheld.app_tools.app_tools import AppTools
from handheld.app_tools.trust import Trust
from handheld.audit import AuditLog, Recorder
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.clock import SYSTEM_CLOCK
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.phone.files.download import MEGABYTE, DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import EXAMPLE, StorageFile
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.tools.main import CATALOG

from .attacks import longest_stretch
from .client import Client
from .crowd import CLIENTS, SinglePhone, press
from .figures import Figure
from .programs import TOKEN, virtual_phone

MOST_MS = 50.0
APPS = 50
TIMES = 5
CROWD_SECONDS = 3.0
_NODES = ("am", "start", "-n", "dev.handheld.testbed/.Nodes", "--es", "count", "487")
_LINE = b"A line of the file, as long as lines are.\n"

Work = Callable[[int], Awaitable[None]]
"""Gets the port of the server."""


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        async with virtual_phone(Path(folder)) as (_, phone), _serving(Path(folder), phone) as port:
            for name, work in _works():
                with longest_stretch() as longest:
                    # In a thread of its own, whose time does not count.
                    await asyncio.to_thread(_run, work, port)
                figures.append(
                    Figure(f"longest stretch: {name}", longest.ms, "ms", MOST_MS, gates=True)
                )
    return figures


def _works() -> Iterator[tuple[str, Work]]:
    yield "get_screen_state of 500 nodes", _calls("android_get_screen_state")
    yield "the same with a picture", _calls("android_get_screen_state", include_screenshot=True)
    yield f"taps of {CLIENTS} clients", _crowd
    yield "read_file of 8 MB", _calls("android_read_file", location_id=EXAMPLE, path="8.txt")
    written = (_LINE * (7 * MEGABYTE // len(_LINE))).decode()
    file: dict[str, Any] = {"location_id": EXAMPLE, "path": "7.txt", "content": written}
    yield "write_file of 7 MB", _calls("android_write_file", **file)
    yield f"the tools of {APPS} apps", _list_tools


def _calls(tool: str, **arguments: Any) -> Work:
    async def call(port: int) -> None:
        async with Client("127.0.0.1", port, TOKEN) as client:
            for _ in range(TIMES):
                await client.call(tool, arguments)

    return call


async def _crowd(port: int) -> None:
    await press(port, "android_tap", CROWD_SECONDS)


async def _list_tools(port: int) -> None:
    async with Client("127.0.0.1", port, TOKEN) as client:
        for _ in range(TIMES):
            listed = await client.request("tools/list", {})
            if len(listed["tools"]) < APPS:
                raise RuntimeError(f"{len(listed['tools'])} tools are listed.")


def _run(work: Work, port: int) -> None:
    async def run() -> None:
        await work(port)

    asyncio.run(run())


@asynccontextmanager
async def _serving(folder: Path, port: int) -> AsyncGenerator[int]:
    """A server in this process, on a phone with what the works need."""
    link = await DirectLink.connect("127.0.0.1", port)
    recorder = Recorder(AuditLog(folder / "audit.db"))
    phone = Phone(link.serial, FallbackDriver(HelperClient(link)))
    try:
        await push(link, _LINE * (8 * MEGABYTE // len(_LINE)), "/sdcard/Download/8.txt")
        for number in range(APPS):
            apk = tool_apk(f"org.example.app{number}")
            await run(link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
        await run(link, _NODES)
        storage = StorageFile(folder / "storage.toml")
        storage.put(EXAMPLE, allow_write=True)
        phone.files = Files(phone.driver, SYSTEM_CLOCK, storage, [link.serial], DownloadRules())
        trust = Trust(folder / "apps.toml", first_use=True)
        apps = AppTools(trust, timeout_ms=30_000, reply_limit=100_000)
        options = SurfaceOptions(recorder=recorder, source=apps)
        surface = LocalSurface(CATALOG, SinglePhone(phone), options)
        async with open_http(surface, HttpOptions(port=0, token=TOKEN)) as address:
            yield address.port
    finally:
        await phone.aclose()
        await link.aclose()
        await recorder.aclose()


if __name__ == "__main__":
    for figure in asyncio.run(measure()):
        print(f"{figure.name}: {figure.value:.1f} {figure.unit}")
