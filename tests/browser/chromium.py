"""Debian's Chromium for the tests, driven through Playwright."""

import asyncio
import itertools
import json
import shutil
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from harness.polling import HANG

TOOLS = Path(__file__).resolve().parents[2] / "scripts" / "judges"
LAPTOP = {"width": 1280, "height": 800}
TABLET = {"width": 820, "height": 1180}
PHONE = {"width": 360, "height": 740}
_LINE_LIMIT = 4 * 1024 * 1024


class StepFailed(AssertionError):
    """A step on a page failed."""


class Page:
    def __init__(self, browser: "Browser", id: int, origin: str) -> None:
        self._browser = browser
        self._id = id
        self.origin = origin

    async def steps(self, *steps: list[Any]) -> Any:
        """Make Playwright calls, each on the result of the previous one."""
        return await self._browser.ask(page=self._id, steps=list(steps))

    async def evaluate(self, function: str, given: Any = None) -> Any:
        return await self._browser.ask(page=self._id, evaluate=function, **{"with": given})

    async def go(self, path: str) -> None:
        await self.steps(["goto", self.origin + path])

    async def log_in(self, link: str) -> None:
        await self.steps(["goto", link])
        await self._connected()

    async def _connected(self) -> None:
        """Wait until it receives events, and so counts as an open console."""
        await self.until("() => document.querySelector('#connection')?.textContent === 'Connected'")

    async def open(self, tab: str) -> None:
        """Open one of the console's pages and wait for its heading."""
        await self.go(f"/#/{tab}")
        await self.until("name => document.querySelector(`main.page-${name} h2`)", tab)
        await self._connected()

    async def click(self, role: str, name: str, *, exact: bool = True) -> None:
        await self.steps(["getByRole", role, {"name": name, "exact": exact}], ["click"])

    async def fill(self, label: str, text: str) -> None:
        await self.steps(["getByLabel", label, {"exact": True}], ["fill", text])

    async def press(self, key: str) -> None:
        await self.steps(["keyboard"], ["press", key])

    async def text(self, selector: str = "main") -> str:
        return await self.steps(["locator", selector], ["first"], ["innerText"])

    async def count(self, selector: str) -> int:
        return await self.steps(["locator", selector], ["count"])

    async def sees(self, text: str) -> None:
        """Wait until the text is visible."""
        await self.steps(["getByText", text], ["first"], ["waitFor"])

    async def until(self, function: str, given: Any = None) -> None:
        await self._browser.ask(page=self._id, until=function, **{"with": given})

    async def picture(self, file: Path) -> None:
        await self.steps(["screenshot", {"path": str(file)}])

    async def noted(self) -> list[str]:
        """Return the problems since the last call: console errors, uncaught exceptions, dialogs,
        requests to other origins."""
        return await self._browser.ask(page=self._id, noted=True)

    async def close(self) -> None:
        await self._browser.ask(page=self._id, close=True)


class Browser:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def open(self, origin: str, session: str = "", **options: Any) -> Page:
        """Open a page in a browser context of its own, or in the one shared by this `session`."""
        asked = {"viewport": LAPTOP, "locale": "en-GB", "timezoneId": "UTC", **options}
        id = await self.ask(open=asked, origin=origin, session=session)
        return Page(self, id, origin)

    async def ask(self, **asked: Any) -> Any:
        assert self._process.stdin is not None
        id = next(self._ids)
        future = self._waiting[id] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(json.dumps({"id": id, **asked}).encode() + b"\n")
        await self._process.stdin.drain()
        async with asyncio.timeout(HANG):
            return await future

    async def listen(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            reply = json.loads(line)
            future = self._waiting.pop(reply["id"])
            if future.done():
                continue
            if "problem" in reply:
                future.set_exception(StepFailed(reply["problem"]))
            else:
                future.set_result(reply["value"])
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(StepFailed("The browser exited."))


def need_browser() -> tuple[str, str]:
    """Return the paths of Node and Chromium."""
    node = TOOLS / "node_modules" / ".bin" / "node"
    chromium = shutil.which("chromium")
    if chromium and node.exists() and (TOOLS / "node_modules" / "playwright-core").is_dir():
        return str(node), chromium
    pytest.fail("Run: apt-get install chromium; make node-tools")


@asynccontextmanager
async def open_browser(node: str, chromium: str) -> AsyncGenerator[Browser]:
    process = await asyncio.create_subprocess_exec(
        *(node, str(TOOLS / "browser.mjs"), chromium), stdin=PIPE, stdout=PIPE, limit=_LINE_LIMIT
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        async with asyncio.timeout(HANG):
            first = await process.stdout.readline()
        assert b"ready" in first, first
        browser = Browser(process)
        listening = asyncio.ensure_future(browser.listen())
        try:
            yield browser
        finally:
            process.stdin.close()
            await asyncio.wait_for(listening, HANG)
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), HANG)
        if process.returncode is None:
            process.kill()
            await process.wait()
