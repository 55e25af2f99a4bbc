"""The phone chosen by ANDROID_SERIAL, with the tools as a client sees them."""

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handheld.adb import shell
from handheld.adb.link import AdbError, Link
from handheld.adb.server import AdbServer
from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.devices import Devices
from handheld.devices.opening import open_devices
from handheld.errors import ToolError
from handheld.phone.files.storage import StorageFile
from handheld.settings import load
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Image
from harness.one_phone import ALL_ON
from harness.polling import until_true

DOWNLOADS = "com.android.externalstorage.documents/primary:Download"
FOLDER = "handheld-test"
SETTINGS = "com.android.settings"
CALLER = Caller("cli")


class Hand:
    """One phone, through its tools and through adb."""

    def __init__(self, surface: LocalSurface, devices: Devices, link: Link) -> None:
        self._surface, self._devices, self._link = surface, devices, link

    async def call(self, name: str, **arguments: object) -> str:
        items = await self._surface.call(f"android_{name}", arguments, CALLER)
        return "\n".join(item for item in items if isinstance(item, str))

    async def picture(self) -> bytes:
        items = await self._surface.call(
            "android_get_screen_state", {"include_screenshot": True}, CALLER
        )
        [image] = [item for item in items if isinstance(item, Image)]
        return image.data

    async def let_go(self) -> None:
        """The other program that uses UiAutomation."""
        await self._devices.release(None)

    async def shell(self, *words: str) -> str:
        return (await shell.run(self._link, list(words))).stdout.decode().strip()

    async def find(self, by: str, value: str) -> list[dict[str, Any]]:
        return json.loads(await self.call("find_elements", by=by, value=value))["elements"]

    async def see(self, text: str, *, shown: bool = True) -> str:
        """Wait until the screen shows the text, or no longer does."""
        screens: list[str] = []

        async def is_so() -> bool:
            screens.append(await self.call("get_screen_state"))
            return (text in screens[-1]) is shown

        await until_true(is_so)
        return screens[-1]

    async def index(self, path: str, *, shown: bool = True) -> None:
        """Wait until Android's media index has the file at that path under Download, or no longer
        has it. Up to Android 10 the index is updated with a delay."""
        query = ["content", "query", "--uri", "content://media/external/file"]
        query += ["--projection", "_data", "--where", f"_data LIKE '%/Download/{path}'"]

        async def is_so() -> bool:
            return (f"/Download/{path}" in await self.shell(*query)) is shown

        await until_true(is_so)

    async def front(self) -> list[str]:
        """The rows of the foreground window, without the system bars, which show a clock."""
        rows: list[str] = []
        inside = False
        for line in (await self.call("get_screen_state")).splitlines():
            if line.startswith("--- window:"):
                inside = "focused:true" in line
            elif inside:
                rows.append(line)
        return rows

    async def elsewhere(self, rows: list[str]) -> None:
        """Wait until the foreground window shows something else."""

        async def is_other() -> bool:
            return await self.front() != rows

        await until_true(is_other)


@pytest.fixture(scope="package")
def serial() -> str:
    serial = os.environ.get("ANDROID_SERIAL", "")
    if not serial or os.environ.get("HANDHELD_PHONE_OK") != "1":
        pytest.skip("ANDROID_SERIAL names no phone, or nobody said HANDHELD_PHONE_OK=1.")
    return serial


@pytest.fixture(scope="package")
async def hand(serial: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Hand]:
    home: Path = tmp_path_factory.mktemp("home")
    # Variables for adb are used, those for Handheld are not.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HANDHELD_")
    }
    settings = load({"phone": serial}, {**environment, "HANDHELD_HOME": str(home)})
    StorageFile(settings.folders.storage).put(DOWNLOADS, allow_write=True, allow_delete=True)
    devices = await open_devices(settings, print)
    server = AdbServer(*settings.adb_address)
    surface = LocalSurface((*CATALOG, *EXTRA), devices, SurfaceOptions(policy=ALL_ON))
    hand = Hand(surface, devices, server.link(serial))
    try:
        yield hand
    finally:
        with suppress(ToolError):
            await hand.call("press_home")
        await devices.aclose()
        await _tidy_up(server, serial)


async def _tidy_up(server: AdbServer, serial: str) -> None:
    """Remove the empty folder, which no tool can remove."""
    with suppress(AdbError):
        link = server.link(serial)
        user = (await shell.run(link, ["am", "get-current-user"])).stdout.decode().strip()
        if re.fullmatch("[0-9]+", user):
            await shell.run(link, ["rmdir", f"/storage/emulated/{user}/Download/{FOLDER}"])
